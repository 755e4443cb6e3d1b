#lang racket
(define (a->b x) x)
(struct point/3d (x y))
(define-syntax-rule (while! x) x)
