func `class`() {}
struct Vec {
  static func == (a: Vec, b: Vec) -> Bool { true }
  func `two words`() {}
  subscript(i: Int) -> Int { i }
}
infix operator <+>
func <+> (a: Int, b: Int) -> Int { a }
