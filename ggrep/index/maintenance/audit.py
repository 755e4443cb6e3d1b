"""Audit: checks that every recorded fact about the active snapshot is true, to the last byte.

Health checks whether a store can be used now; an audit reads the whole store and recounts it.
It checks the pointer's snapshot only. An older snapshot that answers instead is itself an error.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import PathKey, StoreId
from ggrep.index.maintenance.examination import Examination, examine, reading
from ggrep.index.maintenance.findings import failed_call
from ggrep.index.maintenance.place_checks import unnamed
from ggrep.index.maintenance.snapshot_checks import expected_masks
from ggrep.index.store.definition_extents import extents_of
from ggrep.index.store.manifest import SegmentRef, SnapshotManifest
from ggrep.index.store.row_texts import RowDetails, RowTexts, has_texts
from ggrep.index.store.rows import ChunkRow, chunk_id_of, row_id_of
from ggrep.index.store.segment_image import SegmentImage
from ggrep.index.store.store_versions import require_readable
from ggrep.index.store.table_scan import (
    TableRows,
    read_rows,
    scan_table,
    schema_differences,
)
from ggrep.index.store.tables import count_rows
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.model.maintenance import Audit, AuditError
from ggrep.model.sanitise import sanitise_line

Finding = tuple[str, str]
"""Code and message."""
_Place = tuple[PathKey, int]
"""A file, and the ordinal of one of its chunks."""
_TEXT_ROWS = 2048
"""Rows whose texts are compared at once, up to the end of their last file."""


def audit(store: Path, store_id: StoreId, *, clock: Clock | None = None) -> Audit:
    """Read all of a store's active snapshot and compare it with its records.

    Raises:
        NoIndex: there is no such store.
        Busy: the store is being collected or removed.
        Incompatible: a newer build wrote the active snapshot.
    """
    with reading(store, clock or SystemClock()):
        require_readable(store)
        examination = examine(store, store_id, deep=True)
        errors = tuple(
            AuditError(code, sanitise_line(message)) for code, message in _errors(examination)
        )
        orphans = tuple(path.relative_to(store).as_posix() for path in unnamed(examination))
    return Audit(
        store_id=store_id,
        snapshot_id=examination.manifest.snapshot_id if examination.manifest else None,
        ok=not errors,
        errors=errors,
        orphans=tuple(map(sanitise_line, sorted(orphans))),
    )


def _errors(examination: Examination) -> Iterator[Finding]:
    if examination.manifest is None:
        yield "manifest_unreadable", examination.problem
    for fault in examination.faults:
        yield ("artifact_missing" if fault.missing else "artifact_changed"), fault.message
    if examination.damage is not None:
        yield examination.damage.code, examination.damage.notice.message
    if examination.manifest is not None:
        yield from _figures(examination.manifest)
    if examination.view is not None:
        yield from _guarded(_visible(examination.view))
        yield from _guarded(_masks(examination.view))
        yield from _guarded(_rows(examination.view))


def _guarded(look: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of a check; a check that cannot go on is an error like others."""
    try:
        yield from look
    except GgrepError as error:
        yield "unreadable", str(error)
    except OSError as error:
        yield "unreadable", failed_call(error)


def _figures(manifest: SnapshotManifest) -> Iterator[Finding]:
    """Compare sums of the manifest with the values that they add up."""
    counts = manifest.counts
    rows = sum(ref.rows for ref in manifest.segments)
    if rows != counts.chunks_indexed:
        message = f"segments have {rows} rows, but chunks_indexed is {counts.chunks_indexed}"
        yield "counts_mismatch", f"{message}; run: ggrep repair"
    tombstones = sum(ref.count for ref in manifest.tombstones)
    if tombstones != counts.tombstones_added:
        message = (
            f"there are {tombstones} tombstones, but tombstones_added is {counts.tombstones_added}"
        )
        yield "tombstones_mismatch", message
    doubled = [
        name for name, times in Counter(r.table for r in manifest.segments).items() if times > 1
    ]
    if doubled:
        yield (
            "segment_twice",
            f"the manifest lists segments more than once: {', '.join(sorted(doubled))}",
        )


def _visible(view: SnapshotView) -> Iterator[Finding]:
    """Recount the rows that the masks show."""
    counts, files, rows = view.manifest.counts, 0, 0
    lengths = np.zeros(len(counts.lengths), dtype=np.uint64)
    seen: Counter[PathKey] = Counter()
    for segment in view.segments:
        shown = segment.visible_rows()
        files += int(segment.visible_files.sum())
        rows += int(shown.sum())
        for field in range(len(lengths)):
            lengths[field] += segment.image.row_lengths(field).sum(where=shown, dtype=np.uint64)
        paths = segment.image.paths()
        seen.update(paths[int(file)] for file in np.flatnonzero(segment.visible_files))
    counted = (files, rows, tuple(lengths.tolist()))
    recorded = (counts.files_indexed, counts.chunks_visible, counts.lengths)
    if counted != recorded:
        yield (
            "visible_mismatch",
            f"visible files, rows and lengths are {counted}, but the manifest has {recorded}",
        )
    for key in sorted(key for key, times in seen.items() if times > 1):
        yield "path_twice", f"a file is visible in more than one segment: {key}"


def _masks(view: SnapshotView) -> Iterator[Finding]:
    for segment, expected in expected_masks(view):
        wrong = np.flatnonzero(expected != segment.visible_files)
        if len(wrong):
            key = segment.image.path(int(wrong[0]))
            message = f"the masks of {len(wrong)} files are wrong, first {key}"
            yield "visibility_mismatch", f"segment {segment.image.name}: {message}"


def _rows(view: SnapshotView) -> Iterator[Finding]:
    places = set[_Place]()
    for ref, segment in zip(view.manifest.segments, view.segments, strict=True):
        yield from _segment(view.store, ref, segment, places)


def _segment(
    store: Path, ref: SegmentRef, segment: SegmentView, places: set[_Place]
) -> Iterator[Finding]:
    """Yield the errors of a segment: its table must match its image and the manifest.

    Args:
        store: the store directory.
        ref: the manifest's record of it.
        segment: its opened image.
        places: the visible rows of all segments so far; this segment's are added.

    Raises:
        CorruptStore: the table cannot be read to its end.
        StoreError: it cannot be read now.
    """
    image = segment.image
    for difference in schema_differences(store, ref.table, image.dimension):
        yield "row_schema", f"segment {ref.table}: column {difference}"
    rows = count_rows(store, ref.table)
    if rows != ref.rows:
        yield "rows_mismatch", f"segment {ref.table} has {rows} rows, not {ref.rows}"
    if (image.files, image.rows) != (ref.files, ref.rows):
        counted = (
            f"{image.files} files and {image.rows} rows; the manifest has {ref.files} and "
            f"{ref.rows}"
        )
        yield "image_mismatch", f"image of {ref.table} has {counted}"
    if (rows, image.rows) == (ref.rows, ref.rows):
        yield from _compare(store, segment, places)
        if has_texts(image):
            yield from _compare_texts(store, image)


def _compare(store: Path, segment: SegmentView, places: set[_Place]) -> Iterator[Finding]:
    """Compare table and image row by row."""
    image, ids = segment.image, set[str]()
    paths, shown = image.paths(), segment.visible_rows()
    hashes = [bytes.fromhex(digest) for digest in image.file_hashes()]
    vectors = image.whole_vectors() if image.dimension else None
    for rows in read_rows(store, image.name):
        twice = _met_again(rows.row_ids, ids)
        if twice:
            yield "row_twice", f"segment {image.name}: row id {twice[0]} is repeated"
        for row, place in enumerate(zip(rows.path_keys, rows.ordinals, strict=True), rows.start):
            if shown[row]:
                if place in places:
                    yield "place_twice", f"{place[0]}: chunk {place[1]} is visible more than once"
                places.add(place)
        for what in _wrong(rows, image, paths, hashes):
            yield "row_mismatch", f"segment {image.name}: in rows from {rows.start}, {what}"
        if not _has_vectors(rows, vectors, image):
            what = "vectors differ from the image"
            yield "row_mismatch", f"segment {image.name}: in rows from {rows.start}, {what}"


def _compare_texts(store: Path, image: SegmentImage) -> Iterator[Finding]:
    """Compare the texts of hits: a table's texts with the arrays of its image."""
    texts, first = RowTexts(image), 0
    for files in _whole_files(store, image):
        rows = [row for file in files for row in file]
        here = range(first, first + len(rows))
        tiles = [(row.chunk.text.encode(), row.chunk.tail.encode()) for row in rows]
        extents = [each for file in files for each in extents_of([row.chunk for row in file])]
        for name, same in (
            ("texts", tiles == texts.tiles(here)),
            ("details", list(map(RowDetails.of, rows)) == texts.details(here)),
            ("extents of definitions", extents == texts.extents(here)),
        ):
            if not same:
                what = f"{name} differ from the image"
                yield "row_mismatch", f"segment {image.name}: in rows from {first}, {what}"
        first = here.stop


def _whole_files(store: Path, image: SegmentImage) -> Iterator[list[list[ChunkRow]]]:
    """Yield the rows of a table by whole files, some thousand rows at a time."""
    rows = (row for batch in scan_table(store, image.name) for row in batch.rows)
    files: list[list[ChunkRow]] = []
    size = 0
    for _, group in groupby(rows, key=lambda row: row.path_key):
        files.append([*group])
        size += len(files[-1])
        if size >= _TEXT_ROWS:
            yield files
            files, size = [], 0
    yield files


def _met_again(values: Sequence[str], before: set[str]) -> list[str]:
    repeated = []
    for value in values:
        if value in before:
            repeated.append(value)
        before.add(value)
    return repeated


def _wrong(
    rows: TableRows, image: SegmentImage, paths: Sequence[PathKey], hashes: Sequence[bytes]
) -> Iterator[str]:
    """Yield how some rows differ from the image of their segment, or from their own ids."""
    here = slice(rows.start, rows.start + len(rows.path_keys))
    placed = zip(rows.path_keys, rows.chunk_ids, rows.ordinals, strict=True)
    shown = [image.row_id(row).hex() for row in range(here.start, here.stop)]
    if not rows.row_ids == [row_id_of(*place) for place in placed] == shown:
        yield "row ids do not match path, chunk and ordinal"
    cut = zip(rows.chunk_hashes, rows.chunker_versions, rows.kinds, strict=True)
    if (rows.text_hashes, rows.chunk_ids) != (
        rows.chunk_hashes,
        [chunk_id_of(*facts) for facts in cut],
    ):
        yield "chunk ids do not match the texts"
    files, firsts = image.row_files[here].tolist(), image.file_rows.tolist()
    if (rows.path_keys, rows.file_hashes, rows.ordinals) != (
        [paths[file] for file in files],
        [hashes[file] for file in files],
        [row - firsts[file] for row, file in enumerate(files, rows.start)],
    ):
        yield "paths, file hashes or ordinals differ from the image"
    starts, ends = image.row_lines(here.start, here.stop)
    anchors = image.row_anchors[here].astype(np.bool_)
    if (rows.start_lines, rows.end_lines, rows.anchors()) != (
        starts.tolist(),
        ends.tolist(),
        anchors.tolist(),
    ):
        yield "lines or anchors differ from the image"


def _has_vectors(
    rows: TableRows, vectors: npt.NDArray[np.int8] | None, image: SegmentImage
) -> bool:
    if vectors is None or rows.vectors is None or rows.scales is None:
        return vectors is None and rows.vectors is None
    here = slice(rows.start, rows.start + len(rows.path_keys))
    return np.array_equal(rows.vectors, vectors[here]) and np.array_equal(
        rows.scales, image.scales[here]
    )
