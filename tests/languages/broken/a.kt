class A {
    fun m1() {
        a()
    }

    fun m2() {
        b()
%I    }

%M    fun m3() {
        c()
    }
}

%Tfun last() {}
