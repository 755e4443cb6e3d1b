"""SQL is cut at its `CREATE` statements."""

from collections.abc import Callable

import pytest

from ggrep.model.files import ChunkedFile
from ggrep.parse.chunking.spans import Piece
from ggrep.parse.chunking.sql import sql_cutter
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

SCRIPT = b"""-- Users.
CREATE TABLE IF NOT EXISTS public."users" (
  id serial PRIMARY KEY,
  name text NOT NULL,
  CONSTRAINT x UNIQUE (id)
);
CREATE INDEX a ON users (id);
CREATE UNIQUE INDEX CONCURRENTLY b ON users (id);
INSERT INTO users VALUES (1, 'x');

/* Adds
   one. */
CREATE OR REPLACE FUNCTION f(a int) RETURNS int AS $body$
BEGIN
CREATE TABLE tmp (a int);
  RETURN 1;
END;
$body$ LANGUAGE plpgsql;
CREATE VIEW v AS
  SELECT 1;
CREATE PROCEDURE [dbo].[p] @a int
AS
BEGIN
  CREATE TABLE tmp (a int);
  SELECT 1;
END
GO
"""


def pieces(data: bytes) -> list[Piece]:
    return sql_cutter(LineTable(data))(ChunkLimits())


def test_tables_views_and_functions_are_found_with_type_and_name() -> None:
    """Dialects differ, yet all of them say CREATE."""
    results = [(piece.chunk_type, piece.name, piece.names) for piece in pieces(SCRIPT)]

    assert results == [
        ("class", "users", ("users", "id", "name")),
        ("block", "", ("a", "b")),
        ("function", "f", ("f",)),
        ("class", "v", ("v",)),
        ("function", "p", ("p",)),
    ]


def test_comments_lead_a_statement_and_a_quoted_body_stays_whole() -> None:
    """A body in dollar quotes holds semicolons and statements of its own."""
    function = pieces(SCRIPT)[2]
    text = SCRIPT[function.start : function.end]

    assert text.startswith(b"/* Adds\n   one. */\nCREATE OR REPLACE FUNCTION f")
    assert text.endswith(b"$body$ LANGUAGE plpgsql;")


def test_hostile_repetition_is_read_in_linear_time() -> None:
    """A scanner that tried again from each mark would not end."""
    data = b"create " * 40_000 + b"/*" * 40_000 + b"$$" * 40_001 + b"'" * 40_001

    assert pieces(data)[-1].end == len(data)


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
def test_definitions_are_found(chunked: Chunked, path: str, source: str, rows: list[Row]) -> None:
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
