val f : int -> int
(** Doc. *)
type t
module M : sig val g : int end
exception E
