(define A 1)

(define (m1)
  (a))

(define (m2)
  (b)
%I  1)

%M(define (m3)
  (c))

%T(define (last) 1)
