"""Entries of ggrep in files, and edits of text blocks and TOML tables between markers."""

import re
import tomllib
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.base.stable_json import Json

NAME: Final = "ggrep"
"""The name of ggrep's entry in every file."""


class Refused(UsageError):
    """A file cannot be edited safely; it was not changed."""


class JsonEntry(Struct, frozen=True):
    """An entry that is a member of an object in JSON or JSONC.

    Attributes:
        keys: keys of the objects around the entry, from the outermost.
    """

    keys: tuple[str, ...]
    value: Mapping[str, Json]

    @property
    def spelled(self) -> str:
        """Return the value in canonical JSON."""
        return stable_json.dumps(self.value).decode()


class TomlTable(Struct, frozen=True):
    """An entry that is a table at the end of a TOML file, between markers.

    Attributes:
        keys: keys of the tables around ggrep's table.
    """

    keys: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def block(self) -> str:
        """Return the table between markers."""
        return block_of("# ", self.lines)

    @property
    def spelled(self) -> str:
        """Return the value of the table in canonical JSON."""
        value = tomllib.loads("\n".join(self.lines))
        for key in (*self.keys, NAME):
            value = value[key]
        return spelled_value(value)


class Section(Struct, frozen=True):
    """An entry that is a marked section at the end of a text.

    Attributes:
        marks: beginning and end of a comment in the text's syntax.
    """

    lines: tuple[str, ...]
    marks: tuple[str, str] = ("<!-- ", " -->")

    @property
    def spelled(self) -> str:
        """Return the marked block."""
        start, end = self.marks
        return block_of(start, self.lines, end)


class WholeFile(Struct, frozen=True):
    """An entry that is a whole file."""

    text: str

    @property
    def spelled(self) -> str:
        """Return the text."""
        return self.text


Piece: TypeAlias = JsonEntry | TomlTable | Section | WholeFile


def spelled_value(value: object) -> str:
    """Return a value in canonical JSON; empty if JSON cannot represent it."""
    try:
        return stable_json.dumps({"value": cast(Json, value)}).decode()
    except TypeError:
        return ""


def marker(start: str, *, is_end: bool, end: str = "") -> str:
    """Return the first or last line of ggrep's block."""
    return f"{start}{'<<<' if is_end else '>>>'} {NAME} {'<<<' if is_end else '>>>'}{end}"


def block_of(start: str, lines: tuple[str, ...], end: str = "") -> str:
    """Return a block: the lines between two markers, each line with a line feed."""
    first, last = marker(start, is_end=False, end=end), marker(start, is_end=True, end=end)
    return "".join(f"{line}\n" for line in (first, *lines, last))


class Splice(Struct, frozen=True):
    """One change of a text: `removed` at `offset` becomes `inserted`.

    Attributes:
        opened: number of objects that were created around ggrep's entry.
    """

    offset: int
    removed: str
    inserted: str
    opened: int = 0

    def applied(self, text: str) -> str:
        """Return the changed text."""
        end = self.offset + len(self.removed)
        return text[: self.offset] + self.inserted + text[end:]

    def undone(self, text: str) -> str:
        """Return the text before the change.

        Requires: the text has `inserted` at `offset`.
        """
        end = self.offset + len(self.inserted)
        return text[: self.offset] + self.removed + text[end:]


class FoundEntry(Struct, frozen=True):
    """The entry of ggrep in a text, or a foreign entry with the same name.

    Attributes:
        start: start of the text to remove; `end` is exclusive.
        spelled: comparable to `spelled` of a piece; empty for an entry that cannot be ggrep's.
    """

    start: int
    end: int
    spelled: str


def newline_of(text: str) -> str:
    """Return the line ending that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def find_block(text: str, start: str, end: str = "") -> FoundEntry | None:
    """Return the block between two markers, without its indentation."""
    first, last = marker(start, is_end=False, end=end), marker(start, is_end=True, end=end)
    lines = text.splitlines(keepends=True)
    begins = [i for i, line in enumerate(lines) if line.strip() == first]
    ends = [i for i, line in enumerate(lines) if line.strip() == last]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        raise Refused(f"the begin and end markers of {NAME} do not match")
    inner = lines[begins[0] : ends[0] + 1]
    at = sum(map(len, lines[: begins[0]]))
    indent = inner[0].partition(first)[0]
    bare = [line.removeprefix(indent).rstrip("\r\n") for line in inner]
    size = sum(map(len, inner))
    return FoundEntry(at, at + size, "".join(f"{line}\n" for line in bare))


def append_block(text: str, block: str) -> Splice:
    """Return the change that adds ggrep's block at the end, after an empty line."""
    newline = newline_of(text)
    before = ""
    if text:
        before = "" if text.endswith("\n") else newline
        is_apart = text.endswith(("\n\n", "\r\n\r\n")) or not text.strip()
        before += "" if is_apart else newline
    return Splice(len(text), "", before + block.replace("\n", newline))


def remove_block(text: str, entry: FoundEntry) -> Splice:
    """Return the change that removes a block; at the text's end, also an empty line before it."""
    start, newline = entry.start, newline_of(text)
    if entry.end == len(text) and text[:start].endswith(newline * 2):
        start -= len(newline)
    return Splice(start, text[start : entry.end], "")


_FIRST, _LAST = marker("# ", is_end=False), marker("# ", is_end=True)


def find_table(text: str, piece: TomlTable) -> FoundEntry | None:
    """Return ggrep's table with its markers, or a foreign table with the same name."""
    value: object = _value(text)
    for key in piece.keys:
        if not isinstance(value, Mapping):
            raise Refused(f"`{key}` is not inside a table")
        value = value.get(key, {})
    if not isinstance(value, Mapping):
        raise Refused(f"`{piece.keys[-1]}` is not a table")
    if NAME not in value:
        return None
    lines = text.splitlines(keepends=True)
    span = _span(lines, piece)
    if span is None:
        return FoundEntry(0, 0, "")
    body = [line.strip() for line in lines[slice(*span)]]
    is_commented = any("#" in line for line in body if line not in {_FIRST, _LAST, *piece.lines})
    start, end = (sum(map(len, lines[:at])) for at in span)
    return FoundEntry(start, end, "" if is_commented else spelled_value(value[NAME]))


def remove_table(text: str, entry: FoundEntry) -> Splice:
    """Return the change that removes ggrep's table and its end marker, even if they are apart."""
    start, newline = entry.start, newline_of(text)
    is_apart = entry.end == len(text) or text[entry.end :].startswith(newline)
    if is_apart and text[:start].endswith(newline * 2):
        start -= len(newline)
    at = entry.end
    for line in text[entry.end :].splitlines(keepends=True):
        if line.strip() == _LAST:
            return Splice(start, text[start : at + len(line)], text[entry.end : at])
        at += len(line)
    return Splice(start, text[start : entry.end], "")


def rest_of(text: str, piece: TomlTable) -> str:
    """Return the text's value without ggrep's table, as its `repr`.

    Values with `nan` are unequal to themselves; their `repr` texts are equal.
    """
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
        raise Refused(f"the file is not valid TOML: {error}") from error


def _copy(value: Mapping[str, object]) -> dict[str, object]:
    return {k: _copy(v) if isinstance(v, dict) else v for k, v in value.items()}


def _span(lines: list[str], piece: TomlTable) -> tuple[int, int] | None:
    """Return the lines of ggrep's table with its markers; None if the table has no header.

    A parser verifies the result before anything is written.
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
