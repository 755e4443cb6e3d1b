`my fn` <- function(b) b
`%+%` <- function(a, b) a
print.foo <- function(x) x
`[<-.foo` <- function(x, i, value) x
.hidden <- function() 1
`names<-` <- function(x, value) x
