struct A {
    int x;
};
void m1() {
    a();
}

void m2() {
    b();
%I}

%Mvoid m3() {
    c();
}

%Tvoid last() {}
