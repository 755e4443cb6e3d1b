{
  my-pkg = x: x;
  "two words" = 1;
  foldl' = 2;
}
