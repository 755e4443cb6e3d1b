"""Text that a grammar cannot parse loses only itself: what stands around it is still defined.

`broken` holds a program of each language, with `%I`, `%M` and `%T` where a broken statement goes:
into the body of `m2`, between the members `m2` and `m3`, and in front of the outermost `last`.
"""

from pathlib import Path

import pytest
from tree_sitter import Node

from ggrep.parse.chunking.file_outline import outline_file
from ggrep.parse.languages import recovery
from ggrep.parse.languages.recovery import layout, parse_recovered
from ggrep.parse.languages.registry import GRAMMARS, KEYED, language_of
from ggrep.parse.languages.trees import parse
from tests.oracle.mentioned import mentions_of

PROGRAMS = Path(__file__).parent / "broken"
PATHS = sorted(path.stem for path in PROGRAMS.iterdir())
BROKEN = {
    "junk": "%%% ??? )( :: =>= ;\n",
    "opened": "if (x {\n    y = (\n",
    "closed": "}\n) end\n",
    "quoted": 's = "abc\n',
}
LOST = {
    ("a.ex", "%M", "closed"): {"m3"},
    ("a.ml", "%M", "closed"): {"m1", "m2", "m3"},
    ("a.sv", "%M", "quoted"): {"m1", "m2", "m3"},
    ("objc.m", "%M", "junk"): {"A", "m1", "m2", "m3"},
    ("objc.m", "%T", "closed"): {"last"},
}
"""Definitions that are lost all the same, by program, mark and broken statement."""

Row = tuple[int, str, str]


def program_of(path: str) -> str:
    return (PROGRAMS / f"{path}.broken").read_text()


def with_statement(program: str, mark: str, statement: str) -> str:
    """Return the program with the statement at one of its marks, indented as what is there."""
    lines = []
    for line in program.splitlines(keepends=True):
        if line.startswith(mark):
            body = line.removeprefix(mark)
            indent = body[: len(body) - len(body.lstrip())] if mark != "%I" else "        "
            lines += [indent + part for part in statement.splitlines(keepends=True)]
            lines.append(body)
        else:
            lines.append(line[2:] if line[:2] in {"%I", "%M", "%T"} else line)
    return "".join(lines)


def rows(path: str, text: str) -> list[Row]:
    """Return what a text defines: depth, kind and name."""
    outlined = outline_file(path, text.encode())
    return [(item.depth, item.kind, name) for item in outlined for name in item.name.split(", ")]


def test_each_language_with_a_grammar_has_a_program() -> None:
    languages = {language_of(path, program_of(path).encode()) for path in PATHS}

    assert languages == GRAMMARS.keys() - KEYED


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_broken_statement_costs_no_definition_around_it(path: str) -> None:
    """Depth, kind and name stay, wherever the statement stands."""
    program = program_of(path)
    defined = rows(path, with_statement(program, "%I", ""))
    lost = {}
    for mark in ("%I", "%M", "%T"):
        for name, statement in BROKEN.items():
            left = rows(path, with_statement(program, mark, statement))
            if missing := {row[2] for row in defined if row not in left}:
                lost[path, mark, name] = missing

    assert {"m1", "m2", "m3", "last"} <= {row[2].rpartition(".")[2] for row in defined}
    assert lost == {key: names for key, names in LOST.items() if key[0] == path}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.java",
            "class A {\n    void f() {\n        if (a {\n    }\n\n    void g() {\n    }\n}\n",
            [("A", 1, 8), ("f", 2, 4), ("g", 6, 7)],
        ),
        (
            "a.js",
            "function f() {\n  g(;\n  }}\n}\n\nfunction g() {\n}\n",
            [("f", 1, 4), ("g", 6, 7)],
        ),
        (
            "a.py",
            "class A:\n    def f(self):\n        x = (1,\n\n    def g(self):\n        pass\n",
            [("A", 1, 6), ("f", 2, 2), ("g", 5, 6)],
        ),
        (
            "a.vue",
            "<template>\n</template>\n<script>\nfunction f() {\n  if (\n}\n\nfunction g() {}\n"
            "</script>\n",
            [("f", 4, 6), ("g", 8, 8)],
        ),
    ],
)
def test_lines_and_names_are_told_alike_behind_a_broken_statement(
    path: str, text: str, expected: list[tuple[str, int, int]]
) -> None:
    """An outline and a name's places are read from one tree."""
    outlined = outline_file(path, text.encode())
    places = mentions_of(path, text.encode(), [name for name, _, _ in expected])

    assert [(item.name, item.start_line, item.end_line) for item in outlined] == expected
    assert [
        (place.text, place.defined.start_line, place.defined.end_line)
        for place in sorted(places, key=lambda place: place.line)
        if place.defined is not None
    ] == expected


def test_a_name_in_what_is_blank_is_a_usage_still() -> None:
    text = b"class A {\n    void f() {\n        if (used {\n    }\n    void g() {\n    }\n}\n"

    assert [place.kind for place in mentions_of("A.java", text, ["used"])] == ["usage"]


def test_text_without_errors_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recovery is free where there is nothing to recover."""
    monkeypatch.setattr(recovery, "layout", None)

    assert parse_recovered("python", b"def f():\n    pass\n").text == b"def f():\n    pass\n"


def test_what_is_parsed_again_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of broken blocks alone costs a fixed number of times its size."""
    sizes: list[int] = []

    def counted(grammar: str, data: bytes) -> Node:
        sizes.append(max(recovery.LEAST_BYTES, len(data)))
        return parse(grammar, data)

    monkeypatch.setattr(recovery, "parse", counted)
    text = b"".join(b"function f%d( {\n  if (\n}\n\n" % number for number in range(300))
    parse_recovered("javascript", text)

    assert len(sizes) > 2
    assert sum(sizes) <= len(text) + recovery.BASE_BYTES + recovery.TIMES * len(text)


def test_errors_all_over_a_text_are_left_alone() -> None:
    """Each loses only itself; macros would have to be read before a grammar can help."""
    text = b"".join(b"int f%d(int a) { b ) c; }\n" % number for number in range(30))

    assert parse_recovered("c", text).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a {\n  b\n}\nc\n", [(0, 9, [(6, 7)]), (10, 11, [])]),
        (b"@A\n@B\nclass C:\n  d\n", [(0, 18, [(17, 18)])]),
        (b"if a\n  b\nelse\n  c\nend\n", [(0, 21, [(7, 8), (16, 17)])]),
        (b"\ta\n        b\n", [(1, 2, []), (11, 12, [])]),
        (b"", []),
    ],
)
def test_a_block_is_a_line_with_the_deeper_ones_and_what_closes_it(
    text: bytes, expected: list[tuple[int, int, list[tuple[int, int]]]]
) -> None:
    blocks = layout(text)

    assert [
        (block.start, block.end, [(inner.start, inner.end) for inner in block.blocks])
        for block in blocks
    ] == expected
