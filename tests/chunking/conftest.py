"""What the chunking tests share: a file in, its chunks out."""

from collections.abc import Callable

import pytest

from ggrep.base.ids import PathKey
from ggrep.model.files import ChunkedFile
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of

Chunked = Callable[..., ChunkedFile]
Row = tuple[str, str, tuple[str, ...]]


def definitions_of(file: ChunkedFile) -> list[Row]:
    """Return type, qualified name and names of each chunk but the anchor."""
    return [(c.chunk_type, c.qualified_name, c.names) for c in file.chunks[1:]]


@pytest.fixture(scope="session")
def chunked() -> Chunked:
    """Return a function that chunks text in this process."""

    def run(path: str, text: str | bytes, limits: ChunkLimits | None = None) -> ChunkedFile:
        data = text if isinstance(text, bytes) else text.encode()
        plan = chunk_file(path, data, limits or ChunkLimits())
        return to_chunks(PathKey(path), data, plan, corpus_of(path, data))

    return run
