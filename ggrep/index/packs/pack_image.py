"""A pack: the images of segments of many stores, one behind the other in one mapped file.

Rows of a segment lie together, in its own order, hidden ones too: which are visible is known to the
snapshots alone, so a segment that is published once stays packed while snapshots come and go. A
row's score is the same to the bit as in its own image. Arrays are those of a segment's image
(`ggrep.index.store.segment_image`) without `definition_keys`, as names are looked up in each store
by itself, and these beside:

| array | dtype, shape | |
|---|---|---|
| chunk_ids | u64 (m, 2) | the first 16 bytes of each row's chunk id |
| file_ranks | u32 (n,) | place of each file among all by path |

A pack is derived: whoever deletes it loses nothing, and a damaged one is as good as none.
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
"""A segment of so many rows is as fast by itself."""

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
"""Beside postings. A pack of another build may lack some, and say that its layout is this one's."""


class PackedSegment(Struct, frozen=True):
    """One segment in a pack.

    Attributes:
        image_sha256: of its own image, whose content it is.
        first_file: place of its first file in the pack; `first_row` likewise.
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
        name: of its file.
    """

    name: str
    image: SegmentImage
    segments: tuple[PackedSegment, ...]


class Packable(Struct, frozen=True):
    """What a pack takes of one segment.

    Attributes:
        chunk_ids: u64 (rows, 2).
    """

    store_id: str
    image: SegmentImage
    image_sha256: str
    chunk_ids: npt.NDArray[np.uint64]


def can_pack(image: SegmentImage) -> bool:
    """Return whether an image may be packed.

    It is not so large that it is as fast by itself, and has all that a pack needs, which those of
    earlier builds may not.
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

    Requires: at least one, all that `can_pack`, with vectors of one dimension or none.

    Raises:
        DigestsCollide: see there.
        OSError: the disk would not take it.
    """
    arrays, types, languages = _merged([part.image for part in parts])
    arrays[CHUNK_IDS] = np.concatenate([part.chunk_ids for part in parts])
    told: list[Json] = [
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
        "segments": told,
        "crc32": dict(_checksums(arrays)),
    }
    write_image(path, arrays, meta)


def open_pack(path: Path) -> Pack:
    """Map a pack, every byte of which is what was written.

    Raises:
        CorruptStore: it is not.
        StoreError: it cannot be read now.
        Incompatible: it is of another build's layout, or lacks what this one needs.
    """
    image = open_image(path)
    meta = image.meta
    if meta.get("layout") != LEXICAL_LAYOUT or meta.get("crc32") != _checksums(image.arrays):
        raise CorruptStore(f"the pack {path.name} is damaged or was replaced")
    if missing := _NEEDED - image.arrays.keys():
        raise Incompatible(f"{path.name} lacks {', '.join(sorted(missing))}")
    types, languages, told = meta.get("types"), meta.get("languages"), meta.get("segments")
    if not (isinstance(types, list) and isinstance(languages, list) and isinstance(told, list)):
        raise CorruptStore(f"{path.name} lists no segments")
    held = SegmentImage(
        SegmentName(path.stem),
        image.arrays,
        list(map(str, types)),
        list(map(str, languages)),
        image.mapped,
    )
    held.give_back()  # the checksums touched all of it, questions do not
    return Pack(path.name, held, tuple(_segments(told)))


def _segments(told: Sequence[Json]) -> list[PackedSegment]:
    found, files, rows = [], 0, 0
    for entry in told:
        if not isinstance(entry, dict):
            raise CorruptStore("a segment of a pack is not an object")
        one = PackedSegment(
            str(entry["store_id"]),
            SegmentName(str(entry["segment"])),
            str(entry["image_sha256"]),
            int(str(entry["files"])),
            int(str(entry["rows"])),
            files,
            rows,
        )
        found.append(one)
        files, rows = files + one.files, rows + one.rows
    return found


def _checksums(arrays: Mapping[str, Array]) -> dict[str, Json]:
    return {
        name: zlib.crc32(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
        for name, values in sorted(arrays.items())
    }


def _merged(
    images: Sequence[SegmentImage],
) -> tuple[dict[str, Array], Sequence[str], Sequence[str]]:
    """Return the arrays of all images in one, and its types and languages."""
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
    arrays["row_types"] = _renamed([(one.arrays["row_types"], one.types) for one in images], types)
    arrays["file_languages"] = _renamed(
        [(one.arrays["file_languages"], one.languages) for one in images], languages
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
    """Return columns of places in lists of names as one, of places in `names`, which grows."""
    found = []
    for values, own in columns:
        places = [names.setdefault(name, len(names)) for name in own]
        kind = np.uint8 if values.itemsize == 1 else np.uint16
        found.append(np.array(places or [0], dtype=kind)[values.view(kind)])
    return np.concatenate(found)


def _starts(sizes: Sequence[int]) -> list[int]:
    """Return where each of some runs begins, and where the last one ends."""
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
