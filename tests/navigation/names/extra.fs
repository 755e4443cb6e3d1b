module M
let ``my name`` x = x
let (|Even|Odd|) n = if n % 2 = 0 then Even else Odd
let (+.) a b = a
let x' = 1
type T() =
  member this.``two words``() = 1
