class A {
    void m1() {
        a();
    }

    void m2() {
        b();
%I    }

%M    void m3() {
        c();
    }
}

%Tvoid last() {}
