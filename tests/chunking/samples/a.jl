module Geo
using LinearAlgebra
import Base: show
"""
Area of it.
"""
function area(x::Int)::Int where T
    x
end
"short doc"
half(x) = x / 2
abstract type Shape end
mutable struct Circle{T} <: Shape
    r::T
    s
    Circle(r) = new(r)
end
const LIMIT = 5
macro check(ex)
end
Base.show(io::IO, c::Circle) = print(io)
function Base.length(c) 1 end
@inline fast(x) = x
primitive type P 8 end
@enum Color red green
end
