class A {
    func m1() {
        a()
    }

    func m2() {
        b()
%I    }

%M    func m3() {
        c()
    }
}

%Tfunc last() {}
