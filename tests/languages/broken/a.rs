mod A {
    fn m1() {
        a();
    }

    fn m2() {
        b();
%I    }

%M    fn m3() {
        c();
    }
}

%Tfn last() {}
