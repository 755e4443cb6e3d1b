module p

struct A {
    x int
}

fn m1() {
    a()
}

fn m2() {
    b()
%I}

%Mfn m3() {
    c()
}

%Tfn last() {}
