(defvar A 1)

(defun m1 ()
  (a))

(defun m2 ()
  (b)
%I  1)

%M(defun m3 ()
  (c))

%T(defun last () 1)
