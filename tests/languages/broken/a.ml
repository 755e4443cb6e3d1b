module A = struct
  let m1 x =
    a x

  let m2 x =
    b x;
%I    1

%M  let m3 x =
    c x
end

%Tlet last x = 1
