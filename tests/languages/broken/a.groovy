class A {
    def m1() {
        a()
    }

    def m2() {
        b()
%I    }

%M    def m3() {
        c()
    }
}

%Tclass last {}
