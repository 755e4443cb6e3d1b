"""Our block between markers: in Markdown and in TOML, at the end of the text."""

import tomllib
from collections.abc import Mapping

from ggrep.interfaces.agents.pieces import (
    NAME,
    Found,
    Refused,
    Section,
    Splice,
    TomlTable,
    marker,
    newline_of,
)


def find_block(text: str, start: str, end: str = "") -> Found | None:
    """Return the marked block, its indentation taken off.

    Args:
        text: to look through.
        start: what a marker begins with.
        end: what a marker ends with.

    Raises:
        Refused: the markers do not pair.
    """
    first, last = marker(start, is_end=False, end=end), marker(start, is_end=True, end=end)
    lines = text.splitlines(keepends=True)
    begins = [i for i, line in enumerate(lines) if line.strip() == first]
    ends = [i for i, line in enumerate(lines) if line.strip() == last]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        raise Refused(f"its markers of {NAME} do not pair")
    inner = lines[begins[0] : ends[0] + 1]
    at = sum(map(len, lines[: begins[0]]))
    indent = inner[0].partition(first)[0]
    bare = [line.removeprefix(indent).rstrip("\r\n") for line in inner]
    size = sum(map(len, inner))
    return Found(at, at + size, "".join(f"{line}\n" for line in bare))


def find_section(text: str) -> Found | None:
    """Return our section of a Markdown text; raise as `find_block` does."""
    return find_block(text, "<!-- ", " -->")


def append(text: str, piece: Section | TomlTable) -> Splice:
    """Return the change that adds our block at the end, behind an empty line."""
    newline = newline_of(text)
    before = ""
    if text:
        before = "" if text.endswith("\n") else newline
        is_apart = text.endswith(("\n\n", "\r\n\r\n")) or not text.strip()
        before += "" if is_apart else newline
    return Splice(len(text), "", before + piece.spelled.replace("\n", newline))


def remove(text: str, found: Found) -> Splice:
    """Return the change that takes our block out, and the empty line before it at the end."""
    start, newline = found.start, newline_of(text)
    if found.end == len(text) and text[:start].endswith(newline * 2):
        start -= len(newline)
    return Splice(start, text[start : found.end], "")


def toml_value(text: str) -> Mapping[str, object]:
    """Return what a TOML text spells.

    Raises:
        Refused: it is none.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(f"it is not TOML: {error}") from error


def toml_rest(text: str, piece: TomlTable) -> str:
    """Return what the text spells without our table, comparable: `nan` equals no number."""
    value = _copy(toml_value(text))
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


def _copy(value: Mapping[str, object]) -> dict[str, object]:
    return {k: _copy(v) if isinstance(v, dict) else v for k, v in value.items()}


def find_table(text: str, piece: TomlTable) -> Found | None:
    """Return our table, or another of its name.

    Raises:
        Refused: the text cannot be understood, or no table stands where ours belongs.
    """
    value: object = toml_value(text)
    for key in piece.keys:
        if not isinstance(value, Mapping):
            raise Refused(f"`{key}` would lie in what is no table")
        value = value.get(key, {})
    if not isinstance(value, Mapping):
        raise Refused(f"`{piece.keys[-1]}` is not a table")
    found = find_block(text, "# ")
    if found is None and NAME in value:
        return Found(0, 0, "")
    return found
