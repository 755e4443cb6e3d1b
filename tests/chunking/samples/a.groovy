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
class Wide
    extends Shape
{
  final int depth;
  private static final List<String> NAMES = [ 'a', ]
  Map<String, Integer> sizes
  def pattern = /(?i)"[^{]*\/*/
  def text = """${names.join(', ')} {
"""
  Object make(String kind) throws IOException {
    if (kind) { 1 } else if (!kind) { 2 }
    def it = new Shape()
  }
  List<String> names() { [] }
  abstract boolean open(int a)
}
