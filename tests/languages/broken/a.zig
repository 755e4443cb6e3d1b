const A = struct {
    fn m1() void {
        a();
    }

    fn m2() void {
        b();
%I    }

%M    fn m3() void {
        c();
    }
};

%Tfn last() void {}
