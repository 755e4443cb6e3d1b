"""Reads JSON with comments: scans the text into tokens, then runs a plain JSON parser.

Invalid JSONC is rejected with its line and column. Reading and editing use the same tokens, so that
both see the same keys and comments. For the parser, comments and trailing commas become spaces of
the same length, so that offsets in the plain text and in the original text are equal. Scanning
takes one step for each token and never goes back.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.stable_json import Json

MAX_DEPTH: Final = 64
"""Maximum nesting of arrays and objects."""

_CHECK_EVERY: Final = 4096

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
    '"': "the string is not closed or has an invalid escape",
    "'": "strings must be in double quotes",
    "/": "the comment is not closed",
}


class JsoncError(ValueError):
    """The text is not JSONC.

    Attributes:
        reason: a short stable word such as `syntax`, `too-deep` or `duplicate-key`.
    """

    def __init__(self, message: str, reason: str = "syntax") -> None:
        super().__init__(message)
        self.reason = reason


class Token(Struct, frozen=True):
    """A piece of the text.

    Attributes:
        kind: `space`, `line` and `block` (comments), `string`, `number`, `word` or `mark`.
        start: offset in the text; `end` is exclusive.
        depth: number of enclosing arrays and objects; an opening bracket and its closing bracket
            have the same depth.
    """

    kind: str
    start: int
    end: int
    depth: int


def scan(text: str) -> Iterator[Token]:
    """Yield the tokens of `text` in order, including blanks and comments.

    Raises:
        JsoncError: part of the text is not a JSONC token, or nesting exceeds `MAX_DEPTH`.
    """
    position = depth = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            problem = _BAD_START.get(text[position], f"unexpected {text[position]!a}")
            raise JsoncError(f"{place(text, position)}: {problem}")
        kind, piece = match.lastgroup, match.group()
        if kind == "string":
            _check_string(text, position, piece)
        depth -= piece in "}]" and kind == "mark"
        yield Token(kind, position, match.end(), depth)
        depth += piece in "{[" and kind == "mark"
        if depth > MAX_DEPTH:
            raise JsoncError(
                f"{place(text, position)}: nested more than {MAX_DEPTH} levels", "too-deep"
            )
        position = match.end()


def read_jsonc(text: str, deadline: Deadline) -> Json:
    """Return the value of a JSONC text.

    Raises:
        JsoncError: the text is empty, not JSONC or nested too deep, or an object repeats a key.
        DeadlineExceeded: there was no time to finish.
    """
    tokens = []
    for number, token in enumerate(scan(text)):
        if number % _CHECK_EVERY == 0:
            deadline.check("scanning")
        tokens.append(token)
    solid = [token for token in tokens if token.kind not in TRIVIA]
    if not solid:
        raise JsoncError("there is no JSON value", "empty")
    deadline.check("parsing")
    value = _parsed(_blanked(text, tokens, solid), text)
    _refuse_duplicates(text, solid)
    return value


def _blanked(text: str, tokens: list[Token], solid: list[Token]) -> str:
    trailing = set(_trailing_commas(text, solid))
    pieces = [
        " " * (token.end - token.start)
        if token.kind in TRIVIA or token.start in trailing
        else text[token.start : token.end]
        for token in tokens
    ]
    return "".join(pieces)


def _trailing_commas(text: str, solid: list[Token]) -> Iterator[int]:
    """Yield the offsets of trailing commas: those after the last element of an array or object."""
    before = ""
    for token, following in pairwise(solid):
        char = text[token.start]
        # `[,]` has no element and `{"a":,}` no value: these commas stay, and the parser rejects
        # them.
        if char == "," and text[following.start] in "}]" and before not in "[{,:":
            yield token.start
        before = char


def _parsed(plain: str, text: str) -> Json:
    try:
        value: Json = stable_json.loads(plain)
    except ValueError as error:
        what = str(getattr(error, "msg", "")) or "not JSON"
        offset = getattr(error, "pos", 0)
        reason = "number" if what.startswith("number") else "syntax"
        raise JsoncError(f"{place(text, offset)}: {what}", reason) from error
    return value


def _refuse_duplicates(text: str, solid: list[Token]) -> None:
    """Raise if an object contains a key twice.

    Requires: the tokens form a valid document.
    """
    keys: list[set[str]] = []
    for token, following in pairwise(solid):
        char = text[token.start]
        if char in "{[":
            keys.append(set())
        elif char in "}]":
            keys.pop()
        elif token.kind == "string" and text[following.start] == ":":
            piece = text[token.start : token.end]
            key = str(stable_json.loads(piece)) if "\\" in piece else piece[1:-1]
            if key in keys[-1]:
                where = place(text, token.start)
                raise JsoncError(
                    f"{where}: key {key!a} occurs twice in one object", "duplicate-key"
                )
            keys[-1].add(key)


def place(text: str, offset: int) -> str:
    """Return `line L, column C` of an offset, both 1-based."""
    # A carriage return ends a line, and a carriage return with a line feed ends a single line.
    lines = _LINE_END.split(text[:offset])
    return f"line {len(lines)}, column {len(lines[-1]) + 1}"


def _check_string(text: str, position: int, piece: str) -> None:
    """Reject a string that cannot be written as UTF-8 JSON."""
    if "\\u" not in piece:
        return
    try:
        stable_json.loads(piece)
    except ValueError as error:
        raise JsoncError(
            f"{place(text, position)}: the string contains half of a surrogate pair", "surrogate"
        ) from error
