"""Parses references to places in a snapshot: row ids, paths, paths with lines."""

import difflib
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.model.written_names import is_place_text, place_readings
from ggrep.search.query.file_text import row_at
from ggrep.search.query.segments import SearchableSegment, find_file

_ROW_ID: Final = re.compile(r"#?[0-9a-f]{7,64}")
HANDLE: Final = re.compile(r"#[0-9a-f]{7,64}")
"""How a text for agents names a chunk: the first digits of its row id."""
_WHOLE_ID: Final = 64
_MOST_CANDIDATES: Final = 5
"""Rows that are named where several begin with the same digits."""
_MOST_COMPARED: Final = 5000
"""Paths that a mistyped one is compared with."""
_ALIKE: Final = 0.6
_TOLD_DIGITS: Final = 12


class Target(Struct, frozen=True):
    """A place that was found.

    Attributes:
        segment: place in the snapshot's segments.
        row: that the place begins in; None in a file without any.
        first_line: 1-based, as `last_line`; those of the row where no line was named.
        is_file: no line of the file was named, nor a row.
        is_range: a first and a last line were named.
    """

    segment: int
    file: int
    row: int | None
    first_line: int
    last_line: int
    is_file: bool = False
    is_range: bool = False


def is_place(text: str) -> bool:
    """Return whether a text has the form of a place with a line, or of a whole row id."""
    return is_place_text(text) or (len(text) == _WHOLE_ID and _ROW_ID.fullmatch(text) is not None)


def find_target(segments: Sequence[SearchableSegment], text: str, deadline: Deadline) -> Target:
    """Return the visible place that a target names.

    Args:
        segments: of the snapshot.
        text: `path`, `path:line`, `path:line-line`, a place as compilers print it, or a row id
            or at least 7 of its digits, behind a `#` or not.
        deadline: checked before each segment.

    Raises:
        InvalidRequest: nothing, or more than one row, is named so.
        DeadlineExceeded: time ran out.
    """
    whole, *readings = place_readings(text.removeprefix("./"))
    for path, line, end in (whole, *readings):
        if (held := find_file(segments, path.removeprefix("./"))) is None:
            continue
        if (path, line, end) == whole:
            return replace(_of_lines(segments, held, path, 1, 1), is_file=True)
        last = line if end is None else end
        if not 1 <= line <= last:
            raise InvalidRequest(f"target: {text!r}: lines count from 1 and go up")
        return replace(_of_lines(segments, held, path, line, last), is_range=end is not None)
    if not readings and _ROW_ID.fullmatch(text):
        return _of_row_id(segments, text.removeprefix("#"), deadline)
    path = (readings or [whole])[0].path
    raise InvalidRequest(f"target: no file {path!r} in this index{_nearest(segments, path)}")


def is_held(segments: Sequence[SearchableSegment], text: str, deadline: Deadline) -> bool:
    """Return whether a target is a file, lines of one, or the first digits of a row's id.

    Raises:
        DeadlineExceeded: time ran out.
    """
    readings = place_readings(text.removeprefix("./"))
    if any(find_file(segments, each.path.removeprefix("./")) is not None for each in readings):
        return True
    digits = text.removeprefix("#")
    return _ROW_ID.fullmatch(text) is not None and bool(_rows_of_id(segments, digits, deadline))


def _of_lines(
    segments: Sequence[SearchableSegment],
    held: tuple[int, int],
    path: str,
    first: int,
    last: int,
) -> Target:
    place, file = held
    segment = segments[place]
    image = segment.image
    rows = segment.rows_of(file)
    lines = int(image.row_lines(rows.start, rows.stop)[1].max(initial=1))
    if first > lines:
        raise InvalidRequest(f"target: {path!r} has {lines} lines, none of them {first}")
    row = row_at(segment, file, first)
    if row is None:  # in front of the first chunk, where all is blank
        row = next((row for row in rows if not image.row_anchors[row]), None)
    return Target(place, file, row, first, min(last, lines))


def _of_row_id(segments: Sequence[SearchableSegment], digits: str, deadline: Deadline) -> Target:
    found = _rows_of_id(segments, digits, deadline)
    if not found:
        raise InvalidRequest(f"target: no row or file {digits!r} in this index")
    if len(found) > 1:
        told = ", ".join(_told(segments, each) for each in found[:_MOST_CANDIDATES])
        raise InvalidRequest(
            f"target: {len(found)} rows begin with {digits!r}; give more digits: {told}"
        )
    place, row = found[0]
    image = segments[place].image
    return Target(place, int(image.row_files[row]), row, *image.lines(row))


def _told(segments: Sequence[SearchableSegment], found: tuple[int, int]) -> str:
    """Return a row by more of its digits and its place."""
    place, row = found
    image = segments[place].image
    first, last = image.lines(row)
    path = image.path(int(image.row_files[row]))
    return f"{image.row_id(row).hex()[:_TOLD_DIGITS]} {path}:{first}-{last}"


def _rows_of_id(
    segments: Sequence[SearchableSegment], digits: str, deadline: Deadline
) -> list[tuple[int, int]]:
    """Return the visible rows whose id begins with some digits, each as segment and row."""
    found: list[tuple[int, int]] = []
    prefix = np.frombuffer(bytes.fromhex(digits[: len(digits) // 2 * 2]), dtype=np.uint8)
    for place, segment in enumerate(segments):
        deadline.check("looking for a row")
        ids = segment.image.arrays["row_ids"].view(np.uint8)[:, : len(prefix)]
        rows = np.flatnonzero((ids == prefix).all(axis=1) & segment.visible_rows).tolist()
        found += [
            (place, row) for row in rows if segment.image.row_id(row).hex().startswith(digits)
        ]
    return found


def _nearest(segments: Sequence[SearchableSegment], path: str) -> str:
    """Suggest the file that was meant; empty if none is likely."""
    paths = sorted(
        key
        for segment in segments
        for key, shown in zip(segment.image.paths(), segment.visible_files.tolist(), strict=True)
        if shown
    )
    name = path.rpartition("/")[2].casefold()
    named = [key for key in paths if key.rpartition("/")[2].casefold() == name]
    near = named or difflib.get_close_matches(path, paths[:_MOST_COMPARED], n=1, cutoff=_ALIKE)
    return f"; the nearest is {near[0]!r}" if near else ""
