contract A {
    function m1() public {
        a();
    }

    function m2() public {
        b();
%I    }

%M    function m3() public {
        c();
    }
}

%Tcontract last {}
