push!(x) = x
⊕(a, b) = a
function Base.:+(a, b) a end
var"two words"(x) = x
is_ok(x) = x
