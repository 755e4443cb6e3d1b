pub type A {
  A(x: Int)
}

pub fn m1() {
  a()
}

pub fn m2() {
  b()
%I}

%Mpub fn m3() {
  c()
}

%Tpub fn last() {
  1
}
