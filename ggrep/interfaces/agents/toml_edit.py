"""Our table in a TOML text, at its end and between markers.

It is found by its header: Codex writes its file anew for each server that it adds, and then loses
comments, our markers among them, or moves them.
"""

import re
import tomllib
from collections.abc import Mapping

from ggrep.interfaces.agents.block_edit import append
from ggrep.interfaces.agents.pieces import (
    NAME,
    Found,
    Refused,
    Splice,
    TomlTable,
    marker,
    newline_of,
    spelled_value,
)

_FIRST, _LAST = marker("# ", is_end=False), marker("# ", is_end=True)


def find(text: str, piece: TomlTable) -> Found | None:
    """Return our table with its markers, or another of its name.

    Raises:
        Refused: the text cannot be understood, or no table stands where ours belongs.
    """
    value: object = _value(text)
    for key in piece.keys:
        if not isinstance(value, Mapping):
            raise Refused(f"`{key}` would lie in what is no table")
        value = value.get(key, {})
    if not isinstance(value, Mapping):
        raise Refused(f"`{piece.keys[-1]}` is not a table")
    if NAME not in value:
        return None
    lines = text.splitlines(keepends=True)
    span = _span(lines, piece)
    if span is None:
        return Found(0, 0, "")
    body = [line.strip() for line in lines[slice(*span)]]
    is_commented = any("#" in line for line in body if line not in {_FIRST, _LAST, *piece.lines})
    start, end = (sum(map(len, lines[:at])) for at in span)
    return Found(start, end, "" if is_commented else spelled_value(value[NAME]))


def insert(text: str, piece: TomlTable) -> Splice:
    """Return the change that adds our table."""
    return append(text, piece.block)


def remove(text: str, found: Found) -> Splice:
    """Return the change that takes our table out, and a marker that was moved away from it."""
    start, newline = found.start, newline_of(text)
    is_apart = found.end == len(text) or text[found.end :].startswith(newline)
    if is_apart and text[:start].endswith(newline * 2):
        start -= len(newline)
    at = found.end
    for line in text[found.end :].splitlines(keepends=True):
        if line.strip() == _LAST:
            return Splice(start, text[start : at + len(line)], text[found.end : at])
        at += len(line)
    return Splice(start, text[start : found.end], "")


def rest_of(text: str, piece: TomlTable) -> str:
    """Return what the text spells without our table, comparable: `nan` equals no number."""
    value = _copy(_value(text))
    path = [value]
    for key in piece.keys:
        inner = path[-1].get(key)
        if not isinstance(inner, dict):
            return repr(value)
        path.append(inner)
    path[-1].pop(NAME, None)
    for outer, key, inner in zip(path, piece.keys, path[1:], strict=False):
        if not inner:
            del outer[key]
    return repr(value)


def _value(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(f"it is not TOML: {error}") from error


def _copy(value: Mapping[str, object]) -> dict[str, object]:
    return {k: _copy(v) if isinstance(v, dict) else v for k, v in value.items()}


def _span(lines: list[str], piece: TomlTable) -> tuple[int, int] | None:
    """Return the lines of our table, its markers with it; None where it has no header of its own.

    What it says of odd texts is held against what a parser reads before anything is written.
    """
    name = r"\s*\.\s*".join(rf"[\"']?{re.escape(key)}[\"']?" for key in (*piece.keys, NAME))
    headers = [i for i, line in enumerate(lines) if re.match(rf"\s*\[\s*{name}\s*\]", line)]
    marked = [at for at in headers if at and lines[at - 1].strip() == _FIRST]
    headers = marked if len(marked) == 1 else headers
    if len(headers) != 1:
        return None
    start, end = headers[0], headers[0] + 1
    while end < len(lines) and not lines[end].lstrip().startswith(("[", _LAST)):
        end += 1
    if end < len(lines) and lines[end].strip() == _LAST:
        end += 1
    else:
        while lines[end - 1].strip()[:1] in {"", "#"}:
            end -= 1
    start -= bool(start) and lines[start - 1].strip() == _FIRST
    return start, end
