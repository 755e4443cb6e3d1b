A <- 1

m1 <- function() {
    a()
}

m2 <- function() {
    b()
%I}

%Mm3 <- function() {
    c()
}

%Tlast <- function() 1
