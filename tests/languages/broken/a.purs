module A where

m1 :: Int -> Int
m1 x =
    a x

m2 :: Int -> Int
m2 x =
    b x
%I
%Mm3 :: Int -> Int
m3 x =
    c x

%Tlast :: Int
last = 1
