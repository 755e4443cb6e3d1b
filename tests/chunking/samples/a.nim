import strutils
const Limit* = 5
type
  Circle* = object of RootObj
    r*: int
  Color = enum red, green
## Doc.
proc area*(x: int): int =
  x * x
func f(x: int): int = x
method draw(c: Circle) = discard
template t(x) = x
macro m(x): untyped = x
iterator it(): int = yield 1
var g = 1
let h = 2
converter c(x: int): string = ""
type
  Node*[T] = ref object of T
    next: int
    case leaf*: bool
    of true: value: int
    else: kids: int
  Pair = tuple[low: int, high: int]
