"""Where the comments of a piece of source lie, by a few rules for each family of languages."""

import re
from types import MappingProxyType
from typing import Final

from msgspec import Struct

_DOUBLE: Final = r"\"(?:\\.|[^\"\\\n])*\""
_SINGLE: Final = r"'(?:\\.|[^'\\\n])*'"
_CHARACTER: Final = r"'(?:\\[^'\n]{1,10}|[^'\\\n])'"
_BACKTICK: Final = r"`(?:\\.|[^`\\])*`"
_TRIPLE: Final = r"\"\"\".*?\"\"\"|'''.*?'''"
_SLASHES: Final = r"(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)"
_HASH: Final = r"(?:(?<=\s)|(?<![\s\S]))(?P<line>\#(?![{!])[^\n]*)"

_FAMILIES: Final = MappingProxyType(
    {
        "slashes": f"{_SLASHES}|{_DOUBLE}|{_CHARACTER}",
        "triple slashes": f"{_SLASHES}|{_TRIPLE}|{_DOUBLE}|{_CHARACTER}",
        "script": f"{_SLASHES}|{_DOUBLE}|{_SINGLE}|{_BACKTICK}",
        "php": rf"(?P<line>(?://|\#(?!\[))[^\n]*)|(?P<block>/\*.*?\*/)|{_DOUBLE}|{_SINGLE}",
        "hash": f"{_HASH}|{_TRIPLE}|{_DOUBLE}|{_SINGLE}",
        "python": rf"{_HASH}|(?<=:)[ \t]*\n[ \t]*(?P<block>[rR]?(?:{_TRIPLE}))|{_TRIPLE}|{_DOUBLE}"
        f"|{_SINGLE}",
        "shell": rf"{_HASH}|\"(?:\\.|[^\"\\])*\"|'[^']*'",
        "haskell": r"(?P<line>--+(?![!#$%&*+./<=>?@^|~\\:])[^\n]*)|(?P<block>\{-(?!\#).*?-\})|"
        + _DOUBLE,
        "lua": rf"(?P<block>--\[(?P<eq>=*)\[.*?\](?P=eq)\])|(?P<line>--[^\n]*)|{_DOUBLE}|{_SINGLE}",
        "sql": rf"(?P<line>--[^\n]*)|(?P<block>/\*.*?\*/)|{_SINGLE}",
        "semicolons": f"(?P<line>;[^\n]*)|{_DOUBLE}",
        "percent": f"(?P<line>%[^\n]*)|{_DOUBLE}|{_SINGLE}",
        "ml": rf"(?P<block>\(\*.*?\*\))|{_DOUBLE}|{_CHARACTER}",
    }
)
_LANGUAGES: Final = {
    "slashes": "c cpp go rust zig proto solidity objc d glsl fsharp odin verilog less scss",
    "triple slashes": "java kotlin scala swift csharp groovy dart",
    "script": "javascript typescript tsx vue svelte",
    "php": "php",
    "python": "python",
    "hash": "ruby elixir r perl make cmake julia nim crystal coffeescript starlark graphql"
    " powershell mojo gdscript awk just nix tcl",
    "shell": "bash fish",
    "haskell": "haskell elm ada vhdl",
    "lua": "lua",
    "sql": "sql",
    "semicolons": "clojure lisp scheme racket fennel assembly",
    "percent": "erlang matlab prolog",
    "ml": "ocaml",
}
_PATTERNS: Final = MappingProxyType(
    {
        language: re.compile(_FAMILIES[family], re.DOTALL)
        for family, languages in _LANGUAGES.items()
        for language in languages.split()
    }
)


class Comment(Struct, frozen=True):
    """A comment, or several whole lines of them in a row.

    Attributes:
        start: offset in the text, in characters; `end` is exclusive.
        raw: the text between, its marks still on.
        whole_lines: nothing else stands on its lines.
    """

    start: int
    end: int
    raw: str
    whole_lines: bool


def comments_in(text: str, language: str) -> list[Comment]:
    """Return the comments in order; none for a language whose marks are not known."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return []
    found: list[Comment] = []
    for match in pattern.finditer(text):
        if match.lastgroup is None:
            continue
        name = "line" if match["line"] is not None else "block"
        one = _comment(text, match.start(name), match.end(name))
        before = found[-1] if found else None
        if before is not None and name == "line" and _continues(text, before, one):
            found[-1] = Comment(before.start, one.end, text[before.start : one.end], True)  # noqa: FBT003 - as named
        else:
            found.append(one)
    return found


def holds_code(comment: Comment) -> bool:
    """Return whether it is made of statements more than of sentences."""
    lines = [line.strip().rstrip("*/ ") for line in comment.raw.split("\n")]
    lines = [line for line in lines if line]
    return 2 * sum(line.endswith((";", "{", "}", "(", "=>")) for line in lines) >= len(lines) > 0


def code_start(text: str, comments: list[Comment]) -> int:
    """Return the offset of the first character that is neither blank nor comment."""
    at = 0
    for comment in comments:
        if text[at : comment.start].strip():
            break
        at = comment.end
    return at + len(text[at:]) - len(text[at:].lstrip())


def _comment(text: str, start: int, end: int) -> Comment:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    behind = text[end : text.find("\n", end) if "\n" in text[end:] else len(text)]
    return Comment(start, end, text[start:end], not before.strip() and not behind.strip())


def _continues(text: str, before: Comment, one: Comment) -> bool:
    """Return whether a line comment goes on where another ended, on the next line."""
    if not (before.whole_lines and one.whole_lines):
        return False
    between = text[before.end : one.start]
    return between.count("\n") == 1 and before.raw[:2] == one.raw[:2]
