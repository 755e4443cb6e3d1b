"""Protocol buffers and GraphQL become chunks of the right type and name."""

from collections.abc import Callable

import pytest

from ggrep.model.files import ChunkedFile

Chunked = Callable[..., ChunkedFile]
Row = tuple[str, str, tuple[str, ...]]

PROTO = """syntax = "proto3";
package a.b;
import "x/y.proto";
// Says.
message M {
  string a = 1;
  map<string, int32> c = 3;
  oneof o { int32 d = 4; }
  message N { int32 e = 1; }
  enum E { A = 0; }
}
service S {
  rpc Get(A) returns (B) {}
}
extend M { optional int32 z = 100; }
enum G { Q = 1; }
"""
GRAPHQL = '''"""Says."""
type A implements B { "x" f(a: Int): String g: Int }
input I { a: Int }
enum E { X Y }
interface B { f: Int }
union U = A | B
scalar Date
directive @d(a: Int) on FIELD
extend type A { h: Int }
query Q($a: Int) { f }
fragment F on A { f }
'''

GOLDEN: list[tuple[str, str, list[Row]]] = [
    (
        "a.proto",
        PROTO,
        [
            ("block", "", ("a.b",)),
            ("class", "M", ("M", "a", "c", "o", "d", "N", "e", "E", "A")),
            ("interface", "S", ("S", "Get")),
            ("class", "M", ("M", "z")),
            ("enum", "G", ("G", "Q")),
        ],
    ),
    (
        "a.graphql",
        GRAPHQL,
        [
            ("class", "A", ("A", "f", "g")),
            ("class", "I", ("I", "a")),
            ("enum", "E", ("E", "X", "Y")),
            ("interface", "B", ("B", "f")),
            ("block", "", ("U", "Date")),
            ("function", "d", ("d",)),
            ("class", "A", ("A", "h")),
            ("function", "Q", ("Q",)),
            ("class", "F", ("F",)),
        ],
    ),
]


@pytest.mark.parametrize(("path", "source", "rows"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_definitions_are_found_with_type_name_and_fields(
    chunked: Chunked, path: str, source: str, rows: list[Row]
) -> None:
    """A field is asked for as often as the message that holds it."""
    file = chunked(path, source)

    assert file.method == "tree-sitter"
    assert [(c.chunk_type, c.qualified_name, c.names) for c in file.chunks[1:]] == rows


def test_a_description_documents_its_graphql_type(chunked: Chunked) -> None:
    """It is a string inside the definition, not a comment above it."""
    a = chunked("a.graphql", GRAPHQL).chunks[1]

    assert a.text.startswith('"""Says."""\ntype A')
    assert (a.signature, a.doc) == ("type A implements B", "Says.")


def test_imported_files_of_a_proto_are_named(chunked: Chunked) -> None:
    """Which schemas build on another is asked often."""
    assert "Imports: x/y.proto\n" in chunked("a.proto", PROTO).chunks[0].extra
