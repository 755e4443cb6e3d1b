class A:
    def m1(self):
        a()

    def m2(self):
        b()
%I
%M    def m3(self):
        c()

%Tdef last():
    pass
