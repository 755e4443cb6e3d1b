"""What a file costs that a hostile author wrote: the work is counted, not timed."""

from collections.abc import Callable

import pytest

from ggrep.parse.chunking import data_keys, keyed, line_keys, markup
from ggrep.parse.chunking.chunker import chunk_without_grammar
from ggrep.parse.chunking.documents import rst_cutter
from ggrep.parse.chunking.sections import Heading, sections
from ggrep.parse.chunking.unparsed import Reading
from ggrep.parse.chunking.windows import cut, indentation_cost, surely_more
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

FEW = ChunkLimits(max_lines=10, max_chunks_per_file=20)


def test_cutting_ends_with_the_cap_of_the_file() -> None:
    """Windows beyond the cap are thrown away, so looking for their lines is time lost."""
    asked: list[int] = []
    table = LineTable(b"x\n" * 5000)

    def cost(line: int) -> int:
        asked.append(line)
        return 1

    ranges = cut(table, 0, len(table.data), FEW, cost)

    assert len(ranges) == FEW.max_chunks_per_file + 1
    assert len(asked) <= len(ranges) * (FEW.max_lines + 1)


def test_the_last_of_the_cheapest_lines_begins_a_window() -> None:
    """Windows are as large as they may be where no line is better than another."""
    table = LineTable(b"x\n" * 25)

    ranges = cut(table, 0, len(table.data), FEW, lambda line: 0 if line in {5, 6} else 1)

    assert [table.line_of(start) for start, _ in ranges] == [0, 6, 16]


@pytest.mark.parametrize(
    ("line", "cost"),
    [
        (b"x", 1),
        (b"    x", 9),
        (b"    end", 509),
        (b"endless", 1),
        (b"}", 501),
        (b"\t \tx", 7),
        (b" " * 300 + b"x", 161),
    ],
)
def test_inner_and_closing_lines_are_dear(line: bytes, cost: int) -> None:
    """A window should begin where an outer block does, and with no block's end."""
    table = LineTable(b"above\n" + line + b"\n")

    assert indentation_cost(table)(1) == cost
    assert indentation_cost(LineTable(b" \f\r\n" + line + b"\n"))(1) == cost - 1


def test_a_document_of_headings_only_is_given_up_early() -> None:
    """Each heading is a section of its own: a million of them need not all be placed."""
    table = LineTable(b"a\n" * 5000)
    headings = [Heading(line, 1, "a") for line in range(5000)]

    pieces = sections(table, headings, (), FEW)

    assert FEW.max_chunks_per_file < len(pieces) < 200


def test_bare_headings_that_join_are_not_given_up() -> None:
    titles = [f"a{number:02}" for number in range(18)]
    text = "".join(f"{title}\n===\n\nb\n--\n\nwords\n\n" for title in titles).encode()
    cutter = rst_cutter(LineTable(text))

    pieces = cutter(FEW)

    assert pieces is not None
    assert [piece.names for piece in pieces] == [("b", title) for title in titles]


def test_lines_tell_that_there_must_be_too_many_pieces() -> None:
    """Only what is surely too much may be left untried."""
    full, blank = LineTable(b"x\n" * 100), LineTable(b"x\n" + b" \n" * 100)

    assert surely_more(full, FEW, 9)
    assert not surely_more(full, FEW, 10)
    assert not surely_more(blank, FEW, 0)


def test_a_file_is_scanned_once_however_often_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading costs more than cutting, and each larger limit is a further cut."""
    read: list[object] = []
    scan = data_keys.json_keys

    def counted(data: bytes) -> list[keyed.Key]:
        read.append(data)
        return scan(data)

    monkeypatch.setattr("ggrep.parse.chunking.unparsed.json_keys", counted)
    reading = Reading(LineTable(b'{"a": 1,\n"b": 2}'), "json")

    assert reading.structured(FEW) == reading.structured(FEW)
    assert len(read) == 1


@pytest.mark.parametrize(
    ("module", "scan", "unit"),
    [
        (line_keys, line_keys.ini_keys, b"a=1\n"),
        (line_keys, line_keys.toml_keys, b"a=1\n"),
        (line_keys, line_keys.make_keys, b"a:\n"),
        (line_keys, line_keys.dockerfile_keys, b"RUN a\n"),
        (line_keys, line_keys.block_keys, b"a {\n}\n"),
        (line_keys, line_keys.rule_keys, b"a{}\n"),
        (markup, lambda table: markup.xml_keys(table.data), b"<a/>\n"),
        (markup, lambda table: markup.html_keys(table.data), b"<h1>a</h1>\n"),
        (data_keys, lambda table: data_keys.json_keys(table.data), b"{},\n"),
    ],
)
def test_a_scanner_stops_at_too_many_keys(
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    scan: Callable[[LineTable], list[keyed.Key]],
    unit: bytes,
) -> None:
    """So many keys are data: none of them is used."""
    monkeypatch.setattr(module, "MAX_KEYS", 10)

    result = scan(LineTable(unit * 100))

    assert 10 < len(result) <= 12


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ini", "a=\\\n" * 3000),
        ("a.toml", 'a = """\n' + "x=1\n" * 3000),
        ("a.yaml", 'a: "x\n' + "b: 1\n" * 3000),
        ("a.tf", "a = <<EOF\n" + "a = 1\n" * 3000),
        ("Dockerfile", "FROM a\nRUN <<EOF\n" + "RUN a\n" * 3000),
        ("a.rst", "ab\n==\n\n" * 3000),
        ("a.sql", "x\n" * 3000),
        ("a.md", "# a\n" * 3000),
    ],
)
def test_many_short_lines_beyond_the_cap_are_reported(path: str, text: str) -> None:
    plan = chunk_without_grammar(path, text.encode(), FEW)

    assert (plan.method, len(plan.pieces)) == ("lines", FEW.max_chunks_per_file)
    assert plan.problem == "chunk_cap_exceeded"
    assert plan.pieces[-1].end <= len(text)
