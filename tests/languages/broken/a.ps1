class A {
    [int] $x
}

function m1 {
    a
}

function m2 {
    b
%I}

%Mfunction m3 {
    c
}

%Tfunction last { 1 }
