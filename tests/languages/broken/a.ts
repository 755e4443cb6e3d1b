class A {
    m1(): void {
        a();
    }

    m2(): void {
        b();
%I    }

%M    m3(): void {
        c();
    }
}

%Tfunction last() {}
