"""Finds secrets by their position in records: columns of tables, values of Kubernetes' Secrets."""

import re
from collections.abc import Iterator
from typing import Final

from ggrep.config import secret_patterns as forms
from ggrep.parse.source.entropy import is_made_up, is_password, is_phrase, looks_random

Span = tuple[int, int]

_MOST_HEADER: Final = 1024
"""Maximum bytes of a line with the column names of a table."""
_LEAST_VALUE: Final = 6
_SEPARATORS: Final = (b",", b";", b"\t", b"|")
_COLUMN: Final = re.compile(rb"[ \t]*[\"']?(?:%s)[\"']?[ \t]*" % forms.COLUMNS, re.IGNORECASE)
_NAME: Final = re.compile(rb"[ \t]*[\"']?[\w .@/-]{0,32}[\"']?[ \t]*")
_FIELD: Final = {
    separator: re.compile(rb"\"(?:[^\"\n]|\"\")*\"|[^%b\n]*" % re.escape(separator))
    for separator in _SEPARATORS
}
_EDGES: Final = b" \t\r\"'`"
_RULE: Final = re.compile(rb"[ \t]*\|?[ \t:|-]*-[ \t:|-]*\r?\n")


def in_records(data: bytes) -> Iterator[Span]:
    """Yield the secrets of a table whose column names are in the first line of the text."""
    end = data.find(b"\n", 0, _MOST_HEADER)
    for separator in _SEPARATORS[:3]:
        if end > 0 and data.find(separator, 0, end) >= 0:
            columns = _columns(data, 0, end, separator)
            yield from _cells(data, end + 1, len(data), separator, columns)
            return


def in_page(data: bytes, at: int) -> tuple[int, list[Span]]:
    """Return the end and the secrets of the table whose column names are in the line at `at`."""
    end = data.find(b"\n", at, at + _MOST_HEADER)
    start = data.rfind(b"\n", max(at - _MOST_HEADER, 0), at + 1) + 1
    rule = _RULE.match(data, end + 1, end + 1 + _MOST_HEADER) if end > 0 else None
    columns = _columns(data, start, end, b"|") if rule else []
    if rule is None or not columns:
        return at, []
    begin = last = rule.end()
    while data[last : last + 1] == b"|":
        following = data.find(b"\n", last) + 1
        last = following or len(data)
    return last, list(_cells(data, begin, last, b"|", columns))


def _columns(data: bytes, start: int, end: int, separator: bytes) -> list[int]:
    names = data[start:end].rstrip(b"\r").split(separator)
    if not all(_NAME.fullmatch(name) for name in names):
        return []
    return [number for number, name in enumerate(names) if _COLUMN.fullmatch(name)]


def _cells(data: bytes, at: int, end: int, separator: bytes, columns: list[int]) -> Iterator[Span]:
    field, number = _FIELD[separator], 0
    while columns and at < end:
        match = field.match(data, at, end)
        at = match.end() if match else end
        if match is not None and number in columns:
            yield from _secret(data, *match.span())
        number = number + 1 if data[at : at + 1] == separator else 0
        at += 1


def _secret(data: bytes, start: int, end: int) -> Iterator[Span]:
    value = data[start:end]
    start += len(value) - len(value.lstrip(_EDGES))
    value = value.strip(_EDGES)
    is_secret = is_password(value, least=_LEAST_VALUE) or is_phrase(value) or looks_random(value)
    if is_secret and not is_made_up(value):
        yield start, start + len(value)


_KIND: Final = re.compile(
    rb"^[ \t-]*[\"']?kind[\"']?:[ \t]*[\"']?Secret[\"']?,?[ \t\r]*$", re.MULTILINE
)
_NEXT: Final = re.compile(rb"^---", re.MULTILINE)
_SECTION: Final = re.compile(rb"^([ \t]*)(?:data|stringData):[ \t\r]*\n", re.MULTILINE)
_LINE: Final = re.compile(rb"([ \t]*)([^\n]*)\n?")
_MEMBER: Final = re.compile(rb"[\"']?[\w.-]+[\"']?:[ \t]+[\"']?([^\s\"'|>][^\"'\r\n]*)")
_OBJECT: Final = re.compile(rb"\"(?:data|stringData)\"\s*:\s*\{([^{}]*)\}")
_STRING: Final = re.compile(rb":\s*\"([^\"\n]+)\"")


def in_manifests(data: bytes) -> Iterator[Span]:
    """Yield the positions of the values of Secrets, in YAML or JSON."""
    done, has_maps = 0, b"ConfigMap" in data
    for kind in _KIND.finditer(data):
        if kind.start() < done:
            continue
        start = max(data.rfind(b"\n---", done, kind.start()), done)
        following = _NEXT.search(data, kind.end())
        done = following.start() if following else len(data)
        read = start
        for section in _SECTION.finditer(data, start, done):
            if section.start() >= read:  # else the match is within a mapping that was already read
                read, spans = _members(data, section.end(), done, len(section[1]))
                yield from spans
        if not has_maps:
            for match in _OBJECT.finditer(data, start, done):
                yield from _values(data, _STRING, *match.span(1))


def _members(data: bytes, at: int, end: int, outer: int) -> tuple[int, list[Span]]:
    """Return the end of a mapping whose lines are indented by more than `outer`, and its values."""
    inner, spans = 0, list[Span]()
    while at < end and (line := _LINE.match(data, at, end)) is not None:
        depth, text = len(line[1]), line[2].strip()
        if text and not text.startswith(b"#"):
            if depth <= outer:
                break
            inner = inner or depth
            if depth == inner or is_made_up(text):
                spans += _values(data, _MEMBER, *line.span(2))
            else:
                spans.append(line.span(2))
        at = line.end()
    return at, spans


def _values(data: bytes, form: re.Pattern[bytes], start: int, end: int) -> Iterator[Span]:
    for match in form.finditer(data, start, end):
        if not is_made_up(match[1]):
            yield match.span(1)
