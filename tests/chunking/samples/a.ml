open Printf
(** Doc of t. *)
type t = { name : string; mutable age : int }
and u = A | B of int
exception Bad of string
let limit = 5
let rec run x = go x
and go y = run y
let ( +++ ) a b = a
module M = struct
  let inner x = x
  class point = object method get = 1 val mutable x = 2 end
end
module type S = sig
  val f : int -> int
end
external ext : int -> int = "c_ext"
class type ct = object end
