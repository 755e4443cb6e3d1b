package p

type A struct {
	x int
}

func m1() {
    a()
}

func m2() {
    b()
%I}

%Mfunc m3() {
    c()
}

%Tfunc last() {}
