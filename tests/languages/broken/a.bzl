A = 1

def m1(x):
    a()

def m2(x):
    b()
%I
%Mdef m3(x):
    c()

%Tdef last():
    pass
