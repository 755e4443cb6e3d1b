{
  A = 1;
  m1 = x: {
    a = 1;
  };
  m2 = x: {
    b = 1;
%I  };
%M  m3 = x: {
    c = 1;
  };
%T  last = 1;
}
