"""Each language's definitions become chunks of the right type and name."""

import re

import pytest

from ggrep.parse.languages.chunk_limits import ChunkLimits
from tests.chunking.conftest import Chunked, Row, definitions_of

PYTHON = '''"""Says."""
import os.path
from a.b import c as d
LIMIT: int = 5

# Runs.
@wraps(f)
def run(x):
    return x

class Shape(Protocol):
    def area(self): ...

class Color(Enum):
    RED = 1
'''
SCRIPT = """import x from "y";
const z = require("zed");
/** doc */
export const foo = () => { return 1; };
exports.bar = function () {};
app.use = function use(fn) { return fn; };
Foo.prototype.baz = function () {};
module.exports = { qux() { return 1; }, quux: function () {} };
class A extends B {
  m() {}
  arrow = () => 1;
}
const LIMIT = 5;
"""
TYPESCRIPT = """import { a } from './a';
export namespace N.M {
  export class C { m(): void {} }
}
@Comp()
export class D { @dec() baz() {} abstract q(): void; }
export interface I { a(): void }
export type T = string;
export enum E { A }
declare function f(x: number): void;
"""
TSX = """export function View(props: P) { return <div>{props.x}</div>; }
const Memo = React.memo(() => <p/>);
"""
GO = """// Package p says.
package p

import (
	"fmt"
	b "c/d"
)

// M does.
func (s *T[K]) M() {}

type T struct{ A int }
type (
	B interface{}
	C = int
)
const (
	X = iota
	Y
)
func F() {}
"""
RUST = """use std::io;
/// doc
#[derive(Debug)]
pub struct A<T> { x: T }
impl<T> Foo for A<T> {
    fn m(&self) {}
}
mod tests {
    use super::*;
    #[test]
    fn t() {}
}
pub const S: i32 = 1;
trait Tr { fn a(); fn b() {} }
enum E { A }
"""
JAVA = """package a.b;
import c.d.E;
/** doc */
public class X<T> {
    X() {}
    @Override void m() {}
    enum Q { A; void z() {} }
}
interface I { void a(); }
"""
C = """#ifndef A_H
#define A_H
#include <stdio.h>
typedef struct { int a; } Foo, *PFoo;
struct baz { int x; };
int g(void);
static int *f(int a) { return 0; }
enum e { A };
#endif
"""
CPP = """#include "x.h"
extern "C" { int q(void) { return 1; } }
namespace a::b {
template <class T> class X {
 public:
  void m() {}
};
}
template <class T> void X<T>::foo() {}
int a::Foo::bar(int x) const { return x; }
using T = int;
"""

GOLDEN: list[tuple[str, str, list[Row]]] = [
    (
        "a.py",
        PYTHON,
        [
            ("block", "", ("LIMIT",)),
            ("function", "run", ("run",)),
            ("interface", "Shape", ("Shape", "area")),
            ("enum", "Color", ("Color", "RED")),
        ],
    ),
    (
        "a.js",
        SCRIPT,
        [
            ("block", "", ()),
            ("function", "foo", ("foo",)),
            ("function", "bar", ("bar",)),
            ("function", "use", ("use",)),
            ("method", "Foo.baz", ("baz",)),
            ("constant", "exports", ("exports", "qux", "quux")),
            ("class", "A", ("A", "m", "arrow")),
            ("constant", "LIMIT", ("LIMIT",)),
        ],
    ),
    (
        "a.ts",
        TYPESCRIPT,
        [
            ("block", "", ()),
            ("class", "N.M.C", ("C", "m", "N.M")),
            ("class", "D", ("D", "baz", "q")),
            ("interface", "I", ("I", "a")),
            ("typealias", "T", ("T",)),
            ("enum", "E", ("E", "A")),
            ("function", "f", ("f",)),
        ],
    ),
    ("a.tsx", TSX, [("function", "View", ("View",)), ("function", "Memo", ("Memo",))]),
    (
        "a.go",
        GO,
        [
            ("block", "", ()),
            ("method", "T.M", ("M",)),
            ("class", "T", ("T", "A")),
            ("interface", "B", ("B",)),
            ("typealias", "C", ("C",)),
            ("block", "", ("X", "Y")),
            ("function", "F", ("F",)),
        ],
    ),
    (
        "a.rs",
        RUST,
        [
            ("block", "", ()),
            ("class", "A", ("A", "x")),
            ("class", "A", ("A", "m")),
            ("block", "", ("tests",)),
            ("function", "tests.t", ("t",)),
            ("constant", "S", ("S",)),
            ("interface", "Tr", ("Tr", "a", "b")),
            ("enum", "E", ("E", "A")),
        ],
    ),
    (
        "A.java",
        JAVA,
        [
            ("block", "", ()),
            ("class", "X", ("X", "m", "Q", "A", "z")),
            ("interface", "I", ("I", "a")),
        ],
    ),
    (
        "a.h",
        C,
        [
            ("block", "", ("A_H",)),
            ("class", "Foo", ("Foo", "PFoo", "a")),
            ("class", "baz", ("baz", "x")),
            ("function", "g", ("g",)),
            ("function", "f", ("f",)),
            ("enum", "e", ("e", "A")),
        ],
    ),
    (
        "a.cpp",
        CPP,
        [
            ("block", "", ()),
            ("function", "q", ("q",)),
            ("class", "a.b.X", ("X", "m", "a.b")),
            ("function", "X.foo", ("foo",)),
            ("function", "a.Foo.bar", ("bar",)),
            ("typealias", "T", ("T",)),
        ],
    ),
]


@pytest.mark.parametrize(("path", "source", "rows"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_definitions_are_found(chunked: Chunked, path: str, source: str, rows: list[Row]) -> None:
    """A search for a name has to land on its definition, in every language that is parsed."""
    file = chunked(path, source)

    assert file.method == "tree-sitter"
    assert definitions_of(file) == rows


@pytest.mark.parametrize(
    ("path", "source", "imports"),
    [
        ("a.py", PYTHON, "os.path, a.b.c"),
        ("a.js", SCRIPT, "y, zed"),
        ("a.ts", TYPESCRIPT, "./a"),
        ("a.go", GO, "fmt, c/d"),
        ("a.rs", RUST, "std::io, super::*"),
        ("A.java", JAVA, "a.b, c.d.E"),
        ("a.h", C, "stdio.h"),
        ("a.rb", "require 'set'\nputs 1\n", "set"),
        ("a.proto", 'import "x/y.proto";\nmessage M {}\n', "x/y.proto"),
        ("a.zig", 'const std = @import("std");\n', "std"),
    ],
)
def test_the_anchor_names_imports(chunked: Chunked, path: str, source: str, imports: str) -> None:
    """Which files use a module is asked often, and the anchor answers it."""
    anchor = chunked(path, source).chunks[0]

    assert anchor.kind == anchor.chunk_type == "anchor"
    assert f"File: {path}\nImports: {imports}" in anchor.extra


def test_leading_comments_and_decorators_belong_to_the_definition(chunked: Chunked) -> None:
    """The doc comment holds the words that people search with."""
    run = chunked("a.py", PYTHON).chunks[2]

    assert run.text.startswith("# Runs.\n@wraps(f)\ndef run")
    assert (run.start_line, run.end_line) == (6, 9)


def test_a_large_class_is_cut_into_header_and_members(chunked: Chunked) -> None:
    """A hit should show the method that answers, and say whose method it is."""
    body = "".join(f"    def m{i}(self):\n        return {i}\n\n" for i in range(30))
    file = chunked("a.py", f'class Big(Base):\n    """Doc."""\n\n    x = 1\n\n{body}')

    head, first = file.chunks[1], file.chunks[2]
    assert (head.chunk_type, head.name, head.breadcrumb) == ("class", "Big", ())
    assert head.text.endswith("x = 1")
    assert (first.chunk_type, first.qualified_name, first.breadcrumb) == (
        "method",
        "Big.m0",
        ("Big",),
    )
    assert len(file.chunks) == 32


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.py", "class A:\n    x: int\n    y, z = 1, 2\n    u = v = 0\n", "A x y z u v"),
        ("a.js", "class A { x = 1; #y; }\n", "A x #y"),
        ("a.js", "module.exports = { a, b: { c: 1 }, d: [{ e: 2 }] };\n", "exports a b c d e"),
        ("a.ts", "interface A { x: number; y?: string }\n", "A x y"),
        ("a.ts", "class A { constructor(private x: number, y: string) {} }\n", "A constructor x"),
        ("a.ts", "enum A { B, C = 2 }\n", "A B C"),
        ("a.ts", "const { x, y: z } = f();\n", "x z"),
        ("a.go", "package p\ntype A struct {\n\tX, Y int\n\t*b.E\n}\n", "A X Y E"),
        ("a.go", "package p\ntype A interface {\n\tM()\n}\n", "A M"),
        ("a.rs", "struct A { x: u8 }\n", "A x"),
        ("a.rs", "enum A { B, C { d: u8 } }\n", "A B C d"),
        ("a.rs", "mod a;\n", "a"),
        ("A.java", "class A {\n  int x, y = 1;\n}\n", "A x y"),
        ("A.java", "enum A { B, C(1) }\n", "A B C"),
        ("A.java", "@interface A { int value() default 1; }\n", "A value"),
        ("a.c", "struct a { int b, *c; struct { int d; } e; };\n", "a b c e d"),
        ("a.c", "enum { A, B };\n", "A B"),
        ("a.cpp", "class A { static const int x = 1; using T = int; };\n", "A x T"),
        ("a.cpp", "class EXPORTED A final { public: int x; };\n", "A x"),
    ],
)
def test_members_are_names(chunked: Chunked, path: str, source: str, names: str) -> None:
    """People ask where a field is declared, not only where its class is."""
    chunks = chunked(path, source).chunks[1:]

    assert [name for chunk in chunks for name in chunk.names] == names.split()


def test_a_macro_in_front_of_a_namespace_does_not_hide_what_is_in_it(chunked: Chunked) -> None:
    """Libraries open their inline namespaces so."""
    file = chunked(
        "a.cc", "OPEN\nnamespace n {\nclass K { void m(); };\nint f() { return 1; }\n}\n"
    )

    assert [c.qualified_name for c in file.chunks[2:]] == ["n.K", "n.f"]


def test_each_part_of_a_large_record_names_the_fields_in_it(chunked: Chunked) -> None:
    """The hundredth field is found where it stands."""
    fields = "".join(f"  int f{i};\n" for i in range(150))
    chunks = chunked("a.c", f"struct big {{\n{fields}}};\n").chunks[1:]

    assert (chunks[0].chunk_type, chunks[0].names[:2]) == ("class", ("big", "f0"))
    assert [chunk.chunk_type for chunk in chunks[1:]] == ["block"] * (len(chunks) - 1)
    for chunk in chunks:
        assert [n for n in chunk.names if n != "big"] == re.findall(r"int (f\d+);", chunk.text)


def test_a_name_stays_with_its_definition_behind_a_long_comment(chunked: Chunked) -> None:
    """The comment may fill a chunk of its own; the signature is what bears the name."""
    comment = "".join(f"/// Says {i}.\n" for i in range(80))
    chunks = chunked("a.rs", f"{comment}pub fn run() {{}}\n").chunks[1:]

    assert [chunk.name for chunk in chunks if "pub fn run" in chunk.text] == ["run"]
    assert [chunk.name for chunk in chunks].count("run") == 1


def test_only_the_first_piece_of_a_large_function_bears_its_name(chunked: Chunked) -> None:
    """A definition is found once; its other pieces say where they come from."""
    body = "".join(f"    if x == {i}:\n        run({i})\n" for i in range(60))
    pieces = chunked("a.py", f"def long(x):\n{body}").chunks[1:]

    assert [piece.name for piece in pieces] == ["long", *[""] * (len(pieces) - 1)]
    assert {piece.breadcrumb for piece in pieces[1:]} == {("long",)}
    assert all(piece.text.startswith("    if x ==") for piece in pieces[1:])


def test_functions_in_a_large_wrapper_are_found(chunked: Chunked) -> None:
    """Whole script libraries stand inside one function call."""
    inner = "".join(f"  function f{i}() {{\n    return {i};\n  }}\n" for i in range(30))
    file = chunked("a.js", f"(function () {{\n{inner}}})();\n")

    assert [c.name for c in file.chunks if c.chunk_type == "function"] == [
        f"f{i}" for i in range(30)
    ]


def test_broken_source_keeps_its_text_and_its_sound_definitions(chunked: Chunked) -> None:
    """People index work in progress."""
    file = chunked(
        "a.py", "def ok():\n    return 1\n\ndef broken(:\n  ))) x\n\ndef fine():\n    pass\n"
    )

    assert "ok" in [c.name for c in file.chunks]
    assert "))) x" in "".join(c.text for c in file.chunks[1:])


def test_a_header_that_speaks_cpp_is_read_as_cpp(chunked: Chunked) -> None:
    """The extension alone does not tell."""
    file = chunked("a.h", "namespace n {\nclass K { void m(); };\n}\n")

    assert file.language == "cpp"
    assert file.chunks[1].qualified_name == "n.K"


def test_more_definitions_than_the_cap_give_larger_windows(chunked: Chunked) -> None:
    """A generated file may not flood the store, yet stays searchable as a whole."""
    source = "".join(f"def f{i}():\n    pass\n" for i in range(40))
    file = chunked("a.py", source, ChunkLimits(max_lines=5, max_chunks_per_file=10))

    assert (file.method, file.problem) == ("lines", None)
    assert len(file.chunks) <= 10
    assert file.chunks[-1].text.endswith("def f39():\n    pass")


def test_a_file_that_cannot_be_covered_under_the_cap_says_so(chunked: Chunked) -> None:
    source = "".join(f"def f{i}():\n    pass\n" for i in range(400))
    file = chunked("a.py", source, ChunkLimits(max_lines=5, max_chunks_per_file=3))

    assert (len(file.chunks), file.problem) == (3, "chunk_cap_exceeded")
