"""Builds a segment's content from chunk rows: table batches and image arrays.

A merge of segments uses the same code as a first index, but reads, cuts and encodes no files.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.quantise import Int8, quantise
from ggrep.index.embedding.vector_cache import VectorCache
from ggrep.index.store.rows import ChunkRow, make_row
from ggrep.index.store.segment import PackedBatches, SegmentContent
from ggrep.index.sync.image_builder import ImageBuilder, ImagePart
from ggrep.model.files import ChunkedFile, FileText
from ggrep.parse.languages.registry import CHUNKER_REVISION

_FLUSH_ROWS = 1024

Vectors = tuple[Int8, npt.NDArray[np.float64]]
"""int8 (rows, dim) and float64 scales (rows,)."""


class FileRows(Struct, frozen=True):
    """The rows of one file, as a segment stores them.

    Attributes:
        rows: its chunks in source order, the header chunk first.
        vectors: int8 (rows, dim) and float64 (rows,); None if they remain to be encoded.
    """

    path_key: PathKey
    file_hash: bytes
    size_bytes: int
    language: str
    rows: tuple[ChunkRow, ...]
    vectors: Vectors | None = None


def file_rows(text: FileText, chunked: ChunkedFile) -> FileRows:
    """Return the rows of a file from its chunks."""
    file_hash = bytes.fromhex(text.digest)
    rows = tuple(
        make_row(
            chunked,
            ordinal,
            file_hash=file_hash,
            chunker_version=CHUNKER_REVISION,
            encoding=text.encoding,
            traits=text.traits,
        )
        for ordinal in range(len(chunked.chunks))
    )
    return FileRows(text.path_key, file_hash, len(text.data), chunked.language, rows)


class Part(Struct, frozen=True, array_like=True):
    """The rows of consecutive files, usually a few hundred rows, as a worker returns them.

    Attributes:
        rows: the rows of the table without vectors; see `pack_rows`.
        encoder: digest of the model that made the vectors; empty without vectors.
        vectors: int8 (rows, dim), as bytes.
        scales: float64 (rows,), as bytes.
    """

    image: ImagePart
    rows: bytes
    encoder: str = ""
    vectors: bytes = b""
    scales: bytes = b""


class VectorSource:
    """Returns vectors of texts from the cache or the encoder; counts reused and encoded ones."""

    def __init__(self, encoder: Encoder, cache: VectorCache | None) -> None:
        self._encoder = encoder
        self._cache = cache
        self._encoded = 0
        self._reused = 0

    def of_part(self, part: Part) -> Vectors | None:
        """Return a part's vectors; None if the part has none, or if another encoder made them."""
        identity = self._encoder.identity
        if not part.encoder or part.encoder != identity.digest:
            return None
        scales = np.frombuffer(part.scales, np.float64)
        self._encoded += len(scales)
        return np.frombuffer(part.vectors, np.int8).reshape(len(scales), -1), scales

    @property
    def encoded(self) -> int:
        """Return how many texts were encoded."""
        return self._encoded

    @property
    def reused(self) -> int:
        """Return how many vectors were returned without encoding their texts."""
        return self._reused

    def vectors_of(self, hashes: Sequence[bytes], texts: Sequence[str]) -> Vectors:
        """Return int8 (n, dim) and float64 scales (n,), with the same bits as if encoded now.

        Args:
            hashes: raw SHA-256 of each text.
            texts: the texts to encode.
        """
        text_of = dict(zip(hashes, texts, strict=True))
        cached = self._cache.get(list(text_of)) if self._cache else {}
        missing = [digest for digest in text_of if digest not in cached]
        place_of = {digest: place for place, digest in enumerate((*missing, *cached))}
        vectors, scales = self._encode(missing, [text_of[digest] for digest in missing])
        if cached:
            vectors = np.concatenate([vectors, np.stack([row for row, _ in cached.values()])])
            scales = np.concatenate([scales, [scale for _, scale in cached.values()]])
        self._encoded += len(missing)
        self._reused += len(hashes) - len(missing)
        places = np.array([place_of[digest] for digest in hashes], dtype=np.intp)
        return vectors[places], scales[places]

    def _encode(self, hashes: Sequence[bytes], texts: Sequence[str]) -> Vectors:
        if not texts:
            dimension = self._encoder.dimension
            return np.zeros((0, dimension), np.int8), np.zeros(0, np.float64)
        vectors, scales = quantise(self._encoder.encode_documents(texts))
        if self._cache:
            self._cache.put(hashes, vectors, scales)
        return vectors, scales


class SegmentBuilder:
    """Accepts files in order; stores postings and packed rows, not the rows themselves."""

    def __init__(
        self, encoder: Encoder | None, cache: VectorCache | None = None, *, for_table: bool = True
    ) -> None:
        """Start empty; `for_table`: whether the content needs batches for a table."""
        self._source = VectorSource(encoder, cache) if encoder else None
        self._for_table = for_table
        self._image = ImageBuilder(encoder.dimension if encoder else 0)
        self._pending: list[FileRows] = []
        self._parts: list[tuple[bytes, Vectors | None]] = []
        self._pending_rows = 0
        self._packed: list[Sequence[bytes]] = []

    @property
    def files(self) -> int:
        """Return the number of files added so far."""
        return self._image.files

    @property
    def vectors_encoded(self) -> int:
        """Return the number of texts encoded so far."""
        return self._source.encoded if self._source else 0

    @property
    def vectors_reused(self) -> int:
        """Return the number of vectors that came from the cache or from an equal text.

        Vectors passed in by the caller are not counted.
        """
        return self._source.reused if self._source else 0

    def add(self, file: FileRows) -> None:
        """Add a file after the previous files of the segment."""
        self._flush_parts()
        self._image.add_file(
            file.path_key, file.file_hash, file.size_bytes, file.language, file.rows[0].traits
        )
        self._image.add_rows(file.rows)
        self._pending.append(file)
        self._pending_rows += len(file.rows)
        if self._pending_rows >= _FLUSH_ROWS:
            self._flush()

    def take(self, part: Part) -> None:
        """Add the files of a part after the previous files."""
        self._flush()
        self._image.add_part(part.image)
        self._parts.append((part.rows, self._source.of_part(part) if self._source else None))
        self._pending_rows += len(part.image.texts.details)
        if self._pending_rows >= _FLUSH_ROWS:
            self._flush_parts()

    def finish(self) -> SegmentContent:
        """Return the content; the builder cannot be used again."""
        self._flush_parts()
        self._flush(empty=not self._packed)
        # A builder that outlives its content must not keep that content in memory.
        image, self._image = self._image, ImageBuilder()
        packed, self._packed = self._packed, []
        arrays = image.finish()
        rows = PackedBatches(packed, arrays.get("vectors"), arrays.get("scales"))
        return SegmentContent(arrays, image.meta, rows)

    def _flush(self, *, empty: bool = False) -> None:
        """Add the pending rows, or a batch without rows if one is required."""
        rows = [row for file in self._pending for row in file.rows]
        if rows or empty:
            if self._source is not None:
                self._image.add_vectors(*self._vectors_of_pending(self._source))
            if self._for_table:
                from ggrep.index.store.table_columns import pack_rows

                self._packed.append([pack_rows(rows)])
            self._pending, self._pending_rows = [], 0

    def _flush_parts(self) -> None:
        """Add the rows of the parts, and encode the rows without vectors."""
        if not self._parts:
            return
        packed = [rows for rows, _ in self._parts]
        given = [vectors for _, vectors in self._parts if vectors is not None]
        if self._source is not None and len(given) == len(packed):
            for vectors in given:
                self._image.add_vectors(*vectors)
        elif self._source is not None:
            from ggrep.index.store.table_columns import unpack_rows

            batch = unpack_rows(packed)
            hashes, texts = (batch.column(name).to_pylist() for name in ("chunk_hash", "text"))
            self._image.add_vectors(*self._source.vectors_of(hashes, texts))
        if self._for_table:
            self._packed.append(packed)
        self._parts, self._pending_rows = [], 0

    def _vectors_of_pending(self, source: VectorSource) -> Vectors:
        """Return the vectors of all pending rows in order, passed in or encoded."""
        bare = [row for file in self._pending if file.vectors is None for row in file.rows]
        encoded = source.vectors_of([row.chunk_hash for row in bare], [row.text for row in bare])
        parts, scales, taken = [encoded[0][:0]], [encoded[1][:0]], 0
        for file in self._pending:
            vectors = file.vectors
            if vectors is None:
                taken, start = taken + len(file.rows), taken
                vectors = encoded[0][start:taken], encoded[1][start:taken]
            parts.append(vectors[0])
            scales.append(vectors[1])
        return np.concatenate(parts), np.concatenate(scales)
