"""Checks that a fetched image is a valid image of a segment.

The digest of a fetched image proves only that it is the pushed image, not that this is harmless:
values that are used as indexes must be within the indexed arrays.
"""

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.index.lexical.layout import CHUNK_FIELDS, FILE_FIELDS, SCORED_FIELDS
from ggrep.index.store.row_texts import BLOCK_BYTES, has_texts
from ggrep.index.store.segment_image import FILE_POSTINGS, ROW_POSTINGS, SegmentImage
from ggrep.model.corpus import CORPORA
from ggrep.parse.source.path_keys import problem

_PER_FILE: Final = {
    "file_order": "<u4",
    "file_sizes": "<u8",
    "file_traits": "<u2",
    "file_languages": "<u2",
    **{f"file_lengths{field}": "<u4" for field in range(FILE_FIELDS)},
}
_PER_ROW: Final = {
    **dict.fromkeys(("row_files", "row_starts", "row_ends"), "<u4"),
    **dict.fromkeys(("row_corpora", "row_types", "row_anchors"), "|u1"),
    **{f"row_lengths{field}": "<u4" for field in range(SCORED_FIELDS - 1)},
}


def require_image(image: SegmentImage, rows: int, files: int) -> None:
    """Raise if an image is invalid, or does not have the expected numbers of rows and files.

    Raises:
        ValueError: the image is invalid; the message contains the reason.
        KeyError: an array is missing.
    """
    _shapes(image, rows, files)
    _files(image, rows, files)
    _places(image, files)
    for prefix, size, fields in (
        (ROW_POSTINGS, rows, CHUNK_FIELDS),
        (FILE_POSTINGS, files, FILE_FIELDS),
    ):
        _postings(image, prefix, size, fields)
    if has_texts(image):
        _texts(image, rows, files)
    _keys(image, files)


def _shapes(image: SegmentImage, rows: int, files: int) -> None:
    for name, kind in _PER_FILE.items():
        _shaped(image, name, kind, (files,))
    for name, kind in _PER_ROW.items():
        _shaped(image, name, kind, (rows,))
    _shaped(image, "file_hashes", "|u1", (files, 32))
    _shaped(image, "row_ids", "|u1", (rows, 32))
    _shaped(image, "file_rows", "<u4", (files + 1,))
    vectors = image.arrays.get("vectors")
    if vectors is not None:
        form = vectors.dtype.str == "|i1" and vectors.ndim == 2 and len(vectors) == rows
        _require(form, "invalid vectors")
    if image.dimension:
        _shaped(image, "scales", "<f8", (rows,))
        _require(
            bool(np.isfinite(image.scales).all()), "a scale of a vector is not a finite number"
        )


def _files(image: SegmentImage, rows: int, files: int) -> None:
    paths = image.arrays["file_paths"]
    if paths.dtype.str != "|u1" or paths.ndim != 1:
        raise ValueError("invalid array of paths")
    _shaped(image, "file_path_offsets", "<u4", (files + 1,))
    _ascending(image.arrays["file_path_offsets"].view(np.uint32), len(paths))
    _ascending(image.file_rows, rows)
    _require(bool((np.diff(image.file_rows.astype(np.int64)) > 0).all()), "a file has no rows")
    keys = image.paths()
    _require(not any(map(problem, keys)), "a path is invalid")
    order = image.files_by_path
    inside = bool((order < files).all()) if files else True
    _require(inside and len(np.unique(order)) == files, "the order of files names a file twice")
    ordered = [keys[place].encode() for place in order.tolist()]
    _require(all(a < b for a, b in pairwise(ordered)), "paths are not sorted")


def _places(image: SegmentImage, files: int) -> None:
    """Check the arrays whose values are indexes into other arrays."""
    expected = np.repeat(np.arange(files, dtype=np.uint32), np.diff(image.file_rows))
    _require(bool(np.array_equal(image.row_files, expected)), "a row belongs to another file")
    _below(image.row_corpora, len(CORPORA))
    _below(image.row_types, len(image.types))
    _below(image.arrays["file_languages"].view(np.uint16), len(image.languages))
    _below(image.row_anchors, 2)


def _texts(image: SegmentImage, rows: int, files: int) -> None:
    """Check that rows are within their files' texts; blocks are checked when they are read."""
    arrays = image.arrays
    for kind in ("text", "detail"):
        offsets, blocks = arrays[f"{kind}_offsets"], arrays[f"{kind}_blocks"]
        _require(blocks.dtype.str == "|u1" and blocks.ndim == 1, "invalid array of texts")
        _shaped(image, f"{kind}_offsets", "<u8", (len(offsets),))
        _ascending(offsets.view(np.uint64), len(blocks))
    _shaped(image, "file_text_starts", "<u8", (files,))
    _shaped(image, "file_text_lengths", "<u4", (files,))
    for name in ("row_text_starts", "row_text_lengths", "definition_starts", "definition_ends"):
        _shaped(image, name, "<u4", (rows,))
    _shaped(image, "detail_rows", "<u4", (len(arrays["detail_offsets"]) - 1,))
    firsts = arrays["detail_rows"].view(np.uint32)
    begins = not rows or bool(len(firsts) and firsts[0] == 0)
    _require(begins and bool((firsts[1:] > firsts[:-1]).all()), "details are not sorted")
    _tiles(image, (len(arrays["text_offsets"]) - 1) * BLOCK_BYTES)


def _tiles(image: SegmentImage, end: int) -> None:
    """Check that no texts of files overlap or exceed `end`, and that rows are in their file."""
    arrays = image.arrays
    begins = arrays["file_text_starts"].view(np.uint64)
    _require(not len(begins) or int(begins.max()) <= end, "the text of a file is outside the texts")
    files, sizes = begins.astype(np.int64), arrays["file_text_lengths"].astype(np.int64)
    after = np.append(files[1:], end)
    _require(bool((files + sizes <= after).all()), "texts of files overlap")
    starts, lengths = (
        arrays[name].astype(np.int64) for name in ("row_text_starts", "row_text_lengths")
    )
    ends = np.append(starts[1:], 0)
    lasts = image.file_rows[1:].astype(np.int64) - 1
    ends[lasts] = sizes
    whole = bool((starts[image.file_rows[:-1]] == 0).all()) if len(starts) else True
    _require(whole and bool((starts + lengths <= ends).all()), "texts of rows overlap")


def _keys(image: SegmentImage, files: int) -> None:
    keys = image.arrays.get("definition_keys")
    if keys is not None:
        _shaped(image, "definition_keys", "<u8", (len(keys),))
        words = keys.view(np.uint64)
        _require(bool((words[1:] > words[:-1]).all()), "definitions are not sorted")
        _below(words & np.uint64(0xFFFFFFFF), files)


def _postings(image: SegmentImage, prefix: str, size: int, fields: int) -> None:
    arrays = image.arrays
    digests = arrays[f"{prefix}digests"]
    terms = len(digests)
    _shaped(image, f"{prefix}digests", "<u8", (terms,))
    _shaped(image, f"{prefix}term_offsets", "<u4", (terms + 1,))
    text = len(arrays[f"{prefix}term_bytes"])
    _shaped(image, f"{prefix}term_bytes", "|u1", (text,))
    _ascending(arrays[f"{prefix}term_offsets"].view(np.uint32), text)
    for field in range(fields):
        name = f"{prefix}offsets{field}"
        if name not in arrays:
            continue
        _shaped(image, name, "<u4", (terms + 1,))
        rows, counts = arrays[f"{prefix}rows{field}"], arrays[f"{prefix}counts{field}"]
        known = rows.dtype.str in {"<u2", "<u4"} and counts.dtype.str in {"|u1", "<u2"}
        _require(known and len(rows) == len(counts), "invalid postings")
        _ascending(arrays[name].view(np.uint32), len(rows))
        _below(rows, size)
        often = arrays.get(f"{prefix}often{field}")
        if often is not None:
            frequent = arrays[f"{prefix}frequent{field}"]
            _require(often.dtype.str == "<u4" and frequent.dtype.str == "<u2", "invalid counts")
            _require(len(often) == len(frequent), "invalid frequent terms")
            _below(often, len(rows))


def _shaped(image: SegmentImage, name: str, kind: str, shape: tuple[int, ...]) -> None:
    array = image.arrays[name]
    _require(
        array.dtype.str == kind and array.shape == shape,
        f"the array {name} has a wrong type or shape",
    )


def _ascending(offsets: npt.NDArray[np.unsignedinteger], end: int) -> None:
    fits = bool(len(offsets)) and int(offsets[0]) == 0 and int(offsets[-1]) == end
    _require(fits and bool((offsets[1:] >= offsets[:-1]).all()), "offsets are outside the array")


def _below(values: npt.NDArray[np.generic], end: int) -> None:
    _require(not len(values) or int(np.max(values)) < end, "an index is outside its array")


def _require(fits: bool, otherwise: str) -> None:  # noqa: FBT001 - an assertion
    if not fits:
        raise ValueError(otherwise)
