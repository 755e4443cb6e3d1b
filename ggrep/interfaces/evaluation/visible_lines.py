"""Expected ranges of lines, and which of them an answer shows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.model.slate import LEFT_OUT, Evidence, Pack, Slate

PLACE_PATTERN: Final = r"[^\n]+:[1-9][0-9]*-[1-9][0-9]*"
"""A range of lines as files write it: `src/lock.c:120-127`."""

MOST_RANGE: Final = 80
"""Lines of a range that still tells a place; a longer one is half a file."""

_PLACE: Final = re.compile(r"(?P<path>[^\n]+):(?P<first>[1-9][0-9]*)-(?P<last>[1-9][0-9]*)")

Range: TypeAlias = tuple[int, int]
"""First and last line, 1-based, both included."""


class LineRange(Struct, frozen=True):
    """Lines of a file, from 1, the last included."""

    path: str
    first: int
    last: int

    @property
    def lines(self) -> int:
        """Return how many lines it has."""
        return self.last - self.first + 1

    def __str__(self) -> str:
        return f"{self.path}:{self.first}-{self.last}"


Choice: TypeAlias = tuple[LineRange, ...]
"""Places of which any one will do."""


def line_range_of(text: str) -> LineRange | None:
    """Return the place that a text names; None where it names none."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match["first"]) > int(match["last"]):
        return None
    return LineRange(match["path"], int(match["first"]), int(match["last"]))


class ShownFile(Struct, frozen=True):
    """The part of a file that an answer shows.

    Attributes:
        path: path key; in a workspace with the repository's alias and a slash before it.
        sections: sections of a slate with the file; it may be two.
        shown: lines whose text is shown, in order, apart from each other.
        named: ranges that are shown or only named, whatever their length.
    """

    path: str
    sections: tuple[str, ...]
    shown: tuple[Range, ...]
    named: tuple[Range, ...]

    def shows(self, place: LineRange) -> int:
        """Return how many lines of a place are shown."""
        return _held(self.shown, place)

    def is_visible(self, place: LineRange) -> bool:
        """Return whether at least half of the place is shown."""
        return self.path == place.path and 2 * self.shows(place) >= place.lines

    def is_told(self, place: LineRange) -> bool:
        """Return whether it is visible, or lies in ranges that are short enough to go to."""
        if self.path != place.path:
            return False
        short = _apart(one for one in self.named if one[1] - one[0] < MOST_RANGE)
        return self.is_visible(place) or 2 * _held(short, place) >= place.lines


class ShownSlate(Struct, frozen=True):
    """A slate as far as places go.

    Attributes:
        files: distinct, in the order of their first pack.
        total_bytes: size of the slate as agents read it.
    """

    files: tuple[ShownFile, ...]
    total_bytes: int

    def file(self, path: str) -> ShownFile | None:
        """Return what is shown of a file; None where it is not even named."""
        return next((each for each in self.files if each.path == path), None)

    def shows(self, choice: Choice) -> bool:
        """Return whether one of the places is visible."""
        return any(each.is_visible(place) for each in self.files for place in choice)

    def tells(self, choice: Choice) -> bool:
        """Return whether one of the places is told."""
        return any(each.is_told(place) for each in self.files for place in choice)

    def names(self, choice: Choice) -> bool:
        """Return whether the file of one of the places is named."""
        return any(self.file(place.path) is not None for place in choice)


class Seen(Struct, frozen=True):
    """Coverage of the expected lines by one answer; shares from 0 to 1.

    Attributes:
        places: share of the choices of which a place is visible.
        told: share of those of which a place is told.
        files: share of those of which a place's file is named.
        line_precision: share of the lines shown that belong to a place; 0 where none is shown.
        file_precision: share of the files named that hold a place; 0 where none is named.
    """

    places: float
    told: float
    files: float
    line_precision: float
    file_precision: float
    size: int
    calls: int = 1


def seen(wanted: Sequence[Choice], slate: ShownSlate) -> Seen:
    """Return what a slate shows and names of some choices of places; there is one at least."""
    places = [place for choice in wanted for place in choice]
    paths = {place.path for place in places}
    lines = sum(last - first + 1 for each in slate.files for first, last in each.shown)
    fitting = sum(
        _held(each.shown, LineRange(each.path, first, last))
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
    """Return a slate as far as places go."""
    packs: dict[str, list[Pack]] = {}
    for _, held in slate.sections:
        for pack in held:
            packs.setdefault(f"{pack.repo}/{pack.path}" if pack.repo else pack.path, []).append(
                pack
            )
    files = [_file(path, held) for path, held in packs.items()]
    return ShownSlate(tuple(files), slate.total_bytes)


def _file(path: str, packs: Sequence[Pack]) -> ShownFile:
    anchors = [pack.anchor for pack in packs if pack.anchor is not None]
    evidence = [piece for pack in packs for piece in pack.evidence]
    return ShownFile(
        path=path,
        sections=tuple(dict.fromkeys(pack.section.value for pack in packs)),
        shown=_apart(one for piece in (*anchors, *evidence) for one in _text(piece)),
        named=tuple(sorted({(piece.start_line, piece.end_line) for piece in evidence})),
    )


def _text(piece: Evidence) -> Iterator[Range]:
    """Yield the lines that a piece shows, without the comments that it leaves out."""
    left_out = not piece.snippet
    for number, line in enumerate(piece.snippet.split("\n"), piece.snippet_start_line):
        left_out = line == LEFT_OUT or (left_out and not line)
        if not left_out:
            yield number, number


def _held(ranges: Iterable[Range], place: LineRange) -> int:
    """Return how many lines of a place lie in ranges that are apart from each other."""
    return sum(
        max(0, min(last, place.last) - max(first, place.first) + 1) for first, last in ranges
    )


def _apart(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the same lines in order, those joined that touch or overlap."""
    return tuple(_joined(sorted(ranges)))


def _joined(ranges: Sequence[Range]) -> Iterator[Range]:
    held: Range | None = None
    for first, last in ranges:
        if held is not None and first <= held[1] + 1:
            held = held[0], max(held[1], last)
        else:
            if held is not None:
                yield held
            held = first, last
    if held is not None:
        yield held
