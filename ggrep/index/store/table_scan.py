"""Reads a segment's table from end to end: everything that its image was made of.

The rows say everything about their files but how long they are: blanks at a file's end are in no
chunk. So the sizes lie beside the rows, in the table's directory, under the table's digest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.base import durable, stable_json
from ggrep.base.ids import SegmentName
from ggrep.config.layout import names
from ggrep.index.store.inspection import VECTOR_COLUMNS, vectors_of
from ggrep.index.store.read_failures import read_failure
from ggrep.index.store.rows import ChunkRow
from ggrep.index.store.tables import count_rows, read_columns, table_schema, take_rows

_BATCH_ROWS = 2048


@dataclass(frozen=True, slots=True)
class ScannedRows:
    """Consecutive rows of a table.

    Attributes:
        vectors: int8 (rows, dim), and their scales; None in a store without an encoder.
    """

    rows: list[ChunkRow]
    vectors: npt.NDArray[np.int8] | None = None
    scales: npt.NDArray[np.float64] | None = None


def write_sizes(store: Path, segment: SegmentName, sizes: Sequence[int]) -> None:
    """Write how many bytes a new table's files have, in their order, durably."""
    file = names.sizes_file(store, segment)
    durable.write_file(file, stable_json.dumps({"file_sizes": list(sizes)}))
    durable.sync_directory(file.parent)


def read_sizes(store: Path, segment: SegmentName) -> list[int] | None:
    """Return the sizes of a table's files; None for a table of a build that noted none.

    Requires: the table was verified.

    Raises:
        StoreError: they cannot be read now.
    """
    file = names.sizes_file(store, segment)
    try:
        found = stable_json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise read_failure(f"{file.parent.name}/{file.name}", error) from error
    sizes: list[int] = found["file_sizes"]
    return sizes


def scan_table(store: Path, segment: SegmentName) -> Iterator[ScannedRows]:
    """Yield all rows in their order, some thousand at a time.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: it cannot be read now.
    """
    has_vectors = dimension_of(store, segment) > 0
    for start in range(0, (total := count_rows(store, segment)), _BATCH_ROWS):
        offsets = range(start, min(start + _BATCH_ROWS, total))
        rows = take_rows(store, segment, offsets)
        if has_vectors:
            yield ScannedRows(
                rows, *vectors_of(read_columns(store, segment, offsets, VECTOR_COLUMNS))
            )
        else:
            yield ScannedRows(rows)


def dimension_of(store: Path, segment: SegmentName) -> int:
    """Return the dimension of a table's vectors; 0 in a store without an encoder.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: it cannot be read now.
    """
    schema = table_schema(store, segment)
    name = VECTOR_COLUMNS[0]
    return int(schema.field(name).type.list_size) if name in schema.names else 0
