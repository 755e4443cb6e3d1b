package body P is
   function "+" (A, B : Integer) return Integer is begin return A; end "+";
   procedure Run is begin null; end Run;
end P;
