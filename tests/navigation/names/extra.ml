let (>>=) a f = f a
let ( let* ) a f = f a
let x' = 1
let ( + ) a b = a
module M = struct let ( |> ) a f = f a end
