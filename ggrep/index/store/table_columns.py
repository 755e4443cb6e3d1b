"""The columns of a segment's table.

Row schema 5: one row for each chunk, files by path key, chunks in source order.

| column | type | |
|---|---|---|
| row_id, chunk_id | fixed binary 32 | SHA-256, see `row_id_of` and `chunk_id_of` |
| path_key, path_key_ci | utf8 | the key and its case fold |
| ordinal | uint32 | place in the file, the anchor is 0 |
| file_hash, chunk_hash | fixed binary 32 | SHA-256 of the file's bytes, of the embedded text |
| chunker_version, kind, chunk_type, language, corpus | utf8 | |
| text | large utf8 | as embedded: breadcrumb, the file's own text, extra words |
| display_start, display_length | uint32 | the file's own text inside `text`, in characters |
| start_line, end_line | uint32 | 1-based, inclusive |
| byte_start, byte_end | uint64 | offsets in the file as UTF-8, end exclusive |
| name, qualified_name | utf8 | empty for blocks |
| names, breadcrumb | list of utf8 | |
| signature, doc | utf8 | the definition's head and documentation, without comment marks |
| tail | utf8 | the file's text between this chunk and the next; see `Chunk.tail` |
| method | utf8 | how the file was cut into chunks |
| encoding | utf8 | the file's encoding, empty for UTF-8; `text` is always UTF-8 |
| traits | uint16 | traits by the file's content, `ggrep.model.files` bits |
| embedding | fixed list of int8 | only in stores with an encoder |
| embedding_scale | float64 | vector = embedding x scale |

Text is compressed in blocks of 32 KiB: most single texts are too short for compression.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ggrep.index.store.rows import ChunkRow
from ggrep.model.files import Chunk

pa.set_memory_pool(pa.system_memory_pool())
"""Other pools reserve more than a worker has, and keep what the writer of a table needs."""

_IN_BLOCKS = {
    "lance-encoding:compression": "zstd",
    "lance-encoding:compression-level": "6",
    "lance-encoding:structural-encoding": "miniblock",
    "lance-encoding:minichunk-size": "32768",
}
_COMPRESSED = frozenset({"file_hash", "text", "doc", "tail", "name", "qualified_name", "signature"})
"""Columns that are compressed; a file's hash, for example, is the same in all its rows."""


def schema(dimension: int) -> pa.Schema:
    """Return the table schema; without columns for vectors if `dimension` is 0."""

    def field(name: str, kind: pa.DataType) -> pa.Field:
        stored = _IN_BLOCKS if name in _COMPRESSED else None
        return pa.field(name, kind, nullable=False, metadata=stored)

    text = ("chunker_version", "kind", "chunk_type", "language", "corpus", "method", "encoding")
    fields = [
        field("row_id", pa.binary(32)),
        field("chunk_id", pa.binary(32)),
        field("path_key", pa.utf8()),
        field("path_key_ci", pa.utf8()),
        field("ordinal", pa.uint32()),
        field("file_hash", pa.binary(32)),
        field("chunk_hash", pa.binary(32)),
        *(field(name, pa.utf8()) for name in text),
        field("traits", pa.uint16()),
        field("text", pa.large_utf8()),
        field("display_start", pa.uint32()),
        field("display_length", pa.uint32()),
        field("start_line", pa.uint32()),
        field("end_line", pa.uint32()),
        field("byte_start", pa.uint64()),
        field("byte_end", pa.uint64()),
        field("name", pa.utf8()),
        field("qualified_name", pa.utf8()),
        field("names", pa.list_(pa.utf8())),
        field("breadcrumb", pa.list_(pa.utf8())),
        field("signature", pa.utf8()),
        field("doc", pa.utf8()),
        field("tail", pa.utf8()),
    ]
    if dimension:
        fields += [
            field("embedding", pa.list_(pa.int8(), dimension)),
            field("embedding_scale", pa.float64()),
        ]
    return pa.schema(fields)


def to_batch(rows: Sequence[ChunkRow]) -> pa.RecordBatch:
    """Return the rows as one Arrow batch of `schema(0)`."""
    kind = schema(0)
    columns = [pa.array(values, type=kind.field(name).type) for name, values in _columns(rows)]
    return pa.RecordBatch.from_arrays(columns, schema=kind)


def with_vectors(
    batch: pa.RecordBatch, vectors: npt.NDArray[np.int8], scales: npt.NDArray[np.float64]
) -> pa.RecordBatch:
    """Add vectors to a batch of `schema(0)`; return a batch of `schema(dimension)`."""
    flat = _plain_array(vectors.reshape(-1), pa.int8())
    embedded = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    columns = [*batch.columns, embedded, _plain_array(scales, pa.float64())]
    return pa.RecordBatch.from_arrays(columns, schema=schema(vectors.shape[1]))


def pack_rows(rows: Sequence[ChunkRow]) -> bytes:
    """Return rows as compressed bytes; `unpack_rows` reads them.

    Rows are sent between processes and kept in this form: text needs half the memory.
    """
    batch, sink = to_batch(rows), pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_stream(sink, batch.schema, options=options) as stream:
        stream.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack_rows(packed: Sequence[bytes]) -> pa.RecordBatch:
    """Return packed rows as one batch of `schema(0)`.

    Raises:
        ValueError: the bytes are not rows.
    """
    options = pa.ipc.IpcReadOptions(use_threads=False)
    streams = (pa.ipc.open_stream(part, options=options) for part in packed)
    return pa.concat_batches([stream.read_next_batch() for stream in streams])


def _plain_array(values: npt.NDArray[np.generic], kind: pa.DataType) -> pa.Array:
    """Return numbers as an Arrow array.

    Arrow's conversion would load numpy's module of masked arrays.
    """
    return pa.Array.from_buffers(
        kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))]
    )


def _columns(  # noqa: PLR0915 - a line for each column
    rows: Sequence[ChunkRow],
) -> Iterator[tuple[str, list[object]]]:
    """Yield the schema's columns in its order, without vectors."""
    chunks = [row.chunk for row in rows]
    yield "row_id", [bytes.fromhex(row.row_id) for row in rows]
    yield "chunk_id", [bytes.fromhex(row.chunk_id) for row in rows]
    yield "path_key", [row.path_key for row in rows]
    yield "path_key_ci", [row.path_key.casefold() for row in rows]
    yield "ordinal", [row.ordinal for row in rows]
    yield "file_hash", [row.file_hash for row in rows]
    yield "chunk_hash", [row.chunk_hash for row in rows]
    yield "chunker_version", [row.chunker_version for row in rows]
    yield "kind", [chunk.kind for chunk in chunks]
    yield "chunk_type", [chunk.chunk_type for chunk in chunks]
    yield "language", [row.language for row in rows]
    yield "corpus", [chunk.corpus.value for chunk in chunks]
    yield "method", [row.method for row in rows]
    yield "encoding", [row.encoding for row in rows]
    yield "traits", [row.traits for row in rows]
    yield "text", [row.text for row in rows]
    yield "display_start", [_display_start(chunk) for chunk in chunks]
    yield "display_length", [len(chunk.text) for chunk in chunks]
    yield "start_line", [chunk.start_line for chunk in chunks]
    yield "end_line", [chunk.end_line for chunk in chunks]
    yield "byte_start", [chunk.byte_start for chunk in chunks]
    yield "byte_end", [chunk.byte_end for chunk in chunks]
    yield "name", [chunk.name for chunk in chunks]
    yield "qualified_name", [chunk.qualified_name for chunk in chunks]
    yield "names", [chunk.names for chunk in chunks]
    yield "breadcrumb", [chunk.breadcrumb for chunk in chunks]
    yield "signature", [chunk.signature for chunk in chunks]
    yield "doc", [chunk.doc for chunk in chunks]
    yield "tail", [chunk.tail for chunk in chunks]


def _display_start(chunk: Chunk) -> int:
    """Return the offset in the embedded text at which the file's own text begins."""
    crumb = len(" > ".join(chunk.breadcrumb))
    return crumb + (1 if crumb and chunk.text else 0)
