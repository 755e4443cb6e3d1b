"""Parses JSON with comments: checks its tokens, then runs a plain JSON parser.

Comments and trailing commas become blanks of the same length, so that an offset in the plain text
is one in the text as written. Scanning takes one step for each token and none looks back.
"""

from collections.abc import Iterator
from itertools import pairwise

from ggrep.base import stable_json
from ggrep.base.deadline import Deadline
from ggrep.base.stable_json import Json
from ggrep.federation.jsonc import TRIVIA, JsoncError, Token, place, scan

_CHECK_EVERY = 4096


def read_jsonc(text: str, deadline: Deadline) -> Json:
    """Return the value that `text` spells.

    Raises:
        JsoncError: it is empty, no JSONC, nested too deep, or an object names a key twice.
        DeadlineExceeded: there was no time to finish.
    """
    tokens = _scanned(text, deadline)
    solid = [token for token in tokens if token.kind not in TRIVIA]
    if not solid:
        raise JsoncError("it is empty", "empty")
    deadline.check("parsing")
    value = _parsed(_blanked(text, tokens, solid), text)
    _refuse_duplicates(text, solid)
    return value


def _scanned(text: str, deadline: Deadline) -> list[Token]:
    tokens = []
    for number, token in enumerate(scan(text)):
        if number % _CHECK_EVERY == 0:
            deadline.check("scanning")
        tokens.append(token)
    return tokens


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
    """Yield the offsets of commas between an element and the end of its array or object."""
    before = ""
    for token, following in pairwise(solid):
        char = text[token.start]
        # `[,]` holds no element, and `{"a":,}` no value: those commas stay, to be refused.
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
    """Do nothing when no object names a key twice.

    Requires: the tokens make a valid document.
    """
    keys: list[set[str]] = []
    for token, following in pairwise(solid):
        char = text[token.start]
        if char in "{[":
            keys.append(set())
        elif char in "}]":
            keys.pop()
        elif token.kind == "string" and text[following.start] == ":":
            key = _spelled(text[token.start : token.end])
            if key in keys[-1]:
                where = place(text, token.start)
                raise JsoncError(
                    f"{where}: key {key!a} stands twice in one object", "duplicate-key"
                )
            keys[-1].add(key)


def _spelled(piece: str) -> str:
    return str(stable_json.loads(piece)) if "\\" in piece else piece[1:-1]
