"""Recognises keys among literals whose names do not show that they are secrets."""

import binascii
import re
from typing import Final

from ggrep.config import secret_patterns as forms
from ggrep.parse.source.entropy import is_made_up, is_random_alone

Span = tuple[int, int]

OPENERS: Final = b"\"'`=:"
LITERAL: Final = (
    rb"[\"'`=:] ?(?:[A-Za-z/+_-]*[0-9][A-Za-z0-9/+_-]*[A-Z][A-Za-z0-9/+_=-]{10}"
    rb"|[a-z]*[0-9][a-z0-9]*[g-z][a-z0-9]*[0-9][a-z0-9]{10})"
)
"""The beginning of a literal that is possibly a key. `key_at` judges the whole literal.

The number of signs before the first digit is not limited, because the automaton would need states
for each sign.
"""
MOST_KEYS: Final = 4
"""Maximum number of possible keys in a file; a file with more is data, such as test vectors."""
_WHOLE: Final = re.compile(
    rb"([\"'`])?(?:=|: ?)?(?:base64:)?([A-Za-z0-9/+_-][A-Za-z0-9/+_~.:-]{17,127}={0,2})"
    rb"(?(1)\1|[ \t]*\r?$)",
    re.MULTILINE,
)
_SCHEME: Final = b"base64"
_SETTING: Final = re.compile(rb"[ \t-]*(?:(?:export|set|ENV|ARG)[ \t]+)?[A-Za-z0-9_.-]+[=:]")
"""The text before an unquoted value in a settings file."""
_MOST_BEFORE: Final = 80
"""Maximum bytes that are read before a literal."""
_MOST_LINE: Final = 4096
"""Maximum bytes before a literal in which the beginning of its line is searched for."""
_PUBLIC: Final = re.compile(forms.PUBLIC_BEFORE, re.IGNORECASE)
_PUBLIC_START: Final = re.compile(forms.PUBLIC_STARTS)
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]{4,}={0,2}")
_PRINTED: Final = bytes((*b"\t\n\r", *range(ord(" "), 0x7F)))
_MOST_BINARY: Final = 0.2
"""Maximum share of bytes of a text that are not printable ASCII."""
_ROW: Final = re.compile(rb"[ \t]*[brufN@]?[\"'`]")


def key_at(data: bytes, quote: int) -> Span | None:
    """Return the position of a key that follows the quote or other symbol at `quote`.

    Return None without a key there.
    """
    if data[max(quote - len(_SCHEME), 0) : quote] == _SCHEME:
        quote = max(quote - len(_SCHEME) - 1, 0)
    match = _WHOLE.match(data, quote)
    if match is None:
        return None
    value = match[2]
    if _PUBLIC_START.match(value) or not is_random_alone(value) or is_made_up(value):
        return None
    first = max(quote - _MOST_LINE, 0)
    line = max(data.rfind(b"\n", first, quote) + 1, first)
    before = data[max(line, quote - _MOST_BEFORE) : quote + 1]
    if match[1] is None and not _SETTING.fullmatch(before):
        return None
    if _PUBLIC.search(before) or is_readable(value) or _is_among_others(data, line, quote):
        return None
    return match.span(2)


def _is_among_others(data: bytes, line: int, quote: int) -> bool:
    """Return whether the line above or below is also a literal, as in a long text or a table."""
    if not _ROW.fullmatch(data, line, quote + 1):
        return False
    above, below = data.rfind(b"\n", 0, max(line - 1, 0)) + 1, data.find(b"\n", quote) + 1
    return any(at != line and _ROW.match(data, at) is not None for at in (above, below or line))


def is_readable(value: bytes) -> bool:
    """Return whether a value is the base64 form of a readable text."""
    text = _decoded(value)
    return bool(text) and len(text.translate(None, _PRINTED)) <= _MOST_BINARY * len(text)


def is_of_user(value: bytes) -> bool:
    """Return whether a value is the base64 form of a user's name and password."""
    user, colon, password = _decoded(value).partition(b":")
    return bool(colon) and user.isascii() and is_readable(value) and not is_made_up(password)


def _decoded(value: bytes) -> bytes:
    """Return the bytes that a base64 value encodes; empty for other values."""
    if not _BASE64.fullmatch(value):
        return b""
    whole = value.rstrip(b"=")
    whole = whole[: len(whole) - (len(whole) % 4 == 1)]
    return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
