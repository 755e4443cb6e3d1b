(ns A)

(defn m1 []
  (a))

(defn m2 []
  (b)
%I  1)

%M(defn m3 []
  (c))

%T(defn last [] 1)
