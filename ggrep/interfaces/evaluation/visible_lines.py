"""Computes which of the expected ranges of lines an answer shows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.model.line_numbers import folded_range, numbered_lines
from ggrep.model.slate import Evidence, Pack, Slate

PLACE_PATTERN: Final = r"[^\n]+:[1-9][0-9]*-[1-9][0-9]*"
"""Pattern of a range of lines in files: `src/lock.c:120-127`."""

MOST_RANGE: Final = 80
"""Maximum number of lines of a named range through which lines count as reachable."""

_PLACE: Final = re.compile(r"(?P<path>[^\n]+):(?P<first>[1-9][0-9]*)-(?P<last>[1-9][0-9]*)")

Range: TypeAlias = tuple[int, int]
"""First and last line, 1-based, both included."""


class LineRange(Struct, frozen=True):
    """A range of lines of a file, 1-based, both included."""

    path: str
    first: int
    last: int

    @property
    def lines(self) -> int:
        """Return the number of lines in the range."""
        return self.last - self.first + 1

    def __str__(self) -> str:
        return f"{self.path}:{self.first}-{self.last}"


Choice: TypeAlias = tuple[LineRange, ...]
"""Alternative line ranges, of which one is enough."""


def line_range_of(text: str) -> LineRange | None:
    """Return the line range in a text of the form `path:first-last`; None for other texts."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match["first"]) > int(match["last"]):
        return None
    return LineRange(match["path"], int(match["first"]), int(match["last"]))


class ShownFile(Struct, frozen=True):
    """The part of a file that an answer shows.

    Attributes:
        path: path key; in a workspace it begins with the repository's alias and a slash.
        sections: sections of the slate that contain the file.
        shown: disjoint ranges of lines whose text is shown, in order.
        named: line ranges of all evidence for the file, whether or not the text is shown.
    """

    path: str
    sections: tuple[str, ...]
    shown: tuple[Range, ...]
    named: tuple[Range, ...]

    def shows(self, place: LineRange) -> int:
        """Return the number of a range's lines that are shown."""
        return _overlap(self.shown, place)

    def is_visible(self, place: LineRange) -> bool:
        """Return whether at least half of the range is shown."""
        return self.path == place.path and 2 * self.shows(place) >= place.lines

    def is_reachable(self, place: LineRange) -> bool:
        """Return whether the range is visible, or short named ranges cover at least half of it."""
        if self.path != place.path:
            return False
        short = _apart(lines for lines in self.named if lines[1] - lines[0] < MOST_RANGE)
        return self.is_visible(place) or 2 * _overlap(short, place) >= place.lines


class ShownSlate(Struct, frozen=True):
    """The lines that a slate shows.

    Attributes:
        files: distinct files, in the order of their first pack.
        total_bytes: size of the slate in the form for agents.
    """

    files: tuple[ShownFile, ...]
    total_bytes: int

    def file(self, path: str) -> ShownFile | None:
        """Return the entry of a file; None if the slate does not name the file."""
        return next((each for each in self.files if each.path == path), None)

    def shows(self, choice: Choice) -> bool:
        """Return whether any range of the choice is visible."""
        return any(each.is_visible(place) for each in self.files for place in choice)

    def tells(self, choice: Choice) -> bool:
        """Return whether any range of the choice is reachable."""
        return any(each.is_reachable(place) for each in self.files for place in choice)

    def names(self, choice: Choice) -> bool:
        """Return whether the slate names the file of any range of the choice."""
        return any(self.file(place.path) is not None for place in choice)


class Seen(Struct, frozen=True):
    """Coverage of the expected lines by one slate; shares from 0 to 1.

    Attributes:
        places: share of the choices with a visible range.
        told: share of the choices with a reachable range.
        files: share of the choices with a range whose file the slate names.
        line_precision: share of the shown lines that are in expected ranges; 0 without lines.
        file_precision: share of the named files with an expected range; 0 without files.
    """

    places: float
    told: float
    files: float
    line_precision: float
    file_precision: float
    size: int
    calls: int = 1


def seen(wanted: Sequence[Choice], slate: ShownSlate) -> Seen:
    """Return the coverage of the expected choices by a slate; at least one choice is required."""
    places = [place for choice in wanted for place in choice]
    paths = {place.path for place in places}
    lines = sum(last - first + 1 for each in slate.files for first, last in each.shown)
    fitting = sum(
        _overlap(each.shown, LineRange(each.path, first, last))
        for each in slate.files
        for first, last in _apart((p.first, p.last) for p in places if p.path == each.path)
    )
    return Seen(
        places=sum(map(slate.shows, wanted)) / len(wanted),
        told=sum(map(slate.tells, wanted)) / len(wanted),
        files=sum(map(slate.names, wanted)) / len(wanted),
        line_precision=fitting / lines if lines else 0.0,
        file_precision=(
            sum(each.path in paths for each in slate.files) / len(slate.files)
            if slate.files
            else 0.0
        ),
        size=slate.total_bytes,
    )


def shown_slate(slate: Slate) -> ShownSlate:
    """Return the lines that a slate shows."""
    packs: dict[str, list[Pack]] = {}
    for _, packs_of in slate.sections:
        for pack in packs_of:
            packs.setdefault(f"{pack.repo}/{pack.path}" if pack.repo else pack.path, []).append(
                pack
            )
    files = [_file(path, packs_of) for path, packs_of in packs.items()]
    return ShownSlate(tuple(files), slate.total_bytes)


def _file(path: str, packs: Sequence[Pack]) -> ShownFile:
    anchors = [pack.anchor for pack in packs if pack.anchor is not None]
    evidence = [piece for pack in packs for piece in pack.evidence]
    return ShownFile(
        path=path,
        sections=tuple(dict.fromkeys(pack.section.value for pack in packs)),
        shown=_apart(lines for piece in (*anchors, *evidence) for lines in _text(piece)),
        named=tuple(sorted({(piece.start_line, piece.end_line) for piece in evidence})),
    )


def _text(piece: Evidence) -> Iterator[Range]:
    """Yield the ranges of lines that a piece shows, without its folded lines."""
    lines = piece.snippet.split("\n") if piece.snippet else ()
    for number, line in numbered_lines(lines, piece.snippet_start_line):
        if folded_range(number, line) is None:
            yield number, number


def _overlap(ranges: Iterable[Range], place: LineRange) -> int:
    """Return the number of the lines of `place` that are in disjoint `ranges`."""
    return sum(
        max(0, min(last, place.last) - max(first, place.first) + 1) for first, last in ranges
    )


def _apart(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges in order; adjacent and overlapping ranges are merged."""
    return tuple(_joined(sorted(ranges)))


def _joined(ranges: Sequence[Range]) -> Iterator[Range]:
    run: Range | None = None
    for first, last in ranges:
        if run is not None and first <= run[1] + 1:
            run = run[0], max(run[1], last)
        else:
            if run is not None:
                yield run
            run = first, last
    if run is not None:
        yield run
