A() {
    x=1
}

m1() {
    a
}

m2() {
    b
%I}

%Mm3() {
    c
}

%Tlast() { :; }
