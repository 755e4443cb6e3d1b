"""Finds the values of Kubernetes' Secrets, which are secret whatever they contain."""

import re
from collections.abc import Iterator
from typing import Final

from ggrep.parse.secrets.chance import is_made_up

Span = tuple[int, int]

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
    """Yield where the values of Secrets stand, in YAML or JSON."""
    done, has_maps = 0, b"ConfigMap" in data
    for kind in _KIND.finditer(data):
        if kind.start() < done:
            continue
        start = max(data.rfind(b"\n---", done, kind.start()), done)
        following = _NEXT.search(data, kind.end())
        done = following.start() if following else len(data)
        read = start
        for section in _SECTION.finditer(data, start, done):
            if section.start() >= read:  # else it lies in one that was read
                read, spans = _members(data, section.end(), done, len(section[1]))
                yield from spans
        if not has_maps:
            for found in _OBJECT.finditer(data, start, done):
                yield from _values(data, _STRING, *found.span(1))


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
    for found in form.finditer(data, start, end):
        if not is_made_up(found[1]):
            yield found.span(1)
