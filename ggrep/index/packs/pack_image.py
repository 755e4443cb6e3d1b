"""A pack: the images of segments of many stores, one after the other in one mapped file.

The rows of a segment are together and in the segment's order. Hidden rows are included, because
only snapshots determine which rows are visible; a segment therefore stays packed when snapshots
change. A row's score has the same bits as with the segment's own image. The arrays are those of a
segment's image (`ggrep.index.store.segment_image`), except `definition_keys`, because names are
looked up in each store separately. These arrays are added:

| array | dtype, shape | |
|---|---|---|
| chunk_ids | u64 (m, 2) | the first 16 bytes of each row's chunk id |
| file_ranks | u32 (n,) | position of each file among all files sorted by path |

A pack is derived data: it can be deleted without loss, and a damaged pack is ignored.
"""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.errors import CorruptStore, Incompatible
from ggrep.base.ids import SegmentName
from ggrep.base.stable_json import Json
from ggrep.index.lexical.layout import CHUNK_FIELDS, FILE_FIELDS, LEXICAL_LAYOUT, SCORED_FIELDS
from ggrep.index.lexical.postings import Postings
from ggrep.index.lexical.postings_merging import DigestsCollide, merge_postings
from ggrep.index.store.image import Array, open_image, write_image
from ggrep.index.store.row_texts import TEXT_ARRAYS, merge_texts
from ggrep.index.store.segment_image import FILE_POSTINGS, ROW_POSTINGS, SegmentImage

BIG_ROWS = 50_000
"""Number of rows from which on a segment is searched equally fast without a pack."""

CHUNK_IDS = "chunk_ids"
FILE_RANKS = "file_ranks"

_FILE_COLUMNS = (
    "file_hashes",
    "file_sizes",
    "file_traits",
    *(f"file_lengths{n}" for n in range(FILE_FIELDS)),
)
_ROW_COLUMNS = (
    *("row_starts", "row_ends", "row_ids", "row_corpora", "row_anchors"),
    *(f"row_lengths{number}" for number in range(SCORED_FIELDS)),
)
_NEEDED = frozenset(
    {
        *(*_FILE_COLUMNS, *_ROW_COLUMNS, CHUNK_IDS, FILE_RANKS),
        *("row_types", "file_languages", "row_files", "file_rows"),
        *("file_paths", "file_path_offsets", "file_order", *TEXT_ARRAYS),
    }
)
"""Required arrays, without postings. A pack of another build with the same layout can lack some."""


class PackedSegment(Struct, frozen=True):
    """One segment in a pack.

    Attributes:
        image_sha256: digest of the segment's own image.
        first_file: position of the segment's first file in the pack.
        first_row: position of the segment's first row in the pack.
    """

    store_id: str
    segment: SegmentName
    image_sha256: str
    files: int
    rows: int
    first_file: int = 0
    first_row: int = 0


class Pack(Struct, frozen=True):
    """An opened pack.

    Attributes:
        name: the name of the pack's file.
    """

    name: str
    image: SegmentImage
    segments: tuple[PackedSegment, ...]


class Packable(Struct, frozen=True):
    """A segment to be written into a pack.

    Attributes:
        chunk_ids: u64 (rows, 2).
    """

    store_id: str
    image: SegmentImage
    image_sha256: str
    chunk_ids: npt.NDArray[np.uint64]


def can_pack(image: SegmentImage) -> bool:
    """Return whether an image can be packed.

    The image must have fewer than BIG_ROWS rows, and all arrays that a pack needs; images of
    earlier builds can lack some of these arrays.
    """
    if image.rows >= BIG_ROWS:
        return False
    needed = (
        *_FILE_COLUMNS,
        *_ROW_COLUMNS,
        *(("scales",) if image.dimension else ()),
        *TEXT_ARRAYS,
    )
    return all(name in image.arrays for name in needed)


def write_pack(path: Path, parts: Sequence[Packable]) -> None:
    """Write a pack of segments; the caller syncs the directory.

    Requires: there is at least one segment, `can_pack` accepts all of them, and their vectors, if
    any, have one dimension.

    Raises:
        DigestsCollide: two terms have the same digest; see `merge_postings`.
        OSError: the pack cannot be written.
    """
    arrays, types, languages = _merged([part.image for part in parts])
    arrays[CHUNK_IDS] = np.concatenate([part.chunk_ids for part in parts])
    segments: list[Json] = [
        {
            "store_id": part.store_id,
            "segment": part.image.name,
            "image_sha256": part.image_sha256,
            "files": part.image.files,
            "rows": part.image.rows,
        }
        for part in parts
    ]
    meta: dict[str, Json] = {
        "layout": LEXICAL_LAYOUT,
        "types": list(types),
        "languages": list(languages),
        "segments": segments,
        "crc32": dict(_checksums(arrays)),
    }
    write_image(path, arrays, meta)


def open_pack(path: Path) -> Pack:
    """Map a pack and verify its checksums.

    Raises:
        CorruptStore: the pack is damaged.
        StoreError: the pack cannot be read now.
        Incompatible: another build wrote the pack, and it lacks arrays.
    """
    image = open_image(path)
    meta = image.meta
    if meta.get("layout") != LEXICAL_LAYOUT or meta.get("crc32") != _checksums(image.arrays):
        raise CorruptStore(f"the pack {path.name} is damaged or was replaced")
    if missing := _NEEDED - image.arrays.keys():
        raise Incompatible(f"{path.name} lacks {', '.join(sorted(missing))}")
    types, languages, entries = meta.get("types"), meta.get("languages"), meta.get("segments")
    if not (isinstance(types, list) and isinstance(languages, list) and isinstance(entries, list)):
        raise CorruptStore(f"{path.name} lists no segments")
    concatenated = SegmentImage(
        SegmentName(path.stem),
        image.arrays,
        list(map(str, types)),
        list(map(str, languages)),
        image.mapped,
    )
    concatenated.give_back()  # computing the checksums loaded all pages; queries need few
    return Pack(path.name, concatenated, tuple(_segments(entries)))


def _segments(entries: Sequence[Json]) -> list[PackedSegment]:
    segments, files, rows = [], 0, 0
    for entry in entries:
        if not isinstance(entry, dict):
            raise CorruptStore("a segment of a pack is not an object")
        segment = PackedSegment(
            str(entry["store_id"]),
            SegmentName(str(entry["segment"])),
            str(entry["image_sha256"]),
            int(str(entry["files"])),
            int(str(entry["rows"])),
            files,
            rows,
        )
        segments.append(segment)
        files, rows = files + segment.files, rows + segment.rows
    return segments


def _checksums(arrays: Mapping[str, Array]) -> dict[str, Json]:
    return {
        name: zlib.crc32(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
        for name, values in sorted(arrays.items())
    }


def _merged(
    images: Sequence[SegmentImage],
) -> tuple[dict[str, Array], Sequence[str], Sequence[str]]:
    """Return the merged arrays of all images, and the merged lists of types and languages."""
    files = _starts([image.files for image in images])
    rows = _starts([image.rows for image in images])
    types: dict[str, int] = {}
    languages: dict[str, int] = {}
    arrays: dict[str, Array] = {}
    columns = (*_FILE_COLUMNS, *_ROW_COLUMNS)
    if images[0].dimension:
        columns = (*columns, "scales")
        arrays["vectors"] = np.concatenate([part for image in images for part in image.vectors()])
    for name in columns:
        arrays[name] = np.concatenate([image.arrays[name] for image in images])
    arrays["row_types"] = _renamed(
        [(each.arrays["row_types"], each.types) for each in images], types
    )
    arrays["file_languages"] = _renamed(
        [(each.arrays["file_languages"], each.languages) for each in images], languages
    )
    arrays["row_files"] = np.concatenate(
        [image.row_files + np.uint32(first) for image, first in zip(images, files, strict=False)]
    )
    starts = [
        image.file_rows[:-1] + np.uint32(first) for image, first in zip(images, rows, strict=False)
    ]
    arrays["file_rows"] = np.concatenate([*starts, np.array([rows[-1]], dtype=np.uint32)])
    arrays |= _paths(images)
    arrays |= merge_texts(images, rows)
    for prefix, fields, first in (
        (ROW_POSTINGS, CHUNK_FIELDS, rows),
        (FILE_POSTINGS, FILE_FIELDS, files),
    ):
        sets = [Postings.from_arrays(image.arrays, prefix, fields) for image in images]
        arrays |= merge_postings(sets, first[:-1], prefix)
    return arrays, list(types), list(languages)


def _paths(images: Sequence[SegmentImage]) -> dict[str, Array]:
    names = [name.encode() for image in images for name in image.paths()]
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.uint32)
    ranks = np.empty(len(names), dtype=np.uint32)
    ranks[order] = np.arange(len(names), dtype=np.uint32)
    return {
        "file_paths": np.frombuffer(b"".join(names), dtype=np.uint8),
        "file_path_offsets": np.array(_starts(list(map(len, names))), dtype=np.uint32),
        "file_order": order,
        FILE_RANKS: ranks,
    }


def _renamed(columns: Sequence[tuple[Array, Sequence[str]]], names: dict[str, int]) -> Array:
    """Convert columns of positions in different lists to one column of positions in `names`."""
    renamed = []
    for values, listed in columns:
        places = [names.setdefault(name, len(names)) for name in listed]
        kind = np.uint8 if values.itemsize == 1 else np.uint16
        renamed.append(np.array(places or [0], dtype=kind)[values.view(kind)])
    return np.concatenate(renamed)


def _starts(sizes: Sequence[int]) -> list[int]:
    """Return the starts of adjacent ranges of these sizes, and the end of the last range."""
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts


__all__ = [
    "CHUNK_IDS",
    "FILE_RANKS",
    "DigestsCollide",
    "Pack",
    "Packable",
    "PackedSegment",
    "can_pack",
    "open_pack",
    "write_pack",
]
