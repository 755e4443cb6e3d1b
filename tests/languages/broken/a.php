<?php
class A {
    function m1() {
        a();
    }

    function m2() {
        b();
%I    }

%M    function m3() {
        c();
    }
}

%Tfunction last() {}
