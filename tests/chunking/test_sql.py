"""SQL is cut at its `CREATE` statements."""

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
