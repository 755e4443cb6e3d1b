module geo.shape;
import std.stdio;
/// Doc.
class Circle : Shape { int r; this(int r) {} int area() { return 1; } }
struct P { int x; }
interface I { void go(); }
enum Color { red, green }
enum LIMIT = 5;
alias T = int;
template Tmpl(T) { void f() {} }
void run(T)(int x) { }
unittest { }
immutable int g = 1;
union U { int a; }
mixin template M() { }
enum { first = 1, second }
pragma(inline, true) int quick() { return 1; }
struct Held { ~this() {} union { int low; } }
