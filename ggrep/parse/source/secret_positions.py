"""Finds secrets by their position: in URLs, function calls, commands and manifests."""

import re
import sys
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct, field

from ggrep.config import secret_patterns as forms
from ggrep.parse.source.automaton import automaton, ungrouped
from ggrep.parse.source.entropy import (
    is_made_up,
    is_password,
    is_phrase,
    is_placeholder,
    looks_mixed,
    looks_random,
)
from ggrep.parse.source.secret_literals import is_of_user
from ggrep.parse.source.secret_records import in_manifests, in_page, in_records

Span = tuple[int, int]

_MOST_CALL: Final = 240
"""Maximum bytes of the arguments of a call, or the options of a command, that are read."""
_MOST_KEY: Final = 16_384
"""Maximum bytes of the body of a private key."""
_MOST_NAME: Final = 24
"""Maximum bytes of a name that are read to the left of `key`."""
MOST_VALUE: Final = 256
"""Maximum bytes of a value that are judged."""
_LEAST_IN_URL: Final = 6
_LEAST_BEHIND: Final = 6

_URL: Final = rb"://[^\s/:@\"'`<>?#]{0,64}:[^\s/@\"'`<>]{3,128}@"
_USER: Final = rb"-u(?:ser)?[ =][\"']?[A-Za-z0-9_.@-]{1,64}:[^\s\"':]{8,128}"
_KEYS: Final = rb"(?m)(?P<vendor>%s)" % b"|".join(forms.VENDORS)
_PLACES: Final = b"(?m)" + b"|".join(
    b"(?P<%s>%s)" % (kind.encode(), form)
    for kind, form in (
        ("key", forms.KEY_HEADER),
        ("colon", _URL + b"|" + _USER),
        ("hexadecimal", b"|".join(forms.HEXADECIMAL)),
        ("random", b"|".join(forms.RANDOM)),
        ("call", forms.CALLS),
        ("command", forms.COMMANDS),
        ("before", forms.BEFORE),
        ("chosen", b"|".join(forms.CHOSEN)),
        ("alone", forms.KEYS_ALONE),
        ("path", forms.PATHS),
        ("table", rb"\|[ \t]*(?i:%s)[ \t]*\|" % forms.COLUMNS),
        ("manifest", rb"kind[\"']?:[ \t]*[\"']?Secret\b"),
    )
)
_SEARCHES: Final = tuple((form, ungrouped(form)) for form in (_KEYS, _PLACES))
"""The forms to search for, each also without groups. At one position, the first form counts.

A single automaton for both forms would have many more states. Building them takes longer than
reading a text of many megabytes twice.
"""
_CALL: Final = re.compile(forms.CALLS)
"""The most frequent form, recognised without groups."""
_MOST_ACCOUNT: Final = 32
_ACCOUNT: Final = re.compile(rb"^[\w.-]+\Z", re.MULTILINE)
"""The account name before a password's hash on a line of an account file."""
_HEADLESS: Final = re.compile(forms.HEADLESS)
_HEAD: Final = re.compile(rb"[A-Za-z0-9_~.-]{0,16}\Z")
_MOST_HEAD: Final = 16
_KEY_END: Final = re.compile(rb"----[- ](?:END|BEGIN)|^Private-MAC", re.MULTILINE)
_KEY_RUN: Final = re.compile(rb"[A-Za-z0-9+/=_-]{32}")
_OPTION: Final = re.compile(forms.OPTIONS)
_ARGUMENT: Final = re.compile(rb"(?P<key>=)?([\"'])(?P<value>[^\"'\n]*)\2|(?P<end>[);{])")
_ADDRESS: Final = re.compile(rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)+(?::\d+)?")
_HEXADECIMAL: Final = re.compile(rb"[0-9a-f]+|[0-9A-F]+")
_LEAST_HEXADECIMAL: Final = 32
_LEAST_ALONE: Final = 20
"""Minimum bytes of an argument that is a key."""
_PATH: Final = re.compile(rb"[A-Za-z0-9_.@/-]+")
_PART: Final = re.compile(rb"[A-Za-z0-9_.-]{16,}")
_NUMBERED: Final = re.compile(rb"[a-z]{5,}[0-9]")
"""A word and a digit, which counts as a password only in a URL."""
_QUOTED: Final = re.compile(rb"[^\"'\n]{%d,256}(?=[\"'])" % _LEAST_BEHIND)
_PUBLIC_KEY: Final = re.compile(rb"(?i:%s)[\w.-]{0,3}[=:\"'`]?\Z" % forms.PUBLIC_KEYS)


class Places(Struct):
    """The secrets in a text, as offsets of start and end.

    Attributes:
        spans: the secrets, in any order.
        keys: the bodies of private keys.
        has_manifest: whether the text possibly contains a Secret of Kubernetes.
        read: the offset after the last table that was read.
    """

    spans: list[Span] = field(default_factory=list)
    keys: list[Span] = field(default_factory=list)
    has_manifest: bool = False
    read: int = 0


class _Search:
    """Finds the next match of any of the secret patterns in a text."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._scans = [(form, automaton(sought).search) for form, sought in _SEARCHES]
        self._ahead = [_AHEAD] * len(_SEARCHES)

    def next(self, at: int) -> tuple[bytes, Span] | None:
        """Return the pattern and the position of the first match at or after `at`.

        Requires: `at` is at least as large as in the previous call.
        """
        for number, (_, search) in enumerate(self._scans):
            if self._ahead[number][0] < at:
                match = search(self._data, at)
                self._ahead[number] = _NOWHERE if match is None else match.span()
        first = min(range(len(self._ahead)), key=lambda number: self._ahead[number][0])
        span = self._ahead[first]
        return None if span is _NOWHERE else (self._scans[first][0], span)


def find_places(data: bytes) -> Places:
    """Return a text's secrets that are recognised by their form or by the text before them."""
    places = Places(spans=list(in_records(data)))
    search, at = _Search(data), 0
    while (sought := search.next(at)) is not None:
        form, (start, at) = sought
        if _CALL.fullmatch(data, start, at):
            places.spans += _in_call(data, start, at - 1)
            continue
        match = automaton(form).match(data, start)
        kind, start, at = match.lastgroup.decode(), match.start(), match.end()
        if kind not in _FORMS:
            at = _take(places, data, kind, (start, at))
            continue
        span = _inner(match)
        if _FORMS[kind](data, span, start):
            places.spans.append(_whole(data, span))
        elif at - start <= MOST_VALUE:
            at = start + 1  # another form can begin inside a rejected match
    places.spans += places.keys
    if places.has_manifest:
        places.spans += in_manifests(data)
    return places


def _take(places: Places, data: bytes, kind: str, match: Span) -> int:
    """Add the secrets at a match; return the offset at which the search continues."""
    start, end = match
    match kind:
        case "key":
            places.keys += _key_body(data, end)
        case "manifest":
            places.has_manifest = True
        case "table":
            if start >= places.read:
                places.read, spans = in_page(data, start)
                places.spans += spans
            return start + 1  # the `|` at its end can begin the name of another column
        case _:
            places.spans += _behind(kind, data, start, end)
    return end


def _behind(kind: str, data: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield the passwords after the match between `start` and `end`."""
    match kind:
        case "colon":
            return _behind_colon(data[start:end], start)
        case "path":
            return _in_path(data, start, end)
        case "command":
            return _options(data, end - 1)
        case _:
            return _right_behind(data, end)


def _inner(match: Any) -> Span:  # noqa: ANN401 - RE2 has no types
    """Return the position of the shortest group that matched."""
    spans: list[Span] = [match.span(number) for number in range(1, match.re.groups + 1)]
    return min((span for span in spans if span[0] >= 0), key=lambda span: span[1] - span[0])


def _key_body(data: bytes, start: int) -> list[Span]:
    """Return the position of the body of the private key whose header ends at `start`."""
    most = min(start + _MOST_KEY, len(data))
    end = _KEY_END.search(data, start, most)
    body = end.start() if end else most
    return [(start, body)] if _KEY_RUN.search(data, start, body) else []


def _is_key_of_vendor(data: bytes, span: Span, start: int) -> bool:
    value = data[slice(*span)]
    if value[:1] == b"$" and not _ACCOUNT.search(data, max(start - _MOST_ACCOUNT, 0), start):
        return False
    plausible = b" " in value or any(0x30 <= byte <= 0x39 for byte in value)
    return plausible and not is_placeholder(value)


def _is_random(data: bytes, span: Span, start: int) -> bool:
    value = data[slice(*span)]
    return (looks_mixed(value) or is_of_user(value)) and _is_private_key(data, span, start)


def _is_chosen(data: bytes, span: Span, start: int) -> bool:
    """Return whether a text in the position of a password looks like a password."""
    value = data[slice(*span)]
    if not _LEAST_IN_URL <= len(value) <= MOST_VALUE or is_made_up(value):
        return False
    if data[start : start + 1] == b":" and not _USERS.search(data, max(start - 1, 0), start):
        return False
    is_chosen = is_password(value, least=_LEAST_IN_URL) or is_phrase(value)
    return is_chosen or looks_random(value)


def _is_alone(data: bytes, span: Span, _: int) -> bool:
    value = data[slice(*span)]
    return _is_key_alone(value) and not is_made_up(value)


def _is_hexadecimal(data: bytes, span: Span, start: int) -> bool:
    return looks_random(data[slice(*span)]) and _is_private_key(data, span, start)


def _is_private_key(data: bytes, span: Span, start: int) -> bool:
    value = data[slice(*span)]
    if len(value) > MOST_VALUE or is_made_up(value):
        return False
    return _PUBLIC_KEY.search(data, max(start - _MOST_NAME, 0), start + 1) is None


_FORMS: Final = {
    "vendor": _is_key_of_vendor,
    "random": _is_random,
    "hexadecimal": _is_hexadecimal,
    "chosen": _is_chosen,
    "alone": _is_alone,
}
_AHEAD: Final[Span] = (-1, -1)
_NOWHERE: Final[Span] = (sys.maxsize, sys.maxsize)
_USERS: Final = re.compile(rb"[\w.-]\Z")


def _whole(data: bytes, span: Span) -> Span:
    """Return the position of the whole key around a recognised part."""
    start, end = span
    if not _HEADLESS.match(data, start):
        return span
    head = _HEAD.search(data, max(start - _MOST_HEAD, 0), start)
    return (head.start() if head else start), end


def _behind_colon(text: bytes, start: int) -> Iterator[Span]:
    """Yield the password of `//user:password@` or `-u user:password`."""
    user, _, value = text.removesuffix(b"@").rpartition(b":")
    start += len(user) + 1
    is_chosen = is_password(value, least=_LEAST_IN_URL) or is_phrase(value)
    if (is_chosen or _NUMBERED.fullmatch(value)) and not (
        is_made_up(value) or user.endswith(value)
    ):
        yield start, start + len(value)


def _in_call(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield the keys and passwords among a call's string arguments; the first begins at `end`."""
    number = int(b"," in data[start:end])
    for match in _ARGUMENT.finditer(data, end, end + _MOST_CALL):
        if match["end"]:
            return
        value = match["value"]
        named = match["key"] is not None or b"::" in value
        chosen = number > 0 and is_password(value)
        if (
            not named
            and (chosen or _is_key_alone(value))
            and not (is_made_up(value) or _ADDRESS.fullmatch(value))
        ):
            yield match.span("value")
        number += 1


def _is_key_alone(value: bytes) -> bool:
    """Return whether an argument looks like a key, in digits of any base."""
    least = _LEAST_HEXADECIMAL if _HEXADECIMAL.fullmatch(value) else _LEAST_ALONE
    return len(value) >= least and value.isalnum() and looks_random(value)


def _in_path(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield the tokens in a URL after a path segment that tokens usually follow."""
    line = data.rfind(b"\n", max(start - MOST_VALUE, 0), start) + 1
    if data.find(b"://", max(line, start - MOST_VALUE), start) < 0:
        return
    value = data[end : end + MOST_VALUE]
    rest = _PATH.match(value)
    for part in _PART.finditer(value, 0, rest.end() if rest else 0):
        if looks_random(part[0]) and not is_made_up(part[0]):
            yield end + part.start(), end + part.end()


def _options(data: bytes, start: int) -> Iterator[Span]:
    end = data.find(b"\n", start, start + _MOST_CALL)
    for match in _OPTION.finditer(data, start, end if end >= 0 else start + _MOST_CALL):
        value = match["value"]
        if (is_password(value) or is_phrase(value)) and not is_made_up(value):
            yield match.span("value")


def _right_behind(data: bytes, start: int) -> Iterator[Span]:
    match = _QUOTED.match(data, start)
    if match is not None and not is_made_up(match[0]):
        yield match.span()
