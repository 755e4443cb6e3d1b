"""The bytes of a file as indexed, with the offset of each of its chunks.

Chunks tile a file but for the blanks between them. How many bytes and line ends a gap had is
known; which blanks stood at the ends of its lines is not, and spaces stand for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ggrep.base.deadline import Deadline
from ggrep.base.errors import CorruptStore
from ggrep.index.store.tables import read_columns
from ggrep.index.store.view import SnapshotView, gone
from ggrep.search.query.segments import SearchableSegment

_BATCH_ROWS = 2048
_COLUMNS = ("text", "display_start", "display_length", "byte_start", "byte_end")


@dataclass(frozen=True, slots=True)
class Part:
    """One chunk in its file.

    Attributes:
        start: offset of its first byte in the file; `end` is exclusive.
        first_line: 1-based, as `last_line`.
    """

    row: int
    start: int
    end: int
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A reassembled file.

    Attributes:
        parts: its chunks in source order; none of them overlap.
        anchors: its header chunks, which repeat what others hold.
    """

    file: int
    data: bytes
    parts: tuple[Part, ...]
    anchors: tuple[Part, ...]


def read_files(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> Iterator[FileBytes]:
    """Yield files of a segment, read in batches.

    Args:
        view: the pinned snapshot.
        segment: one of its segments.
        files: ascending.
        deadline: checked before each read.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    bounds = segment.image.file_rows
    batch: list[int] = []
    rows = 0
    for file in files:
        batch.append(file)
        rows += int(bounds[file + 1]) - int(bounds[file])
        if rows >= _BATCH_ROWS:
            yield from _read(view, segment, batch, deadline)
            batch, rows = [], 0
    if batch:
        yield from _read(view, segment, batch, deadline)


def _read(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> Iterator[FileBytes]:
    deadline.check("reading files")
    image = segment.image
    spans = [range(int(image.file_rows[file]), int(image.file_rows[file + 1])) for file in files]
    rows = [row for span in spans for row in span]
    try:
        found = read_columns(view.store, image.name, rows, _COLUMNS) if rows else None
    except CorruptStore as error:
        if (removed := gone(view)) is not None:
            raise removed from error
        raise
    columns = [found.column(name).to_pylist() for name in _COLUMNS] if found is not None else []
    place = 0
    for file, span in zip(files, spans, strict=True):
        cut = slice(place, place + len(span))
        place += len(span)
        texts = [
            text[start : start + length].encode()
            for text, start, length in zip(*(column[cut] for column in columns[:3]), strict=True)
        ]
        starts, ends = (lines.tolist() for lines in image.row_lines(span.start, span.stop))
        offsets = [column[cut] for column in columns[3:]]
        parts = list(map(Part, span, *offsets, starts, ends)) if columns else []
        size = int(image.arrays["file_sizes"][file])
        yield _joined(segment, file, list(zip(parts, texts, strict=True)), size)


def _joined(
    segment: SearchableSegment, file: int, held: list[tuple[Part, bytes]], size: int
) -> FileBytes:
    is_anchor = segment.image.row_anchors
    pieces: list[bytes] = []
    parts: list[Part] = []
    end, line = 0, 1
    for part, text in held:
        if is_anchor[part.row]:
            continue
        pieces += [_gap(part.start - end, part.first_line - line), text]
        parts.append(part)
        end, line = part.end, part.last_line
    if parts and end < size:
        pieces.append(b"\r\n" if pieces[-1].count(b"\r\n") else b"\n")  # more of it is blank
    anchors = tuple(part for part, _ in held if is_anchor[part.row])
    return FileBytes(file, b"".join(pieces), tuple(parts), anchors)


def _gap(size: int, lines: int) -> bytes:
    """Return `size` blank bytes that end with `lines` line ends."""
    if size == 2 * lines:
        return b"\r\n" * lines
    return b" " * (size - lines) + b"\n" * lines
