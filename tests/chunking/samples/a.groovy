package a.b
import c.D
/** Doc. */
class Shape extends Base {
  int x
  static final Y = 2
  Shape(int x) {}
  def area(y) { return 1 }
  private String name() { 'a' }
}
def top(x) { x }
interface I { void go() }
enum Color { RED, GREEN }
def limit = 5
task build(type: X) { }
trait T { }
class Held {
  def parent // no value
}
