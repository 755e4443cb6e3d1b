"""Recognises tests inside of source files, by patterns for each language.

The lines of the tests depend only on the text of the file, so searches for chunks, searches for
names and `expand` use the same lines. A test begins at the decorators and comments in front of it
and ends with its block: at the closing brace, or in Python with the last line that is indented
deeper.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from msgspec import Struct

LineRange: TypeAlias = tuple[int, int]
"""First and last line, 1-based."""


class _Form(Struct, frozen=True):
    """One way in which tests are written in a language.

    Attributes:
        head: pattern of the line with which a test begins.
        body: pattern that must match within the lines of a test; None for any lines.
        words: each file with such tests contains at least one of these texts.
        whole: whether a line that matches `head` makes the whole file a test.
    """

    head: re.Pattern[str]
    words: tuple[str, ...]
    body: re.Pattern[str] | None = None
    whole: bool = False


def _form(head: str, words: str, body: str = "", *, whole: bool = False) -> _Form:
    pattern = re.compile(body, re.MULTILINE) if body else None
    return _Form(re.compile(head, re.MULTILINE), tuple(words.split()), pattern, whole)


_RUST: Final = (
    _form(r"^#!\[cfg\((?:all\()?test\b", "cfg", whole=True),
    _form(
        r"^[ \t]*#\[(?:cfg\((?:all\()?test\b"
        r"|(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b[\](])",
        "test quickcheck",
    ),
)
_PYTHON: Final = (
    _form(r"^(?:async[ \t]+)?def[ \t]+(?:test_\w+|load_tests)[ \t]*\(", "test_ load_tests"),
    _form(r"^[ \t]*class[ \t]+\w+[ \t]*\([^)\n]*TestCase\b", "TestCase"),
    _form(
        r"^[ \t]*class[ \t]+(?:Test(?:[A-Z_0-9]\w*)?|\w+Tests?)\b",
        "Test",
        r"^[ \t]+(?:async[ \t]+)?def[ \t]+test\w*\(",
    ),
    _form(
        r"^if[ \t]+(?:__name__[ \t]*==|[\"']__main__[\"'][ \t]*==)",
        "__main__",
        r"\b(?:unittest|doctest|pytest)\b|\b_?(?:run_)?(?:self_?)?tests?(?:_\w+)?\(|_tests?\(",
    ),
    _form(
        r"^(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(",
        "doctest",
        r"\bdoctest\.(?:testmod|testfile|run_docstring_examples|DocTest\w+)\b",
    ),
)
_GO: Final = (_form(r"^func\b[^{\n]*\btesting\.(?:[TBFM]|TB|PB)\b", "testing."),)
_SCRIPT: Final = (
    _form(
        r"^[ \t]*(?:describe|it|test)(?:\.\w+)*(?:\([^\n]*\)|`[^`\n]*`)?\([ \t]*[\"'`]",
        "describe it( it. it` test( test. test`",
    ),
    _form(r"^[ \t]*if[ \t]*\([ \t]*import\.meta\.vitest\b", "vitest"),
)
_SCRIPTS: Final = ("javascript", "typescript", "tsx", "svelte", "vue")
_FORMS: Final[Mapping[str, tuple[_Form, ...]]] = {
    "rust": _RUST,
    "python": _PYTHON,
    "go": _GO,
    **dict.fromkeys(_SCRIPTS, _SCRIPT),
}

TEST_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "rust": ("test", "rstest", "quickcheck"),
    "python": ("test", "unittest", "doctest", "pytest"),
    "go": ("testing",),
    **dict.fromkeys(_SCRIPTS, ("describe", "test", "vitest")),
}
"""Indexed words by language; each file with inner tests contains at least one of them."""


@lru_cache(1 << 6)
def inner_tests(text: str, language: str) -> tuple[LineRange, ...]:
    """Return the line ranges of the tests in the text of a source file, disjoint and ascending."""
    heads = sorted(
        chain.from_iterable(
            ((match.start(), form) for match in form.head.finditer(text))
            for form in _FORMS.get(language, ())
            if any(map(text.__contains__, form.words))
        ),
        key=lambda head: head[0],
    )
    return tuple(_ranges(text, language, heads)) if heads else ()


def is_inside(ranges: Sequence[LineRange], first: int, last: int) -> bool:
    """Return whether all lines from `first` to `last` are in one range."""
    return any(low <= first and last <= high for low, high in ranges)


def _ranges(text: str, language: str, heads: Sequence[tuple[int, _Form]]) -> Iterator[LineRange]:
    lines = text.split("\n")
    reached, line, offset = 0, 0, 0
    for start, form in heads:
        line, offset = line + text.count("\n", offset, start), start
        if line < reached:
            continue
        if form.whole:
            yield 1, len(lines)
            return
        end = _end(lines, line, language)
        if form.body is None or form.body.search("\n".join(lines[line:end])):
            yield max(_start(lines, line), reached) + 1, end
            reached = end


def _end(lines: Sequence[str], line: int, language: str) -> int:
    if language == "python":
        return _end_by_depth(lines, line)
    return _end_by_brackets(lines, line, language)


_LEADING: Final = ("#[", "//", "@", "#", "*", "/*")


def _start(lines: Sequence[str], line: int) -> int:
    """Return the index of the first line of the comments and decorators in front of a line."""
    width = _width(lines[line])
    while line and lines[line - 1].strip().startswith(_LEADING):
        if _width(lines[line - 1]) < width:
            break
        line -= 1
    return line


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


_LITERALS: Final = r'"(?:[^"\\\n]|\\.)*"|//.*|`[^`\n]*`'
_BRACKETS: Final = re.compile(_LITERALS + r"|'(?:[^'\\\n]|\\.[^'\n]{0,8})'|([{}])")
_SCRIPT_BRACKETS: Final = re.compile(_LITERALS + r"|'(?:[^'\\\n]|\\.)*'|([{}()])")
"""Matches literals and comments of one line, and captures brackets outside of them."""
_ATTRIBUTES: Final = re.compile(
    r"(?:\s*(?:#!?\[(?:\"(?:[^\"\\]|\\.)*\"|[^\[\]\"]|\[[^\[\]]*\])*\]|//[^\n]*))*\s*"
)
_ITEM: Final = re.compile(
    r"(?:pub(?:\([^)]*\))?\s+)?(?:async|const|enum|extern|fn|for|if|impl|let|loop|macro_rules|match"
    r"|mod|static|struct|trait|type|union|unsafe|use|while)\b"
)
"""Begins a Rust item, which ends with a block or a semicolon; a field ends with a comma."""
_MOST_HEAD: Final = 50
"""Maximum number of lines of attributes, or of a head without a block, that are read."""
_MOST_BEHIND: Final = 100
"""Maximum number of lines that are read after the possible end of a block."""


def _end_by_brackets(lines: Sequence[str], line: int, language: str) -> int:
    """Return the end of the block whose head begins at `line`, or of a statement without a block.

    A literal of several lines can contain unpaired brackets. Therefore the block ends at the latest
    at the first line with a closing brace that is not indented deeper than the head.
    """
    width, depth, opened, closing = _width(lines[line]), 0, False, 0
    pattern = _BRACKETS if language in {"go", "rust"} else _SCRIPT_BRACKETS
    window = "\n".join(lines[line : line + _MOST_HEAD])
    code = _ATTRIBUTES.sub("", window, count=1)
    skipped = window[: len(window) - len(code)]
    ends = (";", ",") if language == "rust" and not _ITEM.match(code) else ";"
    begin = line + skipped.count("\n")
    for at in range(begin, len(lines)):
        text = lines[at] if at > begin else lines[at][len(skipped) - skipped.rfind("\n") - 1 :]
        marks = [match[1] for match in pattern.finditer(text) if match[1]]
        if not opened and marks[:1] == ["}"]:
            return at
        closes = sum(mark in "})" for mark in marks)
        depth += len(marks) - 2 * closes
        opened |= bool(marks)
        if opened and not closing and _width(lines[at]) <= width and text.strip()[:1] == "}":
            closing = at + 1
        is_statement = not opened and text.rstrip().endswith(ends)
        if (opened and depth <= 0) or is_statement or (not opened and at - begin > _MOST_HEAD):
            return at + 1
        if closing and at - closing > _MOST_BEHIND:
            break
    return closing or len(lines)


_TRIPLE: Final = re.compile(r"\"\"\"|'''")


def _end_by_depth(lines: Sequence[str], line: int) -> int:
    """Return the end of the lines indented deeper than the head, without blank lines at the end."""
    width, end, quotes = _width(lines[line]), line + 1, ""
    for at in range(line, len(lines)):
        text, inside = lines[at].strip(), quotes
        for mark in _TRIPLE.findall(text):
            quotes = "" if quotes == mark else quotes or mark
        if at == line or not text:
            continue
        if inside or _width(lines[at]) > width or text[0] in ")]}":
            end = at + 1
        elif not text.startswith("#"):
            break
    return end
