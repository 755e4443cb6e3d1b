"""Scans JSON with comments into tokens, each at least one character long.

What is no JSONC is refused with its line and column. Reading and editing both find their places
here, so neither can see a key that the other takes for a comment.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ggrep.base import stable_json

MAX_DEPTH: Final = 64
"""Deepest nesting of arrays and objects that is parsed."""

TRIVIA: Final = frozenset({"space", "line", "block"})

_TOKEN = re.compile(
    r"""
      (?P<space> \A\ufeff | [ \t\r\n]+ )
    | (?P<line> //[^\r\n]*+ )
    | (?P<block> /\*.*?\*/ )
    | (?P<string> "(?: [^"\\\x00-\x1f]++ | \\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}) )*+" )
    | (?P<number> -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)? )
    | (?P<word> (?:true|false|null)\b )
    | (?P<mark> [{}\[\]:,] )
    """,
    re.VERBOSE | re.DOTALL,
)
_LINE_END = re.compile(r"\r\n?|\n")
_BAD_START = {
    '"': "a string that does not end or holds a bad escape",
    "'": "strings are written in double quotes",
    "/": "a comment that does not end",
}


class JsoncError(ValueError):
    """The text is not JSONC.

    Attributes:
        reason: a short stable word such as `syntax`, `too-deep` or `duplicate-key`.
    """

    def __init__(self, message: str, reason: str = "syntax") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text.

    Attributes:
        kind: `space`, `line` and `block` (comments), `string`, `number`, `word` or `mark`.
        start: offset in the text; `end` is exclusive.
        depth: arrays and objects around it; an opening mark and its closing one have the same.
    """

    kind: str
    start: int
    end: int
    depth: int


def scan(text: str) -> Iterator[Token]:
    """Yield the tokens of `text` in order, blanks and comments included.

    Raises:
        JsoncError: a piece is no JSONC token, or nesting exceeds `MAX_DEPTH`.
    """
    position = depth = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None or found.lastgroup is None:
            raise _bad_token(text, position)
        kind, piece = found.lastgroup, found.group()
        if kind == "string":
            _check_string(text, position, piece)
        depth -= piece in "}]" and kind == "mark"
        yield Token(kind, position, found.end(), depth)
        depth += piece in "{[" and kind == "mark"
        if depth > MAX_DEPTH:
            raise JsoncError(
                f"{place(text, position)}: nested more than {MAX_DEPTH} levels deep", "too-deep"
            )
        position = found.end()


def place(text: str, offset: int) -> str:
    """Return `line L, column C` of an offset, both 1-based."""
    # A carriage return ends a line too, and with a line feed behind it just one.
    lines = _LINE_END.split(text[:offset])
    return f"line {len(lines)}, column {len(lines[-1]) + 1}"


def _bad_token(text: str, position: int) -> JsoncError:
    char = text[position]
    return JsoncError(f"{place(text, position)}: {_BAD_START.get(char, f'unexpected {char!a}')}")


def _check_string(text: str, position: int, piece: str) -> None:
    """Refuse a string that no JSON we write could hold.

    Raises:
        JsoncError: an escape spells half of a surrogate pair.
    """
    if "\\u" not in piece:
        return
    try:
        stable_json.loads(piece)
    except ValueError as error:
        raise JsoncError(
            f"{place(text, position)}: the string holds half of a surrogate pair", "surrogate"
        ) from error
