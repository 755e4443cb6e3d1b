"""The texts of a client's documents, and locations of the index in these texts.

A client counts lines from 0, ended by LF, CR LF or CR, and columns from 0 in units of the
negotiated encoding. Columns in this module count characters.
"""

import os
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from lsprotocol import types
from msgspec import Struct

from ggrep.model.written_names import bare_name, last_of, word_pattern

MAX_FILE_BYTES: Final = 16 << 20
"""Larger files are not read; a location in such a file is the beginning of its line."""
_MOST_COMPARED: Final = 20_000
"""Maximum number of lines between the first and the last changed line to compare."""
_NEAR: Final = 200
"""Number of lines above and below a location to search for its name."""
_WIDTHS: Final = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def units(text: str, encoding: str) -> int:
    """Return the length of a text in units of an encoding: `utf-8`, `utf-16` or `utf-32`."""
    codec, width = _WIDTHS[encoding]
    return len(text) if text.isascii() else len(text.encode(codec, "surrogatepass")) // width


def column_of(line: str, character: int, encoding: str) -> int:
    """Return the column for a position in a client's units; at most the line's length."""
    if line.isascii():
        return min(character, len(line))
    codec, width = _WIDTHS[encoding]
    part = line.encode(codec, "surrogatepass")[: character * width]
    return len(part.decode(codec, "ignore"))


class OpenText:
    """A document that the client has opened, with its current text."""

    def __init__(self, uri: str, text: str) -> None:
        self.uri = uri
        self.lines = lines_of(text)

    def edit(self, change: types.TextDocumentContentChangeEvent, encoding: str) -> None:
        """Apply one change of the client to the text."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            self.lines = lines_of(change.text)
            return
        first, last = change.range.start, change.range.end
        if first.line >= len(self.lines):  # the protocol uses this position for the end of the text
            first = types.Position(len(self.lines) - 1, 1 << 30)
        head = self.line(first.line)[: column_of(self.line(first.line), first.character, encoding)]
        tail = self.line(last.line)[column_of(self.line(last.line), last.character, encoding) :]
        self.lines[first.line : last.line + 1] = lines_of(f"{head}{change.text}{tail}")

    def line(self, number: int) -> str:
        """Return a line; empty after the end of the text."""
        return self.lines[number] if number < len(self.lines) else ""


def real_path(path: Path) -> Path:
    """Return an absolute path without symbolic links, as in answers."""
    return Path(os.path.realpath(path))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file on disk; none if it cannot be read as text."""
    from ggrep.parse.source.decoding import decode

    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return []
        decoded = decode(path.read_bytes())
    except OSError:
        return []
    text = "" if decoded is None else decoded.data.decode("utf-8", "replace")
    return lines_of(text.removeprefix("\ufeff"))


class Places(Struct, frozen=True):
    """Converts locations of the index to ranges in the client's text of one file.

    Attributes:
        lines: lines of the file in the editor, or on disk if it is not open.
        moved: returns the editor's line for a line of the saved file; None for an edited line.
    """

    uri: str
    lines: Sequence[str]
    moved: Callable[[int], int | None]
    language: str
    encoding: str

    def span(self, first: int, last: int) -> types.Range:
        """Return the range of whole lines; `first` and `last` are 1-based and inclusive."""
        start, end = self._near(first - 1), self._near(last - 1)
        end = max(start, end)
        stop = self._range(end, 0, len(self.lines[end]) if self.lines else 0).end
        return types.Range(types.Position(start, 0), stop)

    def name(self, name: str, line: int, column: int = 1) -> types.Range | None:
        """Return the range of a name at a 1-based line and column; None if it is not there."""
        number = self.moved(line - 1)
        if number is None or number >= len(self.lines):
            return None
        text = self.lines[number]
        spans = self._spans(name, text)
        if not spans:
            return None
        return self._range(number, *min(spans, key=lambda span: abs(span[0] - column + 1)))

    def nearest(self, name: str, line: int) -> types.Range:
        """Return the range of a name in the nearest line with that name; else the line's beginning.

        Some definitions do not contain their names verbatim, such as keys of data files.
        """
        wanted = self._near(line - 1)
        window = range(max(0, wanted - _NEAR), min(len(self.lines), wanted + _NEAR))
        for number in sorted(window, key=lambda number: abs(number - wanted)):
            spans = self._spans(name, self.lines[number])
            if spans:
                return self._range(number, *spans[0])
        return self._range(wanted, 0, 0)

    def inside(self, span: types.Range, name: str) -> types.Range:
        """Return the first occurrence of a name in a range of lines; else the range's beginning."""
        first = span.start.line
        for number in range(first, min(span.end.line, first + _NEAR) + 1):
            at = self.lines[number].find(name) if number < len(self.lines) else -1
            if at >= 0:
                return self._range(number, at, at + len(name))
        return self._range(first, 0, 0)

    def _range(self, number: int, start: int, end: int) -> types.Range:
        text = self.lines[number] if number < len(self.lines) else ""
        begin, stop = (units(text[:at], self.encoding) for at in (start, end))
        return types.Range(types.Position(number, begin), types.Position(number, stop))

    def _spans(self, name: str, text: str) -> list[tuple[int, int]]:
        bare = bare_name(name)
        for spelled in dict.fromkeys((bare, last_of(bare))):
            for any_case in (False, True):
                pattern = word_pattern(spelled, self.language, any_case)
                spans = [match.span() for match in pattern.finditer(text)]
                if spans:
                    return spans
        return []

    def _near(self, line: int) -> int:
        """Return the editor's line for a saved line, or for the nearest unchanged line above."""
        while line > 0 and self.moved(line) is None:
            line -= 1
        return min(self.moved(line) or 0, max(len(self.lines) - 1, 0))


def line_map(saved: Sequence[str], edited: Sequence[str]) -> Callable[[int], int | None]:
    """Return a function from saved to edited line numbers; its result is None for edited lines."""
    least = min(len(saved), len(edited))
    head = next((n for n in range(least) if saved[n] != edited[n]), least)
    rest = least - head
    tail = next((n for n in range(rest) if saved[-1 - n] != edited[-1 - n]), rest)
    old, new = saved[head : len(saved) - tail], edited[head : len(edited) - tail]
    between: dict[int, int] = {}
    if max(len(old), len(new)) <= _MOST_COMPARED:
        for block in SequenceMatcher(None, old, new).get_matching_blocks():
            between.update((block.a + n, block.b + n) for n in range(block.size))

    def moved(line: int) -> int | None:
        if line < head:
            return line
        if line >= len(saved) - tail:
            return line + len(edited) - len(saved)
        at = between.get(line - head)
        return None if at is None else head + at

    return moved


class Texts:
    """The open documents of a client, by path without symbolic links."""

    def __init__(self) -> None:
        self._open: dict[Path, OpenText] = {}
        self.encoding = "utf-16"

    def open(self, path: Path, uri: str, text: str) -> None:
        """Store a document that the client has opened."""
        self._open[real_path(path)] = OpenText(uri, text)

    def close(self, path: Path) -> None:
        """Forget a document; from now on its text is that on disk."""
        self._open.pop(real_path(path), None)

    def get(self, path: Path) -> OpenText | None:
        """Return an open document; None if it is not open."""
        return self._open.get(real_path(path))

    def places(self, path: Path, uri: str, language: str) -> Places:
        """Return the converter for a file; it reads the file, so call it outside the event loop.

        Args:
            path: path of the file.
            uri: URI of the file, if the client has not opened it.
            language: language of the file, which determines the letters of names.
        """
        saved, document = read_lines(path), self.get(path)
        if document is None:
            return Places(uri, saved, lambda line: line, language, self.encoding)
        lines = list(document.lines)
        if saved and lines[0].startswith("\ufeff"):
            saved[0] = f"\ufeff{saved[0]}"
        moved = line_map(saved, lines) if saved and saved != lines else lambda line: line
        return Places(document.uri, lines, moved, language, self.encoding)
