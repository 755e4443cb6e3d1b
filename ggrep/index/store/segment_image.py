"""The content of a segment's image: its files, rows, vectors and postings.

The arrays, for n files and m rows. Files are in the order in which they were written; the rows of a
file are adjacent and in source order:

| array | dtype, shape | |
|---|---|---|
| file_order | u32 (n,) | numbers of the files, sorted by path key |
| file_paths, file_path_offsets | u8, u32 (n + 1,) | path keys, UTF-8 |
| file_hashes | u8 (n, 32) | SHA-256 of the bytes |
| file_sizes | u64 (n,) | |
| file_rows | u32 (n + 1,) | first row of each file |
| file_traits | u16 (n,) | `ggrep.model.files` bits |
| file_languages | u16 (n,) | index in meta `languages` |
| file_lengths0, 1 | u32 (n,) | terms in the path, and in the file's name without its endings |
| definition_keys | u64 (k,) | ascending: words that a file may define, but that no chunk lists |
| row_files, row_starts, row_ends | u32 (m,) | file, lines |
| row_ids | u8 (m, 32) | raw row ids |
| row_corpora, row_types, row_anchors | u8 (m,) | index in CORPORA, in meta `types`; 1 for anchors |
| row_lengths0, 1, 2, 3 | u32 (m,) | terms in body, name, crumb, doc |
| vectors, scales | i8 (m, dim), f64 (m,) | only with an encoder; vectors may be in the table |
| c.*, f.* | | postings over rows, over files |

The texts of rows and files are further arrays, see `ggrep.index.store.row_texts`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.config import store_files
from ggrep.index.store.image import Array, open_image
from ggrep.index.store.mapped_files import give_back
from ggrep.index.store.table_vectors import VectorPages, map_vectors, pages_of

ROW_POSTINGS = "c."
FILE_POSTINGS = "f."
_LOOKUPS_PER_PASS = 32
"""Number of files that a linear search compares in the time of one binary search."""


class SegmentImage(Struct, frozen=True):
    """Typed views into one mapped image.

    Attributes:
        mapped: the whole mapped file; None if the file was read.
        table: the directory of the segment's table; empty for a pack or an unwritten segment.
        pages: the positions of the vectors in the table's files; None if the vectors are among the
            arrays.
    """

    name: SegmentName
    arrays: Mapping[str, Array]
    types: Sequence[str]
    languages: Sequence[str]
    mapped: npt.NDArray[np.uint8] | None = None
    table: Path = Path()
    pages: VectorPages | None = None

    def give_back(self) -> None:
        """Release the memory of mapped pages; they are read again when needed."""
        if self.mapped is not None:
            give_back(self.mapped)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.arrays["row_files"])

    @property
    def files(self) -> int:
        """Return the number of files, empty ones included."""
        return len(self.arrays["file_sizes"])

    @property
    def row_files(self) -> npt.NDArray[np.uint32]:
        """Return each row's file, (rows,)."""
        return self.arrays["row_files"].view(np.uint32)

    @property
    def file_sizes(self) -> npt.NDArray[np.uint64]:
        """Return each file's size in bytes, (files,)."""
        return self.arrays["file_sizes"].view(np.uint64)

    @property
    def file_rows(self) -> npt.NDArray[np.uint32]:
        """Return the first row of each file, followed by the number of all rows, (files + 1,)."""
        return self.arrays["file_rows"].view(np.uint32)

    @property
    def row_anchors(self) -> npt.NDArray[np.uint8]:
        """Return 1 for header chunks, else 0, (rows,)."""
        return self.arrays["row_anchors"].view(np.uint8)

    @property
    def row_corpora(self) -> npt.NDArray[np.uint8]:
        """Return each row's index in CORPORA, (rows,)."""
        return self.arrays["row_corpora"].view(np.uint8)

    @property
    def row_types(self) -> npt.NDArray[np.uint8]:
        """Return each row's index in `types`, (rows,)."""
        return self.arrays["row_types"].view(np.uint8)

    @property
    def files_by_path(self) -> npt.NDArray[np.uint32]:
        """Return the numbers of the files, sorted by the bytes of their path keys, (files,)."""
        return self.arrays["file_order"].view(np.uint32)

    @property
    def file_traits(self) -> npt.NDArray[np.uint16]:
        """Return each file's trait bits, (files,)."""
        return self.arrays["file_traits"].view(np.uint16)

    @property
    def dimension(self) -> int:
        """Return the dimension of the vectors; 0 in a store without an encoder."""
        if self.pages is not None:
            return self.pages.dimension
        return self.arrays["vectors"].shape[1] if "vectors" in self.arrays else 0

    def vectors(self) -> tuple[npt.NDArray[np.int8], ...]:
        """Return int8 (some rows, dimension) arrays, all rows in order; none without an encoder.

        Raises:
            CorruptStore: the table does not contain the vectors.
            StoreError: the table cannot be read now.
        """
        if self.pages is not None:
            return map_vectors(self.table, self.pages, self.rows)
        return (self.arrays["vectors"].view(np.int8),) if "vectors" in self.arrays else ()

    def whole_vectors(self) -> npt.NDArray[np.int8]:
        """Return the vectors as one array, int8 (rows, dimension); raises the errors of `vectors`.

        Requires: the segment has vectors.
        """
        parts = self.vectors()
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @property
    def scales(self) -> npt.NDArray[np.float64]:
        """Return the vectors' scales, (rows,)."""
        return self.arrays["scales"].view(np.float64)

    @property
    def definition_keys(self) -> npt.NDArray[np.uint64] | None:
        """Return the keys of `lexical.possible_definitions`; None in images of earlier builds."""
        keys = self.arrays.get("definition_keys")
        return None if keys is None else keys.view(np.uint64)

    def row_lengths(self, field: int) -> npt.NDArray[np.uint32]:
        """Return each row's length in one scored field, in terms, (rows,)."""
        return self.arrays[f"row_lengths{field}"].view(np.uint32)

    def file_lengths(self, field: int) -> npt.NDArray[np.uint32]:
        """Return each file's length in one file field, in terms, (files,)."""
        return self.arrays[f"file_lengths{field}"].view(np.uint32)

    def lines(self, row: int) -> tuple[int, int]:
        """Return a row's first and last line, 1-based."""
        starts, ends = self.arrays["row_starts"], self.arrays["row_ends"]
        return int(starts.view(np.uint32)[row]), int(ends.view(np.uint32)[row])

    def row_lines(
        self, start: int, end: int
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the first and last lines of the rows `start` to `end` - 1."""
        starts, ends = self.arrays["row_starts"], self.arrays["row_ends"]
        return starts.view(np.uint32)[start:end], ends.view(np.uint32)[start:end]

    def row_id(self, row: int) -> bytes:
        """Return a row's raw id, 32 bytes."""
        return bytes(self.arrays["row_ids"].view(np.uint8)[row])

    def path_bytes(self, file: int) -> bytes:
        """Return a file's path key as UTF-8."""
        offsets = self.arrays["file_path_offsets"].view(np.uint32)
        start, end = int(offsets[file]), int(offsets[file + 1])
        return self.arrays["file_paths"].view(np.uint8)[start:end].tobytes()

    def paths_of(self, files: npt.NDArray[np.int64]) -> list[bytes]:
        """Return some files' path keys as UTF-8."""
        offsets = self.arrays["file_path_offsets"].view(np.uint32)
        text = self.arrays["file_paths"].view(np.uint8).data
        bounds = zip(offsets[files].tolist(), offsets[files + 1].tolist(), strict=True)
        return [bytes(text[start:end]) for start, end in bounds]

    def path(self, file: int) -> PathKey:
        """Return a file's path key."""
        return PathKey(self.path_bytes(file).decode())

    def paths(self) -> list[PathKey]:
        """Return all path keys in file order."""
        text = self.arrays["file_paths"].view(np.uint8).tobytes()
        bounds = self.arrays["file_path_offsets"].view(np.uint32).tolist()
        return [PathKey(text[start:end].decode()) for start, end in pairwise(bounds)]

    def find(self, key: PathKey) -> int | None:
        """Return the number of the file with a path key; None if there is none."""
        order, wanted = self.files_by_path, key.encode()
        offsets = self.arrays["file_path_offsets"].view(np.uint32)
        text = self.arrays["file_paths"].view(np.uint8).data
        place = bisect_left(
            order, wanted, key=lambda file: bytes(text[offsets[file] : offsets[file + 1]])
        )
        if place == len(order) or self.path_bytes(int(order[place])) != wanted:
            return None
        return int(order[place])

    def find_all(self, keys: Sequence[PathKey]) -> list[int]:
        """Return the numbers of the existing files with these path keys, in any order."""
        if len(keys) * _LOOKUPS_PER_PASS < self.files:
            return [place for key in keys if (place := self.find(key)) is not None]
        wanted = frozenset(keys)
        return [place for place, key in enumerate(self.paths()) if key in wanted]

    def file_hash(self, file: int) -> str:
        """Return the SHA-256 of a file's bytes, hex."""
        return bytes(self.arrays["file_hashes"].view(np.uint8)[file]).hex()

    def file_hashes(self) -> list[str]:
        """Return the SHA-256 of all files' bytes, hex, in file order."""
        text = self.arrays["file_hashes"].view(np.uint8).tobytes().hex()
        return [text[start : start + 64] for start in range(0, len(text), 64)]

    def language(self, file: int) -> str:
        """Return a file's language."""
        return self.languages[int(self.arrays["file_languages"].view(np.uint16)[file])]


def open_segment_image(store: Path, segment: SegmentName) -> SegmentImage:
    """Map a segment's image.

    Raises:
        CorruptStore: the image is missing or invalid.
    """
    image = open_image(store_files.image_file(store, segment))
    types, languages = image.meta.get("types"), image.meta.get("languages")
    if not isinstance(types, list) or not isinstance(languages, list):
        raise CorruptStore(f"the image of segment {segment} lists no types or languages")
    return SegmentImage(
        segment,
        image.arrays,
        [str(item) for item in types],
        [str(item) for item in languages],
        image.mapped,
        store_files.table_dir(store, segment),
        pages_of(image.meta),
    )
