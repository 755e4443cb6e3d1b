"""Compiles a gitignore glob to a regular expression over bytes that matches like git."""

import re
from typing import Final, Literal

from msgspec import Struct

MAX_GLOB_BYTES: Final = 4096
"""Maximum length of a glob that is compiled; no path that can be opened is longer."""

_CLASSES: Final = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t\n\v\f\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}
_SLASH = ord("/")
_NEVER = b"(?!)"
_SPECIAL = re.compile(rb"[*?\[\\]")


class _Token(Struct, frozen=True):
    """One element of a glob: a pattern for one byte, or a wildcard."""

    kind: Literal["one", "slash", "star", "deep", "rest"]
    pattern: bytes = b""


def compile_glob(glob: bytes) -> re.Pattern[bytes]:
    """Return the expression that matches whole paths of a glob.

    `*` and `?` do not match a slash; `**` between slashes does. A glob that git cannot parse (an
    open bracket, a trailing backslash), or that is longer than `MAX_GLOB_BYTES`, matches nothing.

    The expression never tries a position twice for one wildcard: each literal between two wildcards
    is matched at its first possible position and kept (`(?>...)`). A later position is not needed:
    if the rest of the glob matches after it, the rest also matches after the first position. A
    hostile glob with many stars therefore takes time proportional to its length times the path's
    length.
    """
    tokens = _tokens(glob) if len(glob) <= MAX_GLOB_BYTES else [_Token("one", _NEVER)]
    first, *others = _split(tokens, "deep")
    pieces = [_segments(first)]
    for number, group in enumerate(others, start=1):
        below = rb"(?:[^/]*+/)*?" + _segments(group)
        pieces.append(below if number == len(others) else b"(?>" + below + b")")
    return re.compile(b"".join(pieces) + rb"\Z", re.DOTALL)


def _segments(tokens: list[_Token]) -> bytes:
    return b"/".join(_segment(part) for part in _split(tokens, "slash"))


def _segment(tokens: list[_Token]) -> bytes:
    """Return the pattern of the text between two slashes, or between a slash and an end."""
    first, *others = (b"".join(token.pattern for token in run) for run in _split(tokens, "star"))
    pieces = [first]
    for number, run in enumerate(others, start=1):
        # The last literal is matched at the segment's end, every other literal at the first
        # possible position.
        lazy = b"" if number == len(others) else b"?"
        pieces.append(b"(?>[^/]*" + lazy + run + b")")
    return b"".join(pieces)


def _split(tokens: list[_Token], kind: str) -> list[list[_Token]]:
    parts: list[list[_Token]] = [[]]
    for token in tokens:
        if token.kind == kind:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _tokens(glob: bytes) -> list[_Token]:
    tokens = []
    at = 0
    while at < len(glob):
        character = glob[at : at + 1]
        if character == b"*":
            token, at = _stars(glob, at)
        elif character == b"[":
            piece, at = _bracket(glob, at)
            token = _Token("one", piece)
        elif character == b"?":
            token, at = _Token("one", b"[^/]"), at + 1
        elif character == b"\\":
            token, at = _byte(glob[at + 1 : at + 2]), at + 2
        else:
            token, at = _byte(character), at + 1
        tokens.append(token)
    return tokens


def _byte(character: bytes) -> _Token:
    if character == b"/":
        return _Token("slash")
    return _Token("one", re.escape(character) or _NEVER)


def _stars(glob: bytes, start: int) -> tuple[_Token, int]:
    end = start
    while glob[end : end + 1] == b"*":
        end += 1
    # git compares the literal beginning of a glob separately, so stars directly after it begin the
    # rest of the glob: `a**/b` matches more than git's manual says.
    opens = _SPECIAL.search(glob, 0, start) is None or glob[start - 1] == _SLASH
    if end - start > 1 and opens:
        if end == len(glob):
            return _Token("rest", b".*"), end
        if glob[end] == _SLASH:
            return _Token("deep"), end + 1
    return _Token("star"), end


def _bracket(glob: bytes, start: int) -> tuple[bytes, int]:
    at = start + 1
    negated = glob[at : at + 1] in {b"!", b"^"}
    at += negated
    members: set[int] = set()
    first = at
    while at == first or glob[at : at + 1] != b"]":
        read = _member(glob, at)
        if read is None:
            return _NEVER, len(glob)
        item, at = read
        members |= item
    if negated:
        members = set(range(256)) - members
    members.discard(_SLASH)
    if not members:
        return _NEVER, at + 1
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]", at + 1


def _member(glob: bytes, at: int) -> tuple[set[int], int] | None:
    """Return the bytes that one item of a bracket matches, and the position of the next item."""
    if glob[at : at + 2] == b"[:":
        close = glob.find(b"]", at + 2)
        if close < 0:
            return None
        if close > at + 2 and glob[close - 1 : close] == b":":
            return _named_class(glob[at + 2 : close - 1], close + 1)
    low = _literal(glob, at)
    if low is None or glob[low[1] : low[1] + 1] != b"-" or glob[low[1] + 1 :][:1] in {b"]", b""}:
        return low and ({low[0]}, low[1])
    high = _literal(glob, low[1] + 1)
    return high and (set(range(low[0], high[0] + 1)) | {low[0]}, high[1])


def _named_class(name: bytes, after: int) -> tuple[set[int], int] | None:
    ranges = _CLASSES.get(name)
    if ranges is None:
        return None
    pattern = re.compile(b"[" + ranges + b"]")
    return {value for value in range(256) if pattern.match(bytes([value]))}, after


def _literal(glob: bytes, at: int) -> tuple[int, int] | None:
    if glob[at : at + 1] == b"\\":
        at += 1
    return (glob[at], at + 1) if at < len(glob) else None
