module main
import os
const limit = 5
// Doc.
pub struct Circle {
	r int
}
fn (c Circle) area() int { return 1 }
pub fn run(x int) {}
enum Color { red green }
interface Shape { draw() }
type T = int | string
