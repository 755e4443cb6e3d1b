module A where

m1 :: Int -> Int
m1 x = do
    a x

m2 :: Int -> Int
m2 x = do
    b x
%I
%Mm3 :: Int -> Int
m3 x = do
    c x

%Tlast :: Int
last = 1
