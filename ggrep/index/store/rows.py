"""The chunk row, and the computation of its ids."""

import hashlib

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.model.files import Chunk, ChunkedFile


class ChunkRow(Struct, frozen=True):
    """One chunk as a segment stores it, without its vector.

    Attributes:
        file_hash: SHA-256 of the file's bytes, raw.
        chunk_hash: SHA-256 of the embedded text, raw.
        text: the embedded text: breadcrumb, the file's own text, extra words.
    """

    row_id: str
    chunk_id: str
    path_key: PathKey
    ordinal: int
    file_hash: bytes
    chunk_hash: bytes
    chunker_version: str
    language: str
    method: str
    text: str
    chunk: Chunk
    encoding: str = ""
    traits: int = 0


def chunk_hash_of(text: str) -> bytes:
    """Return the digest of a chunk's embedded text, raw."""
    return hashlib.sha256(text.encode()).digest()


def chunk_id_of(chunk_hash: bytes, chunker_version: str, kind: str) -> str:
    """Return the chunk's id: equal texts of equal chunker versions have equal ids everywhere."""
    return hashlib.sha256(chunk_hash + chunker_version.encode() + kind.encode()).hexdigest()


def row_id_of(path_key: PathKey, chunk_id: str, ordinal: int) -> str:
    """Return the row's id: equal for the same text at the same position in the same path."""
    place = ordinal.to_bytes(4, "little")
    return hashlib.sha256(path_key.encode() + chunk_id.encode() + place).hexdigest()


def make_row(
    file: ChunkedFile,
    ordinal: int,
    *,
    file_hash: bytes,
    chunker_version: str,
    encoding: str = "",
    traits: int = 0,
) -> ChunkRow:
    """Return the row of the file's `ordinal`-th chunk, with computed ids."""
    chunk = file.chunks[ordinal]
    text = chunk.embedded_text
    chunk_hash = chunk_hash_of(text)
    chunk_id = chunk_id_of(chunk_hash, chunker_version, chunk.kind)
    return ChunkRow(
        row_id=row_id_of(file.path_key, chunk_id, ordinal),
        chunk_id=chunk_id,
        path_key=file.path_key,
        ordinal=ordinal,
        file_hash=file_hash,
        chunk_hash=chunk_hash,
        chunker_version=chunker_version,
        language=file.language,
        method=file.method,
        text=text,
        chunk=chunk,
        encoding=encoding,
        traits=traits,
    )
