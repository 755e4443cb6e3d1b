"""Separates source text from its comments and multi-line strings."""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

_Rest: TypeAlias = tuple[str, str]
"""The first character of a literal or comment, and a pattern of the rest.

A search for a pattern that begins with a set of characters is three times as fast as for one that
begins with alternatives. Therefore a set matches the first character, and each alternative looks
back at it. An unclosed literal with an escape ends at the end of its line, because a search for its
end from each later quote would be slow.
"""

_TRIPLE: Final[tuple[_Rest, ...]] = (
    ('"', r'""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"""|\Z)'),
    ("'", r"''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+(?:'''|\Z)"),
)
_DOUBLE: Final[_Rest] = ('"', r'[^"\\\n]*+(?:"|(?:\\.[^"\\\n]*+)++(?:"|(?=\n|\\?\Z)))')
_SINGLE: Final[_Rest] = ("'", r"[^'\\\n]*+(?:'|(?:\\.[^'\\\n]*+)++(?:'|(?=\n|\\?\Z)))")
_CHARACTER: Final[_Rest] = ("'", r"(?:[^'\\\n]|\\.[\w{}]{0,9})'")
_BACKTICK: Final[_Rest] = ("`", r"[^`\\]*+(?:`|(?:\\.[^`\\]*+)++(?:`|(?=\\?\Z)))")
_RAW: Final[Mapping[str, tuple[_Rest, ...]]] = {
    "cpp": (('"', r'(?<=R")(?P<raw>[^\s()\\"]{0,16})\((?:.*?\)(?P=raw)"|.*)'),),
    "rust": (
        ('"', r'(?<=r##")(?:.*?"##|.*)'),
        ('"', r'(?<=r#")(?:.*?"#|.*)'),
        ('"', r'(?<=r")[^"]*+(?:"|\Z)'),
    ),
}
"""Literals in which a backslash is an ordinary character."""
_BLOCK: Final[_Rest] = ("/", r"\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
_SLASHES: Final[_Rest] = ("/", r"/[^\n]*")
_SLASHES_OF_NO_URL: Final[_Rest] = ("/", r"(?<!:/)/[^\n]*")
_HASH: Final[_Rest] = ("#", r"(?<!\S\#)[^\n]*")
_TWO_DASHES: Final[_Rest] = ("-", r"-[^\n]*")
_SECTIONED: Final = r"(?<![^\s;])\#[^\n]*|^[ \t]*;[^\n]*"
"""Comments of files in which `;` also begins a comment."""

_HASHES_WORDS: Final = (
    "python ruby bash yaml toml ini elixir perl r make dockerfile nix julia starlark mojo"
    " just powershell crystal coffeescript fish awk tcl cmake gdscript desktop text lock"
)
_HASHES: Final = frozenset(_HASHES_WORDS.split())
_DASHES: Final = frozenset({"sql", "lua", "haskell", "elm", "ada", "vhdl"})
_CHARACTERS_WORDS: Final = (
    "c cpp rust java go csharp kotlin swift zig scala d objc fsharp odin glsl verilog"
)
_CHARACTERS: Final = frozenset(_CHARACTERS_WORDS.split())
_BACKTICKS: Final = frozenset({"javascript", "typescript", "tsx", "go", "vue", "svelte"})
_BOTH: Final = frozenset({"php", "hcl"})


class BareText(Struct, frozen=True):
    """The parts of a text.

    Attributes:
        uncommented: the text without comments and multi-line strings.
        comment_lines: indices of the lines with only comments and blanks. A Python docstring, which
            is a triple-quoted string alone on its lines, counts as a comment.
    """

    uncommented: str
    comment_lines: frozenset[int] = frozenset()


@lru_cache(1 << 11)
def bare_text(text: str, language: str) -> BareText:
    """Return the parts of `text`; an unclosed comment continues to the end."""
    uncommented: list[str] = []
    without: list[str] = []
    touched: set[int] = set()
    end = began = line = 0
    for match in _pattern(language).finditer(text):
        start, (between, end) = match.start(), (text[end : match.start()], match.end())
        is_comment = match.lastgroup is None
        if is_comment or (language == "python" and _is_docstring(text, match)):
            breaks = text.count("\n", start, end)
            without += (text[began:start], "\n" * breaks)
            line += text.count("\n", began, start)
            touched.update(range(line, line + breaks + 1))
            began, line = end, line + breaks
        shown = " " if is_comment else '""' if "\n" in match[0] else match[0]
        uncommented += (between, shown)
    rest = text[end:]
    lines, left = text.split("\n"), "".join((*without, text[began:])).split("\n")
    return BareText(
        "".join((*uncommented, rest)),
        frozenset(i for i in touched if not left[i].strip() and lines[i].strip()),
    )


@cache
def _pattern(language: str) -> re.Pattern[str]:
    literals = [
        *_RAW.get(language, ()),
        *_TRIPLE,
        _DOUBLE,
        _CHARACTER if language in _CHARACTERS else _SINGLE,
    ]
    if language in _BACKTICKS:
        literals.append(_BACKTICK)
    comments = _comments(language)
    marks = "".join({mark for mark, _ in (*literals, *comments)})
    behind = f"[{re.escape(marks)}](?:(?P<literal>{_any(literals)})|{_any(comments) or _NOTHING})"
    pattern = behind if comments else f"{behind}|{_SECTIONED}"
    return re.compile(pattern, re.DOTALL)


_NOTHING: Final = r"(?!)"


def _any(rests: Iterable[_Rest]) -> str:
    return "|".join(f"(?<={re.escape(mark)}){rest}" for mark, rest in rests)


def _comments(language: str) -> tuple[_Rest, ...]:
    """Return the patterns of comments in a language; none if they differ within a file."""
    if language in _BOTH:
        return (_BLOCK, _SLASHES, _HASH)
    if language in _HASHES:
        return () if language == "ini" else (_HASH,)
    if language in _DASHES:
        return (_BLOCK, _TWO_DASHES)
    return (_BLOCK, _SLASHES_OF_NO_URL)


def _is_docstring(text: str, match: re.Match[str]) -> bool:
    if not text.startswith(('"""', "'''"), match.start()):
        return False
    begins = text.rfind("\n", 0, match.start()) + 1
    if text[begins : match.start()].strip() or not _BLANK_REST.match(text, match.end()):
        return False
    while begins and text[begins - 1].isspace():
        begins -= 1
    return (
        not begins or _DOCUMENTED.match(text, text.rfind("\n", 0, begins) + 1, begins) is not None
    )


_BLANK_REST: Final = re.compile(r"[^\S\n]*(?:\n|\Z)")


_DOCUMENTED: Final = re.compile(r".*:(?:[ \t]*#.*)?$|[ \t]*[\w.]+[ \t]*(?::|=(?!=)).*[^(\[{,\\]$")
"""The line before a docstring: the end of a head, or an assignment; other strings are values."""
