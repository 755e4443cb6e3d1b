"""The vectors of a large segment, mapped from its table.

LanceDB writes the vectors of a table as they are in memory, in pages of a few megabytes. A copy in
the image would take the same disk space and page cache again. After a table is written, its files
are therefore searched for the bytes of the vectors, and their positions are stored in the image. If
the bytes are not found, for example because LanceDB's layout has changed, the image contains a
copy. The digests of table and image cover vectors and positions.
"""

import mmap
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import SegmentName
from ggrep.base.stable_json import Json
from ggrep.config import store_files
from ggrep.index.store.image import Array
from ggrep.index.store.mapped_files import map_file
from ggrep.index.store.read_failures import read_failure

LEAST_ROWS: Final = 4096
"""Vectors of fewer rows are copied into the image, because a map would take more memory."""
_SOUGHT_ROWS: Final = 64
"""Number of rows searched for together: unless all are zeros, no other bytes in a file equal them.
"""
_COMPARED_ROWS: Final = 4096
_MOST_PAGES: Final = 64
_FILE: Final = re.compile(r"data/[\w-]+\.lance")


class VectorPages(Struct, frozen=True):
    """The positions of the vectors in a table.

    Attributes:
        file: path below the table's directory.
        pages: offset and number of rows of each page, in the order of the rows.
    """

    file: str
    dimension: int
    pages: tuple[tuple[int, int], ...]


def in_table(
    store: Path, segment: SegmentName, arrays: Mapping[str, Array], meta: Mapping[str, Json]
) -> tuple[dict[str, Array], dict[str, Json]]:
    """Return the arrays and meta of an image; vectors in the table are replaced by positions.

    Requires: the table is complete and intact.
    """
    vectors = arrays.get("vectors")
    if vectors is None or len(vectors) < LEAST_ROWS:
        return dict(arrays), dict(meta)
    pages = _pages(store_files.table_dir(store, segment), vectors.view(np.int8))
    if pages is None:
        return dict(arrays), dict(meta)
    rest = {name: values for name, values in arrays.items() if name != "vectors"}
    return rest, {**meta, "vectors": msgspec.to_builtins(pages)}


def pages_of(meta: Mapping[str, Json]) -> VectorPages | None:
    """Return the positions of vectors in the table from an image's meta; None without positions.

    Raises:
        CorruptStore: the values are not positions in a table.
    """
    if (described := meta.get("vectors")) is None:
        return None
    try:
        pages = msgspec.convert(described, VectorPages)
    except msgspec.ValidationError as error:
        raise CorruptStore("positions of vectors in an image are invalid") from error
    bounds = (pages.dimension - 1, *(number for page in pages.pages for number in page))
    fits = 0 < len(pages.pages) <= _MOST_PAGES and min(bounds) >= 0
    if not _FILE.fullmatch(pages.file) or not fits:
        raise CorruptStore("positions of vectors in an image are outside the table")
    return pages


def map_vectors(table: Path, pages: VectorPages, rows: int) -> tuple[npt.NDArray[np.int8], ...]:
    """Return the mapped vectors: for each page an array int8 (rows, dimension).

    Raises:
        CorruptStore: the table's file is missing, too short, or has another number of rows.
        StoreError: the table cannot be read now.
    """
    try:
        data = map_file(table / pages.file)
    except OSError as error:
        raise read_failure(f"{table.name}/{pages.file}", error) from error
    ends = [offset + number * pages.dimension for offset, number in pages.pages]
    if sum(number for _, number in pages.pages) != rows or max(ends, default=0) > len(data):
        raise CorruptStore(f"the table {table.name} lacks vectors that its image refers to")
    return tuple(
        data[offset:end].view(np.int8).reshape(-1, pages.dimension)
        for (offset, _), end in zip(pages.pages, ends, strict=True)
    )


def _pages(table: Path, vectors: npt.NDArray[np.int8]) -> VectorPages | None:
    for path in sorted(table.glob("data/*.lance")):
        try:
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
                places = _places(data, vectors)
        except (OSError, ValueError):  # mapping is not supported, or the file is empty
            return None
        if places is not None:
            return VectorPages(f"data/{path.name}", vectors.shape[1], tuple(places))
    return None


def _places(data: mmap.mmap, vectors: npt.NDArray[np.int8]) -> list[tuple[int, int]] | None:
    """Return the positions of all vectors in a file; None if the file lacks some."""
    row, offset, places = 0, 0, list[tuple[int, int]]()
    while row < len(vectors):
        offset = data.find(vectors[row : row + _SOUGHT_ROWS].tobytes(), offset)
        if offset < 0 or len(places) == _MOST_PAGES:
            return None
        number = _equal_rows(data, offset, vectors[row:])
        places.append((offset, number))
        row, offset = row + number, offset + number * vectors.shape[1]
    return places


def _equal_rows(data: mmap.mmap, offset: int, vectors: npt.NDArray[np.int8]) -> int:
    """Return how many of the vectors, from the first on, equal the bytes at an offset."""
    width, equal = vectors.shape[1], 0
    for start in range(0, len(vectors), _COMPARED_ROWS):
        block = vectors[start : start + _COMPARED_ROWS]
        begin = offset + start * width
        read = np.frombuffer(data[begin : begin + block.size], dtype=np.int8)
        read = read[: len(read) // width * width].reshape(-1, width)
        same = (read == block[: len(read)]).all(axis=1)
        equal += int(np.argmin(same)) if not same.all() else len(same)
        if equal < start + len(block):
            break
    return equal
