import gleam/io
pub const limit = 5
/// Doc.
pub type Shape { Circle(r: Int) Square }
pub type Alias = Int
pub fn area(x: Int) -> Int { x }
@external(erlang, "a", "b")
pub fn ext() -> Int
