"""Writes a segment: its table, then its image; both are synced before a manifest lists them."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.durable import reach
from ggrep.base.ids import SegmentName
from ggrep.config import store_files
from ggrep.index.store.disk import measure_file
from ggrep.index.store.image import Array, write_image
from ggrep.index.store.manifest import FileRef, SegmentRef
from ggrep.index.store.table_scan import write_sizes
from ggrep.index.store.table_vectors import in_table
from ggrep.index.store.tables import measure_table, write_table

if TYPE_CHECKING:
    import pyarrow as pa


_MANY_ROWS = 10_000
"""Number of rows above which memory is returned to the system while a table is written; this takes
time."""


class PackedBatches(Struct, frozen=True):
    """The rows of a table as Arrow batches, each unpacked only while it is used.

    Attributes:
        packed: the parts of each batch, see `table_columns.pack_rows`. The list is emptied by
            writing.
        vectors: int8 (rows, dim), with scales in `scales`; None in a store without an encoder.
    """

    packed: list[Sequence[bytes]]
    vectors: Array | None
    scales: Array | None

    def __iter__(self) -> "Iterator[pa.RecordBatch]":
        """Yield the batches."""
        from ggrep.index.store.table_columns import unpack_rows, with_vectors

        start = 0
        for parts in self.packed:
            batch = unpack_rows(parts)
            start, first = start + batch.num_rows, start
            if self.vectors is not None and self.scales is not None:
                vectors = self.vectors[first:start].view(np.int8)
                batch = with_vectors(batch, vectors, self.scales[first:start].view(np.float64))
            yield batch


class SegmentContent(Struct, frozen=True):
    """A segment in memory, ready to be written.

    Attributes:
        arrays: the arrays of the image, see `segment_image`.
        batches: the table's rows, at least one batch, which can be without rows.
    """

    arrays: Mapping[str, Array]
    meta: Mapping[str, stable_json.Json]
    batches: PackedBatches

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.arrays["row_files"])

    @property
    def files(self) -> int:
        """Return the number of files."""
        return len(self.arrays["file_sizes"])


def write_segment(
    store: Path, segment: SegmentName, content: SegmentContent, *, kind: str
) -> SegmentRef:
    """Write a new segment; return its reference with sizes and digests.

    A crash before the manifest is written leaves an unreferenced table or image, which no reader
    opens. After a failure the files are removed, because on a full disk the space is needed.
    """
    try:
        return _write(store, segment, content, kind)
    except Exception:
        remove_segment(store, segment)
        raise


def _write(store: Path, segment: SegmentName, content: SegmentContent, kind: str) -> SegmentRef:
    reach("publish.before_segment")
    write_table(store, segment, content.batches, many=content.rows > _MANY_ROWS)
    content.batches.packed.clear()
    write_sizes(store, segment, content.arrays["file_sizes"].tolist())
    durable.sync_tree(store_files.table_dir(store, segment))
    reach("publish.after_table")
    size, digest = measure_table(store, segment)
    image = store_files.image_file(store, segment)
    durable.make_directory(image.parent)
    write_image(image, *in_table(store, segment, content.arrays, content.meta))
    durable.sync_directory(image.parent)  # `transaction.stage` syncs the store's directory
    reach("publish.after_image")
    return SegmentRef(
        kind=kind,
        table=segment,
        rows=content.rows,
        files=content.files,
        size_bytes=size,
        sha256=digest,
        image=image_ref(store, image),
        path=store_files.table_dir(store, segment).name,
    )


def remove_segment(store: Path, segment: SegmentName) -> None:
    """Delete an unreferenced segment; a collection deletes files that cannot be deleted now."""
    shutil.rmtree(store_files.table_dir(store, segment), ignore_errors=True)
    with suppress(OSError):
        store_files.image_file(store, segment).unlink()


def image_ref(store: Path, path: Path) -> FileRef:
    """Return the reference to a written image."""
    return FileRef(path.relative_to(store).as_posix(), 0, *measure_file(path), "image")
