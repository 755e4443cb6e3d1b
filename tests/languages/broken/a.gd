class A:
	var x = 1

func m1():
	a()

func m2():
	b()
%I
%Mfunc m3():
	c()

%Tfunc last():
	pass
