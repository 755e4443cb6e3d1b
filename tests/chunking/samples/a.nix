{ pkgs ? import <nixpkgs> {} }:
let
  limit = 5;
  # Doc.
  area = x: x * x;
in rec {
  inherit limit;
  name = "a";
  build.inputs = [ ];
  mk = { a, b }: a;
}
// {
  named = { low = 1; } // { high = 2; };
}
