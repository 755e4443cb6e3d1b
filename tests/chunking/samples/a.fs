module My.App
open System
/// Doc.
let area x = x * x
let rec go (a: int) : int = a
let limit = 5
type Shape = { X: int; Y: int }
type Color = Red | Green of int
type IShape =
  abstract member Draw : unit -> unit
type Circle(r: int) =
  let hidden = 1
  member this.Area() = r
  member val Name = "a" with get, set
  static member Make() = Circle 1
  interface IShape with
    member x.Draw() = ()
module Inner =
  let f x = x
exception Bad of string
[<Literal>]
let Max = 3
type Alias = int
type Reader(sin: string) =
  let mutable bit = 8
  let low, high = 1, 2
  member x.Skip() = bit
