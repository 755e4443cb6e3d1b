module A exposing (..)

m1 x =
    a x

m2 x =
    b x
%I
%Mm3 x =
    c x

%Tlast = 1
