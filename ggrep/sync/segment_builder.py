"""Chunk rows become a segment's content: table batches and image arrays.

Everything is derived from rows alone, so an image can be rebuilt from its table, and a merge of
segments is the same work as a first build without reading, cutting and embedding.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ggrep.domain.chunk import ANCHOR, Chunk
from ggrep.domain.corpus import CORPORA
from ggrep.domain.ids import PathKey
from ggrep.domain.traits import traits_of
from ggrep.embedding.encoder import Encoder
from ggrep.embedding.quantise import Int8
from ggrep.embedding.vector_cache import VectorCache
from ggrep.embedding.vector_source import VectorSource
from ggrep.lexical.layout import (
    BODY,
    CHUNK_FIELDS,
    CRUMB,
    DOC,
    FILE_FIELDS,
    NAME,
    PATH,
    SCORED_FIELDS,
    STEM,
    SYMBOL,
)
from ggrep.lexical.postings_builder import PostingsBuilder
from ggrep.lexical.tokens import whole_names, words
from ggrep.store.image import Array
from ggrep.store.rows import ChunkRow, to_batch
from ggrep.store.segment import SegmentContent
from ggrep.store.segment_image import FILE_POSTINGS, ROW_POSTINGS

_FLUSH_ROWS = 1024
_CORPUS_PLACE = {corpus: place for place, corpus in enumerate(CORPORA)}


@dataclass(frozen=True, slots=True)
class FileRows:
    """One file as a segment stores it.

    Attributes:
        rows: its chunks in source order; none for an empty file.
        vectors: int8 (rows, dim) and float64 (rows,), or None to have them encoded.
    """

    path_key: PathKey
    file_hash: bytes
    size_bytes: int
    language: str
    rows: tuple[ChunkRow, ...]
    vectors: tuple[Int8, npt.NDArray[np.float64]] | None = None


class SegmentBuilder:
    """Takes files one after another; holds postings and Arrow batches, not the rows themselves."""

    def __init__(self, encoder: Encoder | None, cache: VectorCache | None = None) -> None:
        self._encoder = encoder
        self._source = VectorSource(encoder, cache) if encoder else None
        self._row_postings = PostingsBuilder(CHUNK_FIELDS)
        self._file_postings = PostingsBuilder(FILE_FIELDS)
        self._numbers = {name: array("Q") for name in _COLUMNS}
        self._paths: list[bytes] = []
        self._hashes: list[bytes] = []
        self._ids: list[bytes] = []
        self._types: dict[str, int] = {}
        self._languages: dict[str, int] = {}
        self._pending: list[FileRows] = []
        self._pending_rows = 0
        self._batches: list[pa.RecordBatch] = []
        self._vectors: list[Int8] = []
        self._scales: list[npt.NDArray[np.float64]] = []
        self._row = 0

    @property
    def files(self) -> int:
        """Return the number of files taken so far."""
        return len(self._paths)

    @property
    def vectors_encoded(self) -> int:
        """Return the number of texts encoded so far."""
        return self._source.encoded if self._source else 0

    @property
    def vectors_reused(self) -> int:
        """Return the number of vectors so far that were cached, or an equal text's.

        Those handed in are not counted.
        """
        return self._source.reused if self._source else 0

    def add(self, file: FileRows) -> None:
        """Take one file; its place in the segment follows the one before."""
        self._add_file(file)
        self._add_rows(file.rows)
        self._pending.append(file)
        self._pending_rows += len(file.rows)
        if self._pending_rows >= _FLUSH_ROWS:
            self._flush()

    def finish(self) -> SegmentContent:
        """Return the content; the builder is used up."""
        self._flush()
        arrays = self._arrays()
        arrays |= self._row_postings.build(ROW_POSTINGS)
        arrays |= self._file_postings.build(FILE_POSTINGS)
        if self._encoder is not None:
            dimension = self._encoder.dimension
            arrays["vectors"] = np.concatenate([*self._vectors, np.zeros((0, dimension), np.int8)])
            arrays["scales"] = np.concatenate([*self._scales, np.zeros(0, np.float64)])
        meta = {"types": list(self._types), "languages": list(self._languages)}
        return SegmentContent(arrays, meta, self._batches or [self._batch([])])

    def _add_file(self, file: FileRows) -> None:
        path = file.path_key
        number = len(self._paths)
        directories, _, name = path.rpartition("/")
        stem = name.lstrip(".").split(".", 1)[0] or name
        self._file_postings.add(number, PATH, words(f"{directories} {name}"))
        self._file_postings.add(number, STEM, words(stem))
        self._paths.append(path.encode())
        self._hashes.append(file.file_hash)
        numbers = self._numbers
        numbers["file_sizes"].append(file.size_bytes)
        numbers["file_rows"].append(self._row)
        numbers["file_traits"].append(traits_of(path))
        numbers["file_languages"].append(
            self._languages.setdefault(file.language, len(self._languages))
        )

    def _add_rows(self, rows: Sequence[ChunkRow]) -> None:
        """Take the rows of the file added last."""
        chunks = [row.chunk for row in rows]
        for number, chunk in enumerate(chunks, start=self._row):
            self._add_words(number, chunk)
        numbers, types = self._numbers, self._types
        numbers["row_files"].extend([len(self._paths) - 1] * len(rows))
        numbers["row_starts"].extend([chunk.start_line for chunk in chunks])
        numbers["row_ends"].extend([chunk.end_line for chunk in chunks])
        numbers["row_corpora"].extend([_CORPUS_PLACE[chunk.corpus] for chunk in chunks])
        numbers["row_types"].extend([types.setdefault(c.chunk_type, len(types)) for c in chunks])
        numbers["row_anchors"].extend([chunk.kind == ANCHOR for chunk in chunks])
        self._ids += [bytes.fromhex(row.row_id) for row in rows]
        self._row += len(rows)

    def _add_words(self, number: int, chunk: Chunk) -> None:
        """Record the words of one row's fields; empty ones have none."""
        postings = self._row_postings
        postings.add(number, BODY, words(f"{chunk.text}\n{chunk.extra}"))
        if chunk.names:
            postings.add(number, NAME, words(" ".join(chunk.names)))
            postings.add_terms(number, SYMBOL, whole_names((*chunk.names, chunk.qualified_name)))
        if chunk.breadcrumb:
            postings.add(number, CRUMB, words(" ".join(chunk.breadcrumb)))
        if chunk.doc:
            postings.add(number, DOC, words(chunk.doc))

    def _flush(self) -> None:
        rows = [row for file in self._pending for row in file.rows]
        if rows:
            self._batches.append(self._batch(rows))
        self._pending, self._pending_rows = [], 0

    def _batch(self, rows: Sequence[ChunkRow]) -> pa.RecordBatch:
        if self._source is None:
            return to_batch(rows, None, None)
        vectors, scales = self._vectors_of_pending(self._source)
        if rows:
            self._vectors.append(vectors)
            self._scales.append(scales)
        return to_batch(rows, vectors, scales)

    def _vectors_of_pending(self, source: VectorSource) -> tuple[Int8, npt.NDArray[np.float64]]:
        """Return the pending rows' vectors, in their order: those handed in and the others."""
        bare = [row for file in self._pending if file.vectors is None for row in file.rows]
        found = source.vectors_of([row.chunk_hash for row in bare], [row.text for row in bare])
        parts, scales, taken = [found[0][:0]], [found[1][:0]], 0
        for file in self._pending:
            held = file.vectors
            if held is None:
                taken, start = taken + len(file.rows), taken
                held = found[0][start:taken], found[1][start:taken]
            parts.append(held[0])
            scales.append(held[1])
        return np.concatenate(parts), np.concatenate(scales)

    def _arrays(self) -> dict[str, Array]:
        self._numbers["file_rows"].append(self._row)
        arrays: dict[str, Array] = {
            name: np.frombuffer(self._numbers[name], dtype=np.uint64).astype(dtype)
            if self._numbers[name]
            else np.zeros(0, dtype)
            for name, dtype in _COLUMNS.items()
        }
        offsets = np.zeros(len(self._paths) + 1, np.uint32)
        np.cumsum([len(path) for path in self._paths], out=offsets[1:])
        order = sorted(range(len(self._paths)), key=self._paths.__getitem__)
        arrays["file_order"] = np.array(order, dtype=np.uint32)
        arrays["file_paths"] = np.frombuffer(b"".join(self._paths), np.uint8)
        arrays["file_path_offsets"] = offsets
        arrays["file_hashes"] = _digests(self._hashes)
        arrays["row_ids"] = _digests(self._ids)
        for field in range(SCORED_FIELDS):
            arrays[f"row_lengths{field}"] = self._row_postings.lengths(field, self._row)
        for field in range(FILE_FIELDS):
            arrays[f"file_lengths{field}"] = self._file_postings.lengths(field, self.files)
        return arrays


_COLUMNS: dict[str, type[np.unsignedinteger]] = {
    "file_sizes": np.uint64,
    "file_rows": np.uint32,
    "file_traits": np.uint16,
    "file_languages": np.uint16,
    "row_files": np.uint32,
    "row_starts": np.uint32,
    "row_ends": np.uint32,
    "row_corpora": np.uint8,
    "row_types": np.uint8,
    "row_anchors": np.uint8,
}


def _digests(values: Sequence[bytes]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), 32)
