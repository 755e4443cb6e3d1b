module A

let m1 x =
    a x

let m2 x =
    b x
%I    1

%Mlet m3 x =
    c x

%Tlet last = 1
