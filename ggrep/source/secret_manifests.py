"""Finds the values of Kubernetes' Secrets, which are secret whatever they look like."""

import re
from collections.abc import Iterator
from typing import Final

from ggrep.source.chance import is_made_up

_KIND: Final = re.compile(
    rb"^[ \t-]*[\"']?kind[\"']?:[ \t]*[\"']?Secret[\"']?,?[ \t\r]*$", re.MULTILINE
)
_NEXT: Final = re.compile(rb"^---", re.MULTILINE)
_SECTION: Final = re.compile(rb"^([ \t]*)(?:data|stringData):[ \t\r]*\n", re.MULTILINE)
_LINE: Final = re.compile(rb"([ \t]*)([^\n]*)\n?")
_MEMBER: Final = re.compile(rb"[\"']?[\w.-]+[\"']?:[ \t]+[\"']?([^\s\"'|>][^\"'\r\n]*)")
_OBJECT: Final = re.compile(rb"\"(?:data|stringData)\"\s*:\s*\{([^{}]*)\}")
_STRING: Final = re.compile(rb":\s*\"([^\"\n]+)\"")


def in_manifests(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the values of Secrets stand, in YAML or JSON."""
    done = 0
    for kind in _KIND.finditer(data):
        if kind.start() < done:
            continue
        start = max(data.rfind(b"\n---", done, kind.start()), done)
        following = _NEXT.search(data, kind.end())
        done = following.start() if following else len(data)
        for section in _SECTION.finditer(data, start, done):
            yield from _members(data, section.end(), done, len(section[1]))
        if b"ConfigMap" not in data:
            for found in _OBJECT.finditer(data, start, done):
                yield from _values(data, _STRING, *found.span(1))


def _members(data: bytes, at: int, end: int, outer: int) -> Iterator[tuple[int, int]]:
    """Yield the values of a mapping whose lines are indented by more than `outer`."""
    inner = 0
    while at < end and (line := _LINE.match(data, at, end)) is not None:
        at, depth, text = line.end(), len(line[1]), line[2].strip()
        if not text or text.startswith(b"#"):
            continue
        if depth <= outer:
            return
        inner = inner or depth
        if depth == inner:
            yield from _values(data, _MEMBER, *line.span(2))
        elif not is_made_up(text):
            yield line.span(2)


def _values(
    data: bytes, form: re.Pattern[bytes], start: int, end: int
) -> Iterator[tuple[int, int]]:
    for found in form.finditer(data, start, end):
        if not is_made_up(found[1]):
            yield found.span(1)
