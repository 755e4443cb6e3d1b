"""What is written into one file, and the values that edits are told by."""

import tomllib
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.base.stable_json import Json

NAME: Final = "ggrep"
"""The name of our entry in every file."""


class Refused(UsageError):
    """A file cannot be edited safely; it was not touched."""


class JsonEntry(Struct, frozen=True):
    """A member of an object in JSON or JSONC.

    Attributes:
        keys: of the objects that lead to it, from the outermost.
    """

    keys: tuple[str, ...]
    value: Mapping[str, Json]

    @property
    def spelled(self) -> str:
        """Return the value in canonical JSON."""
        return stable_json.dumps(self.value).decode()


class TomlTable(Struct, frozen=True):
    """A table at the end of a TOML file, between markers.

    Attributes:
        keys: of the table that ours is in.
    """

    keys: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def block(self) -> str:
        """Return the table between markers."""
        return block_of("# ", self.lines)

    @property
    def spelled(self) -> str:
        """Return what the table says, in canonical JSON."""
        value = tomllib.loads("\n".join(self.lines))
        for key in (*self.keys, NAME):
            value = value[key]
        return spelled_value(value)


class Section(Struct, frozen=True):
    """A marked section at the end of a text.

    Attributes:
        marks: what begins and ends a comment there.
    """

    lines: tuple[str, ...]
    marks: tuple[str, str] = ("<!-- ", " -->")

    @property
    def spelled(self) -> str:
        """Return the marked block."""
        start, end = self.marks
        return block_of(start, self.lines, end)


class WholeFile(Struct, frozen=True):
    """A file that is ours alone."""

    text: str

    @property
    def spelled(self) -> str:
        """Return the text."""
        return self.text


Piece: TypeAlias = JsonEntry | TomlTable | Section | WholeFile


def spelled_value(value: object) -> str:
    """Return a value in canonical JSON; empty for one that JSON cannot say."""
    try:
        return stable_json.dumps({"value": cast(Json, value)}).decode()
    except TypeError:
        return ""


def marker(start: str, *, is_end: bool, end: str = "") -> str:
    """Return the line that our block begins or ends with."""
    return f"{start}{'<<<' if is_end else '>>>'} {NAME} {'<<<' if is_end else '>>>'}{end}"


def block_of(start: str, lines: tuple[str, ...], end: str = "") -> str:
    """Return lines between markers, each with a line feed."""
    first, last = marker(start, is_end=False, end=end), marker(start, is_end=True, end=end)
    return "".join(f"{line}\n" for line in (first, *lines, last))


class Splice(Struct, frozen=True):
    """One change of a text: `removed` at `offset` becomes `inserted`.

    Attributes:
        opened: objects that had to be made around our entry.
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

        Requires: `inserted` stands at `offset`.
        """
        end = self.offset + len(self.inserted)
        return text[: self.offset] + self.removed + text[end:]


class Found(Struct, frozen=True):
    """Our entry in a text, or one that has its place.

    Attributes:
        start: offset of all that is to go with it; `end` is exclusive.
        spelled: comparable to that of a piece; empty for one that is not ours at all.
    """

    start: int
    end: int
    spelled: str


def newline_of(text: str) -> str:
    """Return how lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"
