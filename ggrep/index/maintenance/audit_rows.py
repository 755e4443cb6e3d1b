"""Audits one segment: its table must have the rows that its image and manifest record."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ggrep.base.ids import PathKey
from ggrep.index.store.inspection import TableRows, read_rows, schema_differences
from ggrep.index.store.manifest import SegmentRef
from ggrep.index.store.rows import chunk_id_of, row_id_of
from ggrep.index.store.segment_image import SegmentImage
from ggrep.index.store.tables import count_rows
from ggrep.index.store.view import SegmentView

Finding = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the visible rows that were met so far, of all segments."""

    met: set[tuple[PathKey, int]] = field(default_factory=set)


def audit_segment(
    store: Path, ref: SegmentRef, segment: SegmentView, places: Places
) -> Iterator[Finding]:
    """Yield what is wrong with a segment.

    Raises:
        CorruptStore: the table cannot be read through.
        StoreError: it cannot be read now.
    """
    image = segment.image
    vectors = image.vectors
    dimension = 0 if vectors is None else vectors.shape[1]
    for difference in schema_differences(store, ref.table, dimension):
        yield "row_schema", f"segment {ref.table}: column {difference}"
    rows = count_rows(store, ref.table)
    if rows != ref.rows:
        yield "rows_mismatch", f"segment {ref.table} has {rows} rows, not {ref.rows}"
    if (image.files, image.rows) != (ref.files, ref.rows):
        found = f"{image.files} files and {image.rows} rows, not {ref.files} and {ref.rows}"
        yield "image_mismatch", f"image of {ref.table} has {found}"
    if (rows, image.rows) == (ref.rows, ref.rows):
        yield from _compare(store, segment, places)


def _compare(store: Path, segment: SegmentView, places: Places) -> Iterator[Finding]:
    """Compare table and image row by row."""
    image, ids = segment.image, set[str]()
    paths, shown = image.paths(), segment.visible_rows()
    hashes = [bytes.fromhex(digest) for digest in image.file_hashes()]
    for rows in read_rows(store, image.name):
        twice = _met_again(rows.row_ids, ids)
        if twice:
            yield "row_twice", f"segment {image.name}: row id {twice[0]} stands there again"
        for number, key in enumerate(rows.path_keys):
            place = (key, rows.ordinals[number])
            if shown[rows.start + number]:
                if place in places.met:
                    yield "place_twice", f"{key}: chunk {place[1]} is visible more than once"
                places.met.add(place)
        for what, is_right in _LOOKS.items():
            if not is_right(rows, image, paths, hashes):
                yield "row_mismatch", f"segment {image.name}: {what}, rows from {rows.start}"


def _met_again(values: Sequence[str], before: set[str]) -> list[str]:
    found = []
    for value in values:
        if value in before:
            found.append(value)
        before.add(value)
    return found


def _right_row_ids(
    rows: TableRows, image: SegmentImage, paths: Sequence[PathKey], hashes: Sequence[bytes]
) -> bool:
    del paths, hashes
    expected = (
        row_id_of(key, chunk_id, ordinal)
        for key, chunk_id, ordinal in zip(
            rows.path_keys, rows.chunk_ids, rows.ordinals, strict=True
        )
    )
    shown = (image.row_id(rows.start + number).hex() for number in range(len(rows.row_ids)))
    return all(a == b == c for a, b, c in zip(rows.row_ids, expected, shown, strict=True))


def _right_chunk_ids(
    rows: TableRows, image: SegmentImage, paths: Sequence[PathKey], hashes: Sequence[bytes]
) -> bool:
    del image, paths, hashes
    facts = zip(rows.chunk_hashes, rows.chunker_versions, rows.kinds, strict=True)
    expected = [chunk_id_of(digest, version, kind) for digest, version, kind in facts]
    return rows.text_hashes == rows.chunk_hashes and rows.chunk_ids == expected


def _right_files(
    rows: TableRows, image: SegmentImage, paths: Sequence[PathKey], hashes: Sequence[bytes]
) -> bool:
    end = rows.start + len(rows.path_keys)
    files = image.row_files[rows.start : end].tolist()
    firsts = image.file_rows.tolist()
    return (
        rows.path_keys == [paths[file] for file in files]
        and rows.file_hashes == [hashes[file] for file in files]
        and rows.ordinals == [rows.start + n - firsts[file] for n, file in enumerate(files)]
    )


def _right_lines(
    rows: TableRows, image: SegmentImage, paths: Sequence[PathKey], hashes: Sequence[bytes]
) -> bool:
    del paths, hashes
    end = rows.start + len(rows.path_keys)
    starts, ends = image.row_lines(rows.start, end)
    anchors = image.row_anchors[rows.start : end].astype(np.bool_)
    found = (rows.start_lines, rows.end_lines, rows.anchors())
    return found == (starts.tolist(), ends.tolist(), anchors.tolist())


def _right_vectors(
    rows: TableRows, image: SegmentImage, paths: Sequence[PathKey], hashes: Sequence[bytes]
) -> bool:
    del paths, hashes
    vectors, end = image.vectors, rows.start + len(rows.path_keys)
    if vectors is None or rows.vectors is None or rows.scales is None:
        return vectors is None and rows.vectors is None
    return np.array_equal(rows.vectors, vectors[rows.start : end]) and np.array_equal(
        rows.scales, image.scales[rows.start : end]
    )


_LOOKS: dict[str, Callable[[TableRows, SegmentImage, Sequence[PathKey], Sequence[bytes]], bool]] = {
    "row ids are not those of path, chunk and ordinal": _right_row_ids,
    "chunk ids are not those of the texts": _right_chunk_ids,
    "paths, file hashes or ordinals are not the image's": _right_files,
    "lines or anchors are not the image's": _right_lines,
    "vectors are not the image's": _right_vectors,
}
