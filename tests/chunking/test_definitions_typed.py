"""Definitions of C#, Kotlin, Scala and Swift become chunks of the right type and name."""

import pytest

from tests.chunking.conftest import Chunked, Row, definitions_of

CSHARP = """using System.Linq;
using Al = A.B.C;
namespace A.B
{
    /// <summary>doc</summary>
    [Attr]
    public class Foo<T> : Bar
    {
        private int _x, _y;
        public event Handler Changed;
        public int P { get; set; }
        public Foo(int x) : base(x) { }
        ~Foo() { }
        void IBaz.Explicit() { }
        public int this[int i] { get { return 1; } }
        public static Foo operator +(Foo a, Foo b) { return a; }
        public static implicit operator int(Foo a) => 1;
#if NET
        void Conditional() { }
#endif
        struct S { public int F; }
    }
    public record R(int X);
    interface I { void M(); }
    public delegate int Del(int x);
    enum E { A1, B1 = 2 }
}
"""
FILE_SCOPED = """namespace File.Scoped;
class C { void M() { } }
"""
KOTLIN = """package a.b

import x.y.Z
import x.w.*

/** doc */
@Anno
class Foo<T>(val a: Int, c: Int) : Bar(a) {
    var q: String
        get() = "x"
    constructor(x: Int) : this(x, 1)
    fun m(): Int = 1
    operator fun plus(o: Foo): Foo { return o }
    companion object {
        const val K = 1
        fun create() = Foo(1)
    }
}
interface I { fun a() }
enum class E(val n: Int) {
    A(1),
    B(2)
}
object O : I { override fun a() {} }
typealias T = Map<String, Int>
fun <T> List<T>?.gext(): Int = 1
val String.len: Int get() = 1
val (d1, d2) = pair()
fun `quoted name`() {}
val shown = object : I { override fun b() {} }
"""
SCALA = """package a.b
import x.{A, B => C}

/** doc */
@ann
class Foo[T](val a: Int, b: String) extends Bar {
  var q, q2 = 2
  def this(x: Int) = this(x, "")
  def +(o: Foo): Foo = o
  type Alias = Int
  object Comp { val k = 1 }
}
case class D(x: Int)
sealed trait S { def a(): Unit }
package object po { val (d1, d2) = (1, 2) }
"""
SCALA3 = """enum Color(val rgb: Int):
  case Red extends Color(1)
  case Green, Blue
extension [T](s: List[T])
  def one: Int = 1
given intOrd: Ordering[Int] with
  def compare(a: Int, b: Int) = 1
opaque type Op = Int
val top = 1
package p:
  class Q
"""
SWIFT = """import Foundation
@testable import class X.Y
/** doc */
@objc public final class Foo<T>: Bar {
    let a: Int = 1
    var b = 2, c: String
    init(x: Int) { }
    subscript(i: Int) -> Int { 1 }
    static func == (l: Foo, r: Foo) -> Bool { true }
    typealias A = Int
}
extension Foo: Q { func e() {} }
protocol P { associatedtype X; var v: Int { get }; func pm() }
struct S { let x, y: Int }
actor Ac { func go() async {} }
enum E { case one(E), two }
func top<T>() {}
var (d, e) = (1, 2)
prefix operator +++
"""

FOO_NAMES = (
    *("Foo", "_x", "_y", "Changed", "P", "~Foo", "Explicit", "this", "operator +"),
    *("operator int", "Conditional", "S", "F"),
)
GOLDEN: list[tuple[str, str, list[Row]]] = [
    (
        "a.cs",
        CSHARP,
        [
            ("block", "", ()),
            ("block", "", ("A.B",)),
            ("class", "A.B.Foo", FOO_NAMES),
            ("class", "A.B.R", ("R", "X")),
            ("interface", "A.B.I", ("I", "M")),
            ("typealias", "A.B.Del", ("Del",)),
            ("enum", "A.B.E", ("E", "A1", "B1")),
        ],
    ),
    (
        "b.cs",
        FILE_SCOPED,
        [("module", "File.Scoped", ("File.Scoped",)), ("class", "File.Scoped.C", ("C", "M"))],
    ),
    (
        "a.kt",
        KOTLIN,
        [
            ("block", "", ()),
            ("class", "Foo", ("Foo", "a", "q", "constructor", "m", "plus", "K", "create")),
            ("interface", "I", ("I", "a")),
            ("enum", "E", ("E", "n", "A", "B")),
            ("class", "O", ("O", "a")),
            ("typealias", "T", ("T",)),
            ("function", "List.gext", ("gext",)),
            ("constant", "String.len", ("len",)),
            ("constant", "d1", ("d1", "d2")),
            ("function", "quoted name", ("quoted name",)),
            ("constant", "shown", ("shown", "b")),
        ],
    ),
    (
        "a.scala",
        SCALA,
        [
            ("block", "", ()),
            ("class", "Foo", ("Foo", "a", "q", "q2", "this", "+", "Alias", "Comp", "k")),
            ("class", "D", ("D", "x")),
            ("interface", "S", ("S", "a")),
            ("class", "po", ("po", "d1", "d2")),
        ],
    ),
    (
        "b.scala",
        SCALA3,
        [
            ("enum", "Color", ("Color", "rgb", "Red", "Green", "Blue")),
            ("class", "List", ("List", "one")),
            ("class", "intOrd", ("intOrd", "compare")),
            ("block", "", ("Op", "top")),
            ("class", "p.Q", ("Q", "p")),
        ],
    ),
    (
        "a.swift",
        SWIFT,
        [
            ("block", "", ()),
            ("class", "Foo", ("Foo", "a", "b", "c", "init", "subscript", "==", "A")),
            ("class", "Foo", ("Foo", "e")),
            ("interface", "P", ("P", "X", "v", "pm")),
            ("class", "S", ("S", "x", "y")),
            ("class", "Ac", ("Ac", "go")),
            ("enum", "E", ("E", "one", "two")),
            ("function", "top", ("top",)),
            ("block", "", ("d", "e", "+++")),
        ],
    ),
]


@pytest.mark.parametrize(("path", "source", "rows"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_definitions_are_found(chunked: Chunked, path: str, source: str, rows: list[Row]) -> None:
    """Fields and enum members are looked for by name as often as methods are."""
    file = chunked(path, source)

    assert file.method == "tree-sitter"
    assert definitions_of(file) == rows


@pytest.mark.parametrize(
    ("path", "source", "imports"),
    [
        ("a.cs", CSHARP, "System.Linq, A.B.C"),
        ("a.kt", KOTLIN, "a.b, x.y.Z, x.w.*"),
        ("a.scala", SCALA, "a.b, x.A, x.B"),
        ("a.swift", SWIFT, "Foundation, X.Y"),
    ],
)
def test_the_anchor_names_imports(chunked: Chunked, path: str, source: str, imports: str) -> None:
    """Which files use a module is asked often, and the anchor answers it."""
    anchor = chunked(path, source).chunks[0]

    assert f"File: {path}\nImports: {imports}\n" in anchor.extra


@pytest.mark.parametrize(
    ("path", "source", "opening"),
    [
        ("a.cs", CSHARP, "    /// <summary>doc</summary>\n    [Attr]\n"),
        ("a.kt", KOTLIN, "/** doc */\n@Anno\nclass Foo"),
        ("a.scala", SCALA, "/** doc */\n@ann\nclass Foo"),
        ("a.swift", SWIFT, "/** doc */\n@objc public"),
    ],
)
def test_attributes_belong_to_it(chunked: Chunked, path: str, source: str, opening: str) -> None:
    """In Kotlin the grammar counts the comment behind the imports as part of them."""
    (foo,) = [
        c for c in chunked(path, source).chunks if c.names[:1] == ("Foo",) and "doc" in c.text
    ]

    assert foo.text.startswith(opening)


def test_fields_of_a_large_class_are_named_where_they_stand(chunked: Chunked) -> None:
    """A search for a field ends at its declaration, not at the head of its class."""
    methods = "".join(f"    void M{i}()\n    {{\n        Run({i});\n    }}\n" for i in range(30))
    file = chunked("a.cs", f"class Big\n{{\n    int _a;\n{methods}    int _z;\n}}\n")

    named = {name: c.text for c in file.chunks for name in c.names}
    assert "class Big" in named["Big"]
    assert "int _a;" in named["_a"]
    assert "int _z;" in named["_z"]


def test_locals_are_no_definitions(chunked: Chunked) -> None:
    """Only what can be referred to from elsewhere is worth finding by name."""
    body = "".join(f"    val local{i} = {i}\n" for i in range(70))
    file = chunked("a.kt", f"fun long() {{\n{body}}}\n")

    assert [c.names for c in file.chunks if c.names] == [("long",)]
