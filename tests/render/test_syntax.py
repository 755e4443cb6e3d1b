"""Colours: code, matches and links."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.config.endings import CODE
from ggrep.render import page
from ggrep.render.page import painted
from ggrep.render.style import Style

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def roles(text: str, path: str) -> list[tuple[str, str]]:
    """Return what is painted, with its role."""
    lines = text.split("\n")
    results = []

    class Noting(Style):
        def paint(self, role: str, text: str) -> str:
            results.append((role, text))
            return text

    assert list(painted(lines, path, Noting(colour=True), [()] * len(lines))) == lines
    return results


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "return x  # why", [("keyword", "return"), ("comment", "# why")]),
        ("a.py", 's = \'it#s\' + "a\\"b"', [("string", "'it#s'"), ("string", '"a\\"b"')]),
        ("a.py", '"""One\ntwo"""', [("string", '"""One'), ("string", 'two"""')]),
        ("a.py", "returned = selfish", []),
        ("a.go", "x := `a\nb` // c", [("string", "`a"), ("string", "b`"), ("comment", "// c")]),
        ("a.c", "/* a\nb */ if", [("comment", "/* a"), ("comment", "b */"), ("keyword", "if")]),
        ("a.rs", "fn f<'a>(c: char) 'x'", [("keyword", "fn"), ("string", "'x'")]),
        ("a.js", 'get("http://x") // y', [("string", '"http://x"'), ("comment", "// y")]),
        ("a.sh", 'echo $# "${a#b}"', [("string", '"${a#b}"')]),
        ("a.sql", "where 1 -- all", [("keyword", "where"), ("comment", "-- all")]),
        ("a.clj", "(let x) ; bind", [("keyword", "let"), ("comment", "; bind")]),
        ("a.yaml", "if: true # always", [("keyword", "true"), ("comment", "# always")]),
        ("a.md", "return if # Title", []),
        ("a.unknown", "return", []),
    ],
)
def test_what_is_told_apart(path: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert roles(text, path) == expected


def test_what_was_asked_for_stands_out_inside_of_a_comment() -> None:
    style = Style(colour=True)
    (line,) = painted(["# the retry"], "a.py", style, [[(6, 11)]])

    assert line == style.paint("comment", "# the ") + style.paint("match", "retry")


@given(
    st.lists(st.text(alphabet="ab \t\"'`#/*-;%\\_1$<>", max_size=30), min_size=1, max_size=6),
    st.sampled_from([f"a.{each.split()[0]}" for each in CODE.values() if each]),
)
def test_no_character_is_lost(lines: list[str], path: str) -> None:
    """Whatever is in the text: without escapes it is what was handed in."""
    spans = [[(0, len(line) // 2)] for line in lines]
    shown = list(painted(lines, path, Style(colour=True), spans))

    assert [ESCAPES.sub("", line) for line in shown] == lines
    assert list(painted(lines, path, Style(colour=False), spans)) == lines


PATTERNS = {found.pattern: found for found in map(page._pattern, sorted(CODE)) if found}


@pytest.mark.parametrize("mark", ['"', "'", "`", "/*", "*/", '"""', "#", "\\", "\\'", "a#", "'\\"])
def test_a_hostile_text_takes_no_longer_than_another(mark: str) -> None:
    """A stranger's file must not hold up a daemon: beyond linear, this would not end."""
    for pattern in PATTERNS.values():
        for text in (mark * 20_000, f"{mark} " * 20_000, f"{mark}\n" * 20_000):
            assert sum(1 for _ in pattern.finditer(text)) <= len(text)


def test_plain_and_coloured_text_hold_the_same_words() -> None:
    assert Style(colour=False).paint("path", "a.py") == "a.py"
    assert Style(colour=True).paint("path", "a.py") == "\x1b[1;36ma.py\x1b[0m"
    assert Style(colour=True).paint("path", "") == ""


def test_a_place_is_a_link_where_the_terminal_shows_links() -> None:
    """Absolute, escaped, and of the line; nothing in a path can end the link."""
    style = Style(colour=True, links="editor://file{path}:{line}", cwd="/w/a b")
    linked = style.link("x", "../c\x1b\\#.py", 7)

    assert linked == "\x1b]8;;editor://file/w/c%1B%5C%23.py:7\x1b\\x\x1b]8;;\x1b\\"
    assert Style(colour=False, links="file://{path}", cwd="/w").link("x", "a.py", 1) == "x"
    assert Style(colour=True, links="", cwd="/w").link("x", "a.py", 1) == "x"
    assert Style(colour=True, links="file://{path}").link("x", "a.py", 1) == "x"
