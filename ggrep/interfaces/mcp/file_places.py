"""Indexed files as resources: `ggrep://file/PATH`, whole or some lines of them."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from ggrep.base.errors import InvalidRequest

if TYPE_CHECKING:
    from ggrep.base.stable_json import Document

FILE_TEMPLATE: Final = "ggrep://file/{+path}{?lines,root}"
"""`lines` is `10` or `10-40`; a fragment `#L10-40` says the same."""

_BEGINNING: Final = "ggrep://file/"
_LINES: Final = re.compile(r"L?(\d{1,9})(?:-L?(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file, or some lines of it.

    Attributes:
        path: below the root of its repository.
        lines: first and last, 1-based; None for all.
        root: a directory of the repository; None for the server's own.
    """

    path: str
    lines: tuple[int, int] | None = None
    root: str | None = None

    @property
    def target(self) -> str:
        """Return the place that `expand` takes."""
        return self.path if self.lines is None else f"{self.path}:{self.lines[0]}"


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file as they were indexed.

    Attributes:
        first: line of the first of them; 0 where there are none.
        rest: where to read on; empty where nothing that was asked for is missing.
    """

    text: str
    first: int
    last: int
    file_lines: int
    rest: str = ""


def is_file(uri: str) -> bool:
    """Return whether an address is of a file."""
    return uri.startswith(_BEGINNING)


def file_place(uri: str) -> FilePlace:
    """Return the file that an address names.

    Raises:
        InvalidRequest: it names none, or no lines.
    """
    parts = urlsplit(uri)
    path = unquote(parts.path.removeprefix("/"))
    asked = parse_qs(parts.query, keep_blank_values=True)
    if not path or "\0" in path:
        raise InvalidRequest(f"{uri!a:.80} names no file; write {FILE_TEMPLATE}")
    if unknown := sorted(asked.keys() - {"lines", "root"}):
        raise InvalidRequest(f"{unknown[0]!a:.80} is unknown; write {FILE_TEMPLATE}")
    said = [*asked.get("lines", ()), *([parts.fragment] if parts.fragment else ())]
    roots = asked.get("root", [None])
    if len(said) > 1 or len(roots) > 1:
        raise InvalidRequest(f"{uri!a:.80} says something twice")
    return FilePlace(path, _lines(said[0]) if said else None, roots[0])


def _lines(said: str) -> tuple[int, int]:
    found = _LINES.fullmatch(said)
    first = int(found[1]) if found else 0
    last = int(found[2] or found[1]) if found else 0
    if not 1 <= first <= last:
        raise InvalidRequest(f"{said!a:.80} names no lines; write 10 or 10-40")
    return first, last


def text_of(place: FilePlace, document: "Document") -> FileText:
    """Return the lines of a place, of the answer of `expand` for the whole of its file.

    Raises:
        InvalidRequest: the file has no such line.
    """
    whole: int = document["file_lines"]  # type: ignore[assignment] # by its schema
    begins: int = document["start_line"]  # type: ignore[assignment] # by its schema
    content = str(document["content"])
    held = content.split("\n") if content or whole else []
    first, last = place.lines or (1, max(1, whole))
    if place.lines and first > whole:
        raise InvalidRequest(f"{place.path} has {whole} lines, none is line {first}")
    last = min(last, whole)
    shown = held[max(0, first - begins) : last - begins + 1]
    start = max(first, begins) if shown else 0
    end = start + len(shown) - 1 if shown else 0
    rest = ""
    if start > first or end < last:
        wanted = f"{first}-{start - 1}" if start > first else f"{end + 1}-{last}"
        rest = f"{_BEGINNING}{quote(place.path)}?lines={wanted}"
    return FileText("\n".join(shown), start, end, whole, rest)
