"""Checks of an audit: compares every recorded fact about the active snapshot with its bytes.

Health checks whether a store can be used now; an audit reads and counts the whole store. An audit
checks only the snapshot that the pointer names. If an older snapshot answers, that is an error.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.ids import PathKey
from ggrep.index.maintenance.examination import Examination
from ggrep.index.maintenance.findings import Checks, fail, given
from ggrep.index.maintenance.store_checks import expected_masks
from ggrep.index.store.definition_extents import extents_of
from ggrep.index.store.manifest import SegmentRef, SnapshotManifest
from ggrep.index.store.row_texts import RowDetails, RowTexts, has_texts
from ggrep.index.store.rows import ChunkRow, chunk_id_of, row_id_of
from ggrep.index.store.segment_image import SegmentImage
from ggrep.index.store.table_scan import (
    TableRows,
    read_rows,
    scan_table,
    schema_differences,
)
from ggrep.index.store.tables import count_rows
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.model.maintenance import HealthCheck

_Place = tuple[PathKey, int]
"""A file, and the ordinal of one of its chunks."""
_TEXT_ROWS = 2048
"""Number of rows whose texts are compared at once, extended to the end of the last file."""


def _manifest_unreadable(examination: Examination) -> Iterator[HealthCheck]:
    if examination.manifest is None:
        yield fail(examination.problem)


def _artifacts(examination: Examination) -> Iterator[HealthCheck]:
    for fault in examination.faults:
        yield fail(fault.message, code="artifact_missing" if fault.missing else "artifact_changed")


def _damage(examination: Examination) -> Iterator[HealthCheck]:
    if examination.damage is not None:
        yield fail(examination.damage.notice.message, code=examination.damage.code)


def _sums(_: Examination, manifest: SnapshotManifest) -> Iterator[HealthCheck]:
    """Compare the manifest's totals with the sums over its segments and tombstone files."""
    counts = manifest.counts
    rows = sum(ref.rows for ref in manifest.segments)
    if rows != counts.chunks_indexed:
        message = f"segments have {rows} rows, but chunks_indexed is {counts.chunks_indexed}"
        yield fail(f"{message}; run: ggrep repair", code="counts_mismatch")
    tombstones = sum(ref.count for ref in manifest.tombstones)
    if tombstones != counts.tombstones_added:
        message = (
            f"there are {tombstones} tombstones, but tombstones_added is {counts.tombstones_added}"
        )
        yield fail(message, code="tombstones_mismatch")
    times = Counter(ref.table for ref in manifest.segments)
    if doubled := sorted(name for name, count in times.items() if count > 1):
        yield fail(
            f"the manifest lists segments more than once: {', '.join(doubled)}",
            code="segment_twice",
        )


def _visible(_: Examination, view: SnapshotView) -> Iterator[HealthCheck]:
    """Count the rows that the masks show, and compare with the manifest."""
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
        message = f"visible files, rows and lengths are {counted}, but the manifest has {recorded}"
        yield fail(message, code="visible_mismatch")
    for key in sorted(key for key, times in seen.items() if times > 1):
        yield fail(f"a file is visible in more than one segment: {key}", code="path_twice")


def _masks(_: Examination, view: SnapshotView) -> Iterator[HealthCheck]:
    for segment, expected in expected_masks(view):
        wrong = np.flatnonzero(expected != segment.visible_files)
        if len(wrong):
            key = segment.image.path(int(wrong[0]))
            message = f"the masks of {len(wrong)} files are wrong, first {key}"
            yield fail(f"segment {segment.image.name}: {message}", code="visibility_mismatch")


def _rows(_: Examination, view: SnapshotView) -> Iterator[HealthCheck]:
    places = set[_Place]()
    for ref, segment in zip(view.manifest.segments, view.segments, strict=True):
        yield from _segment(view.store, ref, segment, places)


def _segment(
    store: Path, ref: SegmentRef, segment: SegmentView, places: set[_Place]
) -> Iterator[HealthCheck]:
    """Compare a segment's table with image and manifest; add its visible rows to `places`."""
    image = segment.image
    for difference in schema_differences(store, ref.table, image.dimension):
        yield fail(f"segment {ref.table}: column {difference}", code="row_schema")
    rows = count_rows(store, ref.table)
    if rows != ref.rows:
        yield fail(f"segment {ref.table} has {rows} rows, not {ref.rows}", code="rows_mismatch")
    if (image.files, image.rows) != (ref.files, ref.rows):
        counted = f"{image.files} files and {image.rows} rows"
        named = f"the manifest has {ref.files} and {ref.rows}"
        yield fail(f"image of {ref.table} has {counted}; {named}", code="image_mismatch")
    if (rows, image.rows) == (ref.rows, ref.rows):
        yield from _compare(store, segment, places)
        if has_texts(image):
            yield from _compare_texts(store, image)


def _compare(store: Path, segment: SegmentView, places: set[_Place]) -> Iterator[HealthCheck]:
    image, ids = segment.image, set[str]()
    paths, shown = image.paths(), segment.visible_rows()
    hashes = [bytes.fromhex(digest) for digest in image.file_hashes()]
    vectors = image.whole_vectors() if image.dimension else None
    for rows in read_rows(store, image.name):
        twice = _met_again(rows.row_ids, ids)
        if twice:
            yield fail(f"segment {image.name}: row id {twice[0]} is repeated", code="row_twice")
        for row, place in enumerate(zip(rows.path_keys, rows.ordinals, strict=True), rows.start):
            if shown[row]:
                if place in places:
                    yield fail(
                        f"{place[0]}: chunk {place[1]} is visible more than once",
                        code="place_twice",
                    )
                places.add(place)
        for what in _wrong(rows, image, paths, hashes):
            yield fail(
                f"segment {image.name}: in rows from {rows.start}, {what}", code="row_mismatch"
            )
        if not _has_vectors(rows, vectors, image):
            what = "vectors differ from the image"
            yield fail(
                f"segment {image.name}: in rows from {rows.start}, {what}", code="row_mismatch"
            )


def _compare_texts(store: Path, image: SegmentImage) -> Iterator[HealthCheck]:
    """Compare the texts, details and extents in the table with those in the image."""
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
                yield fail(
                    f"segment {image.name}: in rows from {first}, {what}", code="row_mismatch"
                )
        first = here.stop


def _whole_files(store: Path, image: SegmentImage) -> Iterator[list[list[ChunkRow]]]:
    """Yield batches of some thousand rows of a table, each batch with whole files."""
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
    """Yield messages on how rows differ from their segment's image or from their ids."""
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


def _manifest_of(examination: Examination) -> SnapshotManifest | None:
    return examination.manifest


def _view_of(examination: Examination) -> SnapshotView | None:
    return examination.view


DEEP: Final[Checks[Examination]] = (
    ("manifest_unreadable", _manifest_unreadable),
    ("artifacts", _artifacts),
    ("damage", _damage),
    ("sums", given(_manifest_of, _sums, ())),
    ("visible", given(_view_of, _visible, ())),
    ("masks", given(_view_of, _masks, ())),
    ("rows", given(_view_of, _rows, ())),
)
"""The checks of an audit. Findings have their own codes; checks that read files come last."""
