type A = object
  x: int

proc m1() =
  a()

proc m2() =
  b()
%I
%Mproc m3() =
  c()

%Tproc last() =
  discard
