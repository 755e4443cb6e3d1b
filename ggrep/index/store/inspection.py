"""Reads what a table really holds, to compare it with what is recorded about it.

A query never comes here: it reads the image, and of the table the rows that it shows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.index.store.rows import chunk_hash_of, schema
from ggrep.index.store.tables import count_rows, read_columns, table_schema
from ggrep.model.chunk import ANCHOR

_BATCH_ROWS = 4096
_COLUMNS = (
    *("row_id", "chunk_id", "path_key", "ordinal", "file_hash", "chunk_hash", "chunker_version"),
    *("kind", "text", "start_line", "end_line"),
)
VECTOR_COLUMNS = ("embedding", "embedding_scale")


@dataclass(frozen=True, slots=True)
class TableRows:
    """Consecutive rows of a table, as columns.

    Attributes:
        start: the place of the first.
        text_hashes: SHA-256 of the texts as they lie there; `chunk_hashes` is what was noted.
        vectors: int8 (rows, dim), and their scales; None in a store without an encoder.
    """

    start: int
    row_ids: list[str]
    chunk_ids: list[str]
    path_keys: list[PathKey]
    ordinals: list[int]
    file_hashes: list[bytes]
    chunk_hashes: list[bytes]
    text_hashes: list[bytes]
    chunker_versions: list[str]
    kinds: list[str]
    start_lines: list[int]
    end_lines: list[int]
    vectors: npt.NDArray[np.int8] | None
    scales: npt.NDArray[np.float64] | None

    def anchors(self) -> list[bool]:
        """Return which rows are anchors."""
        return [kind == ANCHOR for kind in self.kinds]


def schema_differences(store: Path, segment: SegmentName, dimension: int) -> list[str]:
    """Return in what a table's columns are not those of `rows.schema`; nothing when they are.

    Args:
        store: the store directory.
        segment: whose table.
        dimension: of its vectors; 0 in a store without an encoder.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: it cannot be read now.
    """
    found, wanted = table_schema(store, segment), schema(dimension)
    differences = [f"{name}: missing" for name in wanted.names if name not in found.names]
    differences += [f"{name}: unknown" for name in found.names if name not in wanted.names]
    for name in wanted.names:
        if name in found.names and found.field(name).type != wanted.field(name).type:
            kinds = f"{found.field(name).type}, not {wanted.field(name).type}"
            differences.append(f"{name}: {kinds}")
    return differences


def read_rows(store: Path, segment: SegmentName) -> Iterator[TableRows]:
    """Yield all rows of a table, some thousand at a time.

    Raises:
        CorruptStore: the table is damaged, or lacks a column.
        StoreError: it cannot be read now.
    """
    has_vectors = set(VECTOR_COLUMNS) <= set(table_schema(store, segment).names)
    columns = [*_COLUMNS, *(VECTOR_COLUMNS if has_vectors else ())]
    total = count_rows(store, segment)
    for start in range(0, total, _BATCH_ROWS):
        offsets = range(start, min(start + _BATCH_ROWS, total))
        yield _rows(start, read_columns(store, segment, offsets, columns), segment)


def _rows(start: int, found: pa.Table, segment: SegmentName) -> TableRows:
    values = {name: found.column(name).to_pylist() for name in _COLUMNS}
    if any(None in column for column in values.values()):
        raise CorruptStore(f"segment {segment} has rows without a value")
    vectors, scales = vectors_of(found)
    return TableRows(
        start=start,
        row_ids=values["row_id"],
        chunk_ids=values["chunk_id"],
        path_keys=values["path_key"],
        ordinals=values["ordinal"],
        file_hashes=values["file_hash"],
        chunk_hashes=values["chunk_hash"],
        text_hashes=[chunk_hash_of(text) for text in values["text"]],
        chunker_versions=values["chunker_version"],
        kinds=values["kind"],
        start_lines=values["start_line"],
        end_lines=values["end_line"],
        vectors=vectors,
        scales=scales,
    )


def vectors_of(
    found: pa.Table,
) -> tuple[npt.NDArray[np.int8] | None, npt.NDArray[np.float64] | None]:
    """Return the vectors and scales of rows that were read; None where they hold none."""
    if "embedding" not in found.column_names:
        return None, None
    lists = found.column("embedding").combine_chunks()
    flat = lists.flatten().to_numpy(zero_copy_only=False).astype(np.int8, copy=False)
    scales = found.column("embedding_scale").to_numpy().astype(np.float64, copy=False)
    return flat.reshape(found.num_rows, lists.type.list_size), scales
