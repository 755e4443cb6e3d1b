"""Reads a segment's whole table, to rebuild its image or to check it.

Queries read the image instead. The rows contain all facts about their files except the sizes,
because blanks at a file's end are in no chunk. The sizes are therefore in a separate file in the
table's directory, which the table's digest covers.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.config import store_files
from ggrep.index.store.read_failures import read_failure
from ggrep.index.store.rows import ChunkRow, chunk_hash_of
from ggrep.index.store.tables import count_rows, hex_id, read_columns, table_schema, take_rows
from ggrep.model.files import ANCHOR

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 4096
_COLUMNS = (
    *("row_id", "chunk_id", "path_key", "ordinal", "file_hash", "chunk_hash", "chunker_version"),
    *("kind", "text", "start_line", "end_line"),
)
_VECTOR_COLUMNS = ("embedding", "embedding_scale")


class ScannedRows(Struct, frozen=True):
    """Consecutive rows of a table.

    Attributes:
        vectors: int8 (rows, dim), with scales in `scales`; None in a store without an encoder.
    """

    rows: list[ChunkRow]
    vectors: npt.NDArray[np.int8] | None = None
    scales: npt.NDArray[np.float64] | None = None


def write_sizes(store: Path, segment: SegmentName, sizes: Sequence[int]) -> None:
    """Write the sizes in bytes of a new table's source files, in order; the caller syncs."""
    file = store_files.sizes_file(store, segment)
    durable.write_file(file, stable_json.dumps({"file_sizes": list(sizes)}), lasting=False)


def read_sizes(store: Path, segment: SegmentName) -> list[int] | None:
    """Return the sizes of a table's source files; None if an earlier build wrote the table.

    Requires: the table was verified.

    Raises:
        StoreError: the file with the sizes cannot be read now.
    """
    file = store_files.sizes_file(store, segment)
    try:
        document = stable_json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise read_failure(f"{file.parent.name}/{file.name}", error) from error
    sizes: list[int] = document["file_sizes"]
    return sizes


def scan_table(store: Path, segment: SegmentName) -> Iterator[ScannedRows]:
    """Yield all rows in their order, a few thousand at a time.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: the table cannot be read now.
    """
    has_vectors = dimension_of(store, segment) > 0
    for offsets in _batches(store, segment):
        rows = take_rows(store, segment, offsets)
        if has_vectors:
            vectors = _vectors_of(read_columns(store, segment, offsets, _VECTOR_COLUMNS))
            yield ScannedRows(rows, *vectors)
        else:
            yield ScannedRows(rows)


def dimension_of(store: Path, segment: SegmentName) -> int:
    """Return the dimension of a table's vectors; 0 in a store without an encoder.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: the table cannot be read now.
    """
    schema = table_schema(store, segment)
    name = _VECTOR_COLUMNS[0]
    return int(schema.field(name).type.list_size) if name in schema.names else 0


class TableRows(Struct, frozen=True):
    """Consecutive rows of a table, as columns.

    Attributes:
        start: the number of the first row.
        chunk_hashes: SHA-256 of each row's text, as the table contains it.
        text_hashes: SHA-256 of each row's text, computed during the scan.
        vectors: int8 (rows, dim), with scales in `scales`; None in a store without an encoder.
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
        """Return which rows are header chunks."""
        return [kind == ANCHOR for kind in self.kinds]


def schema_differences(store: Path, segment: SegmentName, dimension: int) -> list[str]:
    """Return the differences of a table's columns from `table_columns.schema`.

    Args:
        store: the store directory.
        segment: the table's segment.
        dimension: the dimension of the vectors; 0 in a store without an encoder.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: the table cannot be read now.
    """
    from ggrep.index.store.table_columns import schema

    actual, wanted = table_schema(store, segment), schema(dimension)
    differences = [f"{name}: missing" for name in wanted.names if name not in actual.names]
    differences += [f"{name}: unknown" for name in actual.names if name not in wanted.names]
    for name in wanted.names:
        if name in actual.names and actual.field(name).type not in _types(wanted.field(name)):
            kinds = f"{actual.field(name).type}, not {wanted.field(name).type}"
            differences.append(f"{name}: {kinds}")
    return differences


def _types(column: "pa.Field") -> tuple["pa.DataType", ...]:
    """Return the allowed types of a column; an id can also have the type of row schema 4."""
    import pyarrow as pa

    return (column.type, pa.utf8()) if column.name in {"row_id", "chunk_id"} else (column.type,)


def read_rows(store: Path, segment: SegmentName) -> Iterator[TableRows]:
    """Yield all rows of a table, a few thousand at a time.

    Raises:
        CorruptStore: the table is damaged, or lacks a column.
        StoreError: the table cannot be read now.
    """
    has_vectors = set(_VECTOR_COLUMNS) <= set(table_schema(store, segment).names)
    columns = [*_COLUMNS, *(_VECTOR_COLUMNS if has_vectors else ())]
    for offsets in _batches(store, segment):
        yield _rows(offsets.start, read_columns(store, segment, offsets, columns), segment)


def _batches(store: Path, segment: SegmentName) -> Iterator[range]:
    total = count_rows(store, segment)
    for start in range(0, total, _BATCH_ROWS):
        yield range(start, min(start + _BATCH_ROWS, total))


def _rows(start: int, table: "pa.Table", segment: SegmentName) -> TableRows:
    values = {name: table.column(name).to_pylist() for name in _COLUMNS}
    if any(None in column for column in values.values()):
        raise CorruptStore(f"segment {segment}: a value is missing in some rows")
    vectors, scales = _vectors_of(table)
    return TableRows(
        start=start,
        row_ids=list(map(hex_id, values["row_id"])),
        chunk_ids=list(map(hex_id, values["chunk_id"])),
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


def _vectors_of(
    table: "pa.Table",
) -> tuple[npt.NDArray[np.int8] | None, npt.NDArray[np.float64] | None]:
    """Return the vectors and scales in a read table; None for a table without vectors."""
    if "embedding" not in table.column_names:
        return None, None
    lists = table.column("embedding").combine_chunks()
    flat = lists.flatten().to_numpy(zero_copy_only=False).astype(np.int8, copy=False)
    scales = table.column("embedding_scale").to_numpy().astype(np.float64, copy=False)
    return flat.reshape(table.num_rows, lists.type.list_size), scales
