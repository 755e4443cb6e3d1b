"""Masks the secrets inside of a file's text before anything else sees it.

What is masked keeps its length in bytes and its line ends, so that every other byte, line and
offset stays where it was. RE2 finds the places where a secret may stand, in time linear in the
file; what stands there is then judged by itself, within a bounded number of bytes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Final

from ggrep.config import secret_patterns as forms
from ggrep.source.chance import is_filled_in, is_hollow, is_password, looks_drawn

Span = tuple[int, int]

_LEAST_VALUE: Final = 6
_MOST_VALUE: Final = 256
"""Longest value that is judged, in bytes."""
_MOST_KEY: Final = 16_384
"""Longest body of a private key, in bytes."""
_MOST_NAME: Final = 64
"""How far a name is read to the left of its telling word, in bytes."""
_MASK: Final = b"*"

_TAIL: Final = rb"s?(?:[_-][A-Za-z0-9_-]{0,24}|[0-9A-Z][A-Za-z0-9_]{0,24})?"
"""What may follow the telling word in a name: another word, and no further letters of its own."""
_BETWEEN: Final = (
    rb"(?:\\?[\"'`\])]){0,3}[ \t]*(?::=|=>|->|={1,3}|:|,|\(|>|[ \t]value[ \t]*=)[ \t(]*[bruf@]{0,2}"
)
_SPACED: Final = rb"(?i:--[a-z-]*(?:%s)|password|bearer)[ \t]+" % forms.WORDS
"""A name that nothing but blanks part from its value: options, and words of some files."""
_SCHEME: Final = rb"(?i:(?:bearer|basic|token|apikey)[ \t]+)?"
_NAMED: Final = rb"(?:(?i:%s)%s%s|%s)(?:\\?[\"'`])?%s[^\s\"'`]{%d}" % (
    *(forms.WORDS, _TAIL, _BETWEEN, _SPACED, _SCHEME, _LEAST_VALUE),
)
_URL: Final = rb"://[^\s/:@\"'`<>?#]{0,64}:[^\s/@\"'`<>]{3,128}@"
_USER: Final = rb"-u(?:ser)?[ =][\"']?[A-Za-z0-9_.@-]{1,64}:[^\s\"':]{8,128}"

_GIVEN: Final = re.compile(
    rb"(?:(?P<word>(?i:%s))(?P<tail>%s)%s|%s)\\?(?P<quote>[\"'`])?(?P<scheme>%s)"
    % (forms.WORDS, _TAIL, _BETWEEN, _SPACED, _SCHEME)
)
_BARE: Final = re.compile(rb"[^\s\"'`,;&<>(){}\[\]]{6,%d}" % _MOST_VALUE)
_QUOTED: Final = {
    quote: re.compile(rb"[^%b\n]{6,%d}(?=%b)" % (quote, _MOST_VALUE, quote))
    for quote in (b'"', b"'", b"`")
}
_PASSWORDS: Final = (b"pas", b"pwd")
_CODE: Final = (b"(", b"[", b"{", b"<")
"""What follows a name in a program, and no value."""
_IN_CODE: Final = (b"(", b",")
"""What stands before a name in a program, where a value has quotes."""
_NAME: Final = re.compile(rb"[A-Za-z0-9_.$-]*\Z")
_PUBLIC: Final = re.compile(forms.PUBLIC_WORDS, re.IGNORECASE)
_TAIL_WORDS: Final = re.compile(rb"s?[_.-]?(?:%s)" % forms.TAIL_WORDS, re.IGNORECASE)
_LEAST_IN_URL: Final = 6
_KEY_HEADER: Final = re.compile(forms.KEY_HEADER)
_KEY_END: Final = re.compile(rb"-----(?:END|BEGIN)|^Private-MAC", re.MULTILINE)
_KEY_RUN: Final = re.compile(rb"[A-Za-z0-9+/=_-]{32}")
_SIGN: Final = re.compile(rb"(\\[nrt]|[\s\"'`\\])|.")
"""What keeps the shape of a text, and what is masked."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets.

    Attributes:
        data: as long as the text was.
        values: how many were masked.
        is_key: it was a private key and next to nothing else.
    """

    data: bytes
    values: int = 0
    is_key: bool = False


def mask(data: bytes) -> Masked:
    """Return UTF-8 text with its secrets masked."""
    keys = list(_keys(data))
    found = chain(keys, _vendors(data), _named(data), _behind_colons(data))
    spans = _joined(sorted(found))
    if not spans:
        return Masked(data)
    is_key = 2 * sum(end - start for start, end in keys) > len(data.strip())
    return Masked(_without(data, spans), len(spans), is_key)


@cache
def _automaton(pattern: bytes) -> Any:  # noqa: ANN401 - RE2 has no types
    import re2  # most processes never read a file

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern, options)


def _keys(data: bytes) -> Iterator[Span]:
    """Yield the bodies of private keys."""
    if forms.KEY_SIGN not in data and forms.PUTTY_SIGN not in data:
        return
    for header in _KEY_HEADER.finditer(data):
        start, most = header.end(), min(header.end() + _MOST_KEY, len(data))
        end = _KEY_END.search(data, start, most)
        body = end.start() if end else most
        if _KEY_RUN.search(data, start, body):
            yield start, body


def _vendors(data: bytes) -> Iterator[Span]:
    """Yield what is secret of vendors' forms: a form's own group, or all of it."""
    for found in _automaton(b"(?m)" + b"|".join(forms.VENDORS)).finditer(data):
        groups = range(1, found.re.groups + 1)
        group = next((number for number in groups if found.start(number) >= 0), 0)
        start, end = found.span(group)
        value = data[start:end]
        if not is_hollow(value) and any(0x30 <= byte <= 0x39 for byte in value):
            yield start, end


def _named(data: bytes) -> Iterator[Span]:
    """Yield values that are secrets by the names of what they are given to."""
    scan, at = _automaton(_NAMED), 0
    while (found := scan.search(data, at)) is not None:
        # A value may itself be a name: `get("api_key", "...")`.
        at = found.end() - _LEAST_VALUE
        if (span := _given(data, found.start(), at)) is not None:
            yield span
            at = span[1]


def _given(data: bytes, start: int, at: int) -> Span | None:
    """Return the value at `at` if it is a secret; its telling word begins at `start`."""
    told = _GIVEN.fullmatch(data, start, at)
    quote = told["quote"] if told else None
    found = (_QUOTED[quote] if quote else _BARE).match(data, at, at + _MOST_VALUE + 1)
    if told is None or found is None or (not quote and _is_code(data, at, found.end())):
        return None
    value = found[0].rstrip(b"\\")
    word = told["word"] or b"pwd"
    worded = told["scheme"] or word[:3].lower() in _PASSWORDS
    if not looks_drawn(value) and not (worded and is_password(value)):
        return None
    if is_filled_in(value) or is_hollow(value) or _names_another(data, told):
        return None
    return at, at + len(value)


def _is_code(data: bytes, start: int, end: int) -> bool:
    """Tell whether what stands without quotes is a piece of a program."""
    before = data[max(start - 8, 0) : start].rstrip()[-1:]
    return before in _IN_CODE or (data[end : end + 1] in _CODE and data[end : end + 2] != b"</")


def _names_another(data: bytes, told: re.Match[bytes]) -> bool:
    """Tell whether the words around the telling one say that the value is none of its kind."""
    word, tail = told["word"], told["tail"]
    if word is None:
        return False
    if _TAIL_WORDS.match(tail) or (tail and word.lower() == b"pass"):
        return True
    start = told.start()
    name = _NAME.search(data, max(start - _MOST_NAME, 0), start)
    return name is not None and _PUBLIC.search(name[0]) is not None


def _behind_colons(data: bytes) -> Iterator[Span]:
    """Yield the passwords of `//user:password@` and of `-u user:password`."""
    for found in chain(_automaton(_URL).finditer(data), _automaton(_USER).finditer(data)):
        text = found.group().removesuffix(b"@")
        user, _, value = text.rpartition(b":")
        start = found.start() + len(text) - len(value)
        made_up = is_filled_in(value) or is_hollow(value) or user.endswith(value)
        if is_password(value, least=_LEAST_IN_URL) and not made_up:
            yield start, start + len(value)


def _joined(spans: list[Span]) -> list[Span]:
    """Return ascending spans without overlaps."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _without(data: bytes, spans: list[Span]) -> bytes:
    parts, at = [], 0
    for start, end in spans:
        parts += [data[at:start], _SIGN.sub(_masked, data[start:end])]
        at = end
    return b"".join((*parts, data[at:]))


def _masked(sign: re.Match[bytes]) -> bytes:
    return sign[1] or _MASK
