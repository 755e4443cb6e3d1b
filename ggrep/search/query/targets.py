"""Resolves the targets of requests in a snapshot: row ids, paths, paths with lines."""

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
"""A chunk's short name in text for agents: the first digits of its row id."""
_WHOLE_ID: Final = 64
_MOST_CANDIDATES: Final = 5
"""Maximum number of rows that an error lists if several row ids begin with the same digits."""
_MOST_COMPARED: Final = 5000
"""Maximum number of paths with which a mistyped path is compared."""
_ALIKE: Final = 0.6
_LABEL_DIGITS: Final = 12


class ResolvedTarget(Struct, frozen=True):
    """The file, row and lines that a target names.

    Attributes:
        segment: position in the snapshot's segments.
        row: the row in which the place begins; None in a file without rows.
        first_line: 1-based, like `last_line`; for a row id, these are the lines of the row.
        is_file: whether the target is a path without lines.
        is_range: whether the target has a first and a last line.
    """

    segment: int
    file: int
    row: int | None
    first_line: int
    last_line: int
    is_file: bool = False
    is_range: bool = False


def is_place(text: str) -> bool:
    """Return whether a text has the form of a path with a line, or of a whole row id."""
    return is_place_text(text) or (len(text) == _WHOLE_ID and _ROW_ID.fullmatch(text) is not None)


def find_target(
    segments: Sequence[SearchableSegment], text: str, deadline: Deadline
) -> ResolvedTarget:
    """Return the file, row and lines that a target names, if they are visible.

    Args:
        segments: the segments of the snapshot.
        text: `path`, `path:line`, `path:line-line`, a position as compilers print it, or at least
            the first 7 digits of a row id, with or without a preceding `#`.
        deadline: checked before each segment.

    Raises:
        InvalidRequest: the target does not exist, or several row ids begin with the digits.
        DeadlineExceeded: time ran out.
    """
    whole, *readings = place_readings(text.removeprefix("./"))
    for path, line, end in (whole, *readings):
        if (location := find_file(segments, path.removeprefix("./"))) is None:
            continue
        if (path, line, end) == whole:
            return replace(_of_lines(segments, location, path, 1, 1), is_file=True)
        last = line if end is None else end
        if not 1 <= line <= last:
            raise InvalidRequest(
                f"target: {text!r}: line numbers start at 1, and the last must not be "
                "before the first"
            )
        return replace(_of_lines(segments, location, path, line, last), is_range=end is not None)
    if not readings and _ROW_ID.fullmatch(text):
        return _of_row_id(segments, text.removeprefix("#"), deadline)
    path = (readings or [whole])[0].path
    raise InvalidRequest(f"target: the index has no file {path!r}{_nearest(segments, path)}")


def target_exists(segments: Sequence[SearchableSegment], text: str, deadline: Deadline) -> bool:
    """Return whether a target names a visible file, lines of such a file, or a visible row.

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
    location: tuple[int, int],
    path: str,
    first: int,
    last: int,
) -> ResolvedTarget:
    place, file = location
    segment = segments[place]
    image = segment.image
    rows = segment.rows_of(file)
    lines = int(image.row_lines(rows.start, rows.stop)[1].max(initial=1))
    if first > lines:
        raise InvalidRequest(f"target: line {first} does not exist; {path!r} has {lines} lines")
    row = row_at(segment, file, first)
    if row is None:  # the line is one of the blank lines before the first chunk
        row = next((row for row in rows if not image.row_anchors[row]), None)
    return ResolvedTarget(place, file, row, first, min(last, lines))


def _of_row_id(
    segments: Sequence[SearchableSegment], digits: str, deadline: Deadline
) -> ResolvedTarget:
    rows = _rows_of_id(segments, digits, deadline)
    if not rows:
        raise InvalidRequest(f"target: the index has no row or file {digits!r}")
    if len(rows) > 1:
        labels = ", ".join(_row_label(segments, each) for each in rows[:_MOST_CANDIDATES])
        raise InvalidRequest(
            f"target: {len(rows)} row ids begin with {digits!r}; use more digits: {labels}"
        )
    place, row = rows[0]
    image = segments[place].image
    return ResolvedTarget(place, int(image.row_files[row]), row, *image.lines(row))


def _row_label(segments: Sequence[SearchableSegment], location: tuple[int, int]) -> str:
    """Return the first digits of a row's id, and the row's path and lines."""
    place, row = location
    image = segments[place].image
    first, last = image.lines(row)
    path = image.path(int(image.row_files[row]))
    return f"{image.row_id(row).hex()[:_LABEL_DIGITS]} {path}:{first}-{last}"


def _rows_of_id(
    segments: Sequence[SearchableSegment], digits: str, deadline: Deadline
) -> list[tuple[int, int]]:
    """Return the visible rows whose id begins with `digits`, each as segment and row."""
    matching: list[tuple[int, int]] = []
    prefix = np.frombuffer(bytes.fromhex(digits[: len(digits) // 2 * 2]), dtype=np.uint8)
    for place, segment in enumerate(segments):
        deadline.check("looking for a row")
        ids = segment.image.arrays["row_ids"].view(np.uint8)[:, : len(prefix)]
        rows = np.flatnonzero((ids == prefix).all(axis=1) & segment.visible_rows).tolist()
        matching += [
            (place, row) for row in rows if segment.image.row_id(row).hex().startswith(digits)
        ]
    return matching


def _nearest(segments: Sequence[SearchableSegment], path: str) -> str:
    """Return the end of a message that suggests a similar path; empty if no path is similar."""
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
