"""Notices on how the files of an answer were decoded, if that affects the shown text."""

from collections.abc import Iterable, Iterator

from ggrep.base.ids import PathKey
from ggrep.index.store.view import SnapshotView
from ggrep.model.files import CELL_LINES, READING, RECODED
from ggrep.model.limits import FileReading, Notice, reading_notices
from ggrep.search.query.row_reading import row_details
from ggrep.search.query.segments import SearchableSegment, open_segments


def file_notices(view: SnapshotView, paths: Iterable[str]) -> tuple[Notice, ...]:
    """Return the notices on visible files by their paths; raises the errors of `row_details`."""
    keys = sorted({PathKey(path) for path in paths})
    return reading_notices(
        reading
        for segment in (open_segments(view) if keys else ())
        for reading in _readings(view, segment, keys)
    )


def encoding_of(view: SnapshotView, segment: SearchableSegment, file: int) -> str:
    """Return the encoding of a file; empty for UTF-8. Raises the errors of `row_details`."""
    if not int(segment.image.file_traits[file]) & RECODED:
        return ""
    (details,) = row_details(view, segment, segment.rows_of(file)[:1])
    return details.encoding


def _readings(
    view: SnapshotView, segment: SearchableSegment, keys: list[PathKey]
) -> Iterator[FileReading]:
    image = segment.image
    for file in image.find_all(keys):
        traits = int(image.file_traits[file]) & READING
        if traits and segment.visible_files[file]:
            encoding = "" if traits == CELL_LINES else encoding_of(view, segment, file)
            yield FileReading(image.path(file), encoding, traits)
