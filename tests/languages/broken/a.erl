-module(x).
-record('A', {x}).

m1() ->
    a().

m2() ->
    b(),
%I    b().

%Mm3() ->
    c().

%Tlast() -> 1.
