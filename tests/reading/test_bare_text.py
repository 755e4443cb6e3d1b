"""Comments and literals are found where plain alternatives find them, whatever the text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.search.reading.bare_text import BareText, bare_text

TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)' "|" r"'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
DOUBLE = r'"(?:[^"\\\n]|\\.)*+"|"[^"\\\n]*+\\.(?:[^"\\\n]|\\.)*+'
SINGLE = r"'(?:[^'\\\n]|\\.)*+'|'[^'\\\n]*+\\.(?:[^'\\\n]|\\.)*+"
CHARACTER = r"'(?:[^'\\\n]|\\.[\w{}]{0,9})'"
BACKTICK = r"`(?:[^`\\]|\\.)*+`|`[^`\\]*+\\.(?:[^`\\]|\\.)*+"
BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
HASH = r"(?<!\S)\#[^\n]*"
PLAIN = {
    "python": (f"{TRIPLE}|{DOUBLE}|{SINGLE}", HASH),
    "c": (f"{TRIPLE}|{DOUBLE}|{CHARACTER}", rf"{BLOCK}|(?<!:)//[^\n]*"),
    "go": (f"{TRIPLE}|{DOUBLE}|{CHARACTER}|{BACKTICK}", rf"{BLOCK}|(?<!:)//[^\n]*"),
    "php": (f"{TRIPLE}|{DOUBLE}|{SINGLE}", rf"{BLOCK}|//[^\n]*|{HASH}"),
    "sql": (f"{TRIPLE}|{DOUBLE}|{SINGLE}", rf"{BLOCK}|--[^\n]*"),
    "ini": (f"{TRIPLE}|{DOUBLE}|{SINGLE}", r"(?<![^\s;])\#[^\n]*|^[ \t]*;[^\n]*"),
}
PIECES = st.sampled_from(["'", '"', '"""', "'''", "`", "\\", "/", "/*", "*/", "#", "--", ";", ":"])
TEXTS = st.lists(PIECES | st.sampled_from(["\n", " ", "a", "b1", "é", "\t"]), max_size=24)


def plainly(text: str, language: str) -> BareText:
    """Return the parts of a text by one pattern of plain alternatives."""
    literal, comment = PLAIN[language]
    uncommented, left, end = "", "", 0
    for item in re.finditer(f"(?P<literal>{literal})|{comment}", text, re.DOTALL):
        between, end = text[end : item.start()], item.end()
        output = item["literal"]
        uncommented += between + (" " if output is None else '""' if "\n" in output else output)
        is_comment = output is None or (language == "python" and stands_alone(text, item))
        left += between + (re.sub(r"[^\n]", "", item[0]) if is_comment else item[0])
    lines = enumerate(zip(text.split("\n"), (left + text[end:]).split("\n"), strict=True))
    hidden = frozenset(at for at, (line, rest) in lines if line.strip() and not rest.strip())
    return BareText(uncommented + text[end:], hidden)


HEAD = r".*:([ \t]*#.*)?"
ASSIGNMENT = r"[ \t]*[\w.]+[ \t]*(:|=(?!=)).*[^(\[{,\\]"


def stands_alone(text: str, found: re.Match[str]) -> bool:
    """Return whether a literal is a docstring: of three quotes, alone, behind a head or a value."""
    beside = text[: found.start()].rpartition("\n")[2] + text[found.end() :].partition("\n")[0]
    if not found[0].startswith(('"""', "'''")) or beside.strip():
        return False
    above = text[: found.start()].rpartition("\n")[0].rstrip().rpartition("\n")[2]
    return not above or re.fullmatch(f"{HEAD}|{ASSIGNMENT}", above) is not None


@pytest.mark.parametrize("language", PLAIN)
def test_an_escape_at_the_end_and_an_open_string_reach_as_far_as_they_should(language: str) -> None:
    """Where each begins and ends is what the rest of the text hangs on."""
    for text in ('a = "x\\', "'''open", "x #y", "#z\n`q`", 'f("a\\"b") // "c"', "/* *", ";x\n;y"):
        assert bare_text(text, language) == plainly(text, language)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [60, pytest.param(5_000, marks=pytest.mark.deep)])
def test_text_is_taken_apart_as_plain_alternatives_do(examples: int) -> None:
    """The pattern in use looks for first characters, which is faster and must be no other."""

    @settings(max_examples=examples, deadline=None)
    @given(pieces=TEXTS, language=st.sampled_from(sorted(PLAIN)))
    def is_alike(pieces: list[str], language: str) -> None:
        text = "".join(pieces)
        assert bare_text(text, language) == plainly(text, language)

    is_alike()


@pytest.mark.parametrize(
    ("language", "literal"),
    [
        ("cpp", 'R"(\n  // a "\n)"'),
        ("cpp", 'R"sql(\n  // )" a\n)sql"'),
        ("rust", 'r"\n  // a \\"'),
        ("rust", 'r#"\n  // "a"\n"#'),
        ("rust", 'r##"\n  // "#\n"##'),
    ],
)
def test_a_raw_literal_contains_no_comment(language: str, literal: str) -> None:
    assert not bare_text(f"let a = {literal};\nf();", language).comment_lines
    assert bare_text(f"let a = {literal};\n// b", language).comment_lines == {
        literal.count("\n") + 1
    }


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", ['"\\', "'\\", "`\\", '"\\"\n', 'R"(', '\n"""a"""\n'])
@pytest.mark.parametrize("language", ["python", "cpp", "javascript"])
def test_marks_that_nothing_closes_are_read_once(unit: str, language: str) -> None:
    """A large text would otherwise take an hour; the runner's limit of time ends it."""
    bare_text(unit * (250_000 // len(unit)), language)


LANGUAGES = {
    "python": ("# why\n", "x = 1  # beside code\n", "s = '# no comment'\n"),
    "go": ("// why\n", "x := 1 // beside code\n", 's := "// no comment"\n'),
    "c": ("/* why\n * and how */\n", "int x; /* beside code */\n", 'char *s = "/* no comment";\n'),
    "sql": ("-- why\n", "select 1 -- beside code\n", "select '-- no comment'\n"),
    "php": ("# why\n// and how\n", "$x = 1; // beside code\n", "$s = '# no comment';\n"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_comments_are_told_from_code_beside_comments_and_in_strings(
    language: str,
) -> None:
    """A line of code that is taken for a comment would be missing from an answer."""
    comment, *code = LANGUAGES[language]
    text = comment + "".join(code)

    assert bare_text(text, language).comment_lines == frozenset(range(comment.count("\n")))


@pytest.mark.parametrize("line", ["#include <a.h>", "#[derive(Debug)]", "#define A 1"])
def test_what_only_begins_as_a_comment_is_code(line: str) -> None:
    """Directives decide what is compiled."""
    assert not bare_text(f"{line}\nint x;", "rust" if "derive" in line else "c").comment_lines


def test_a_docstring_is_a_comment_and_a_string_of_several_lines_is_none() -> None:
    """One speaks to readers, the other to the program."""
    text = (
        'def f():\n    """Says.\n\n    More.\n    """\n    q = """\n    select\n    """\n    run(q)'
    )

    assert bare_text(text, "python").comment_lines == {1, 3, 4}


def test_a_string_among_arguments_is_no_comment() -> None:
    """It stands alone on its lines as a docstring does."""
    text = 'run(\n    """\n    select\n    """\n)\nlimit = 3\n"""Says."""'

    assert bare_text(text, "python").comment_lines == {6}
