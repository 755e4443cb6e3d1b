library(dplyr)
#' Doc
#' @export
area <- function(x) {
  x
}
limit = 5
5 -> other
setClass("Shape", representation(x = "numeric"))
setGeneric("draw", function(x) standardGeneric("draw"))
setMethod("draw", "Shape", function(x) 1)
Person <- R6Class("Person", public = list(name = NULL, hi = function() 1))
`my fun` <- function() 1
f <- \(x) x
