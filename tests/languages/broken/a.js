class A {
    m1() {
        a();
    }

    m2() {
        b();
%I    }

%M    m3() {
        c();
    }
}

%Tfunction last() {}
