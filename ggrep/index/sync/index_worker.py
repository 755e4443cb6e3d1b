"""A worker process of a sync: `python -m ggrep.index.sync.index_worker`, with requests by pipe.

The worker cuts the files of a run (a batch) into chunks, each file within a limit of CPU time, and
returns the part of a segment with these files. The worker can be killed at any time; the parent
then sends the run to another worker.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import Struct

from ggrep.config.settings import compute_in_one_thread
from ggrep.model.files import FileText
from ggrep.parse.chunking.chunker import (
    chunk_by_lines,
    chunk_file,
    chunk_without_grammar,
    prepare,
)
from ggrep.parse.chunking.spans import Plan, to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.parse.workers import worker

if TYPE_CHECKING:  # numpy and pyarrow are loaded only when a part is made
    from ggrep.index.sync.part_maker import PartMaker
    from ggrep.index.sync.segment_builder import FileRows, Part

MEMORY_LIMIT_BYTES: Final = worker.MEMORY_LIMIT_BYTES + 250 * 1024**2
"""Limit of the address space: a parser's limit, plus space for numpy, pyarrow and the encoder."""


class CutFile(Struct, frozen=True, array_like=True, tag=0):
    """A request to cut a file into chunks; the worker keeps the rows until `FinishRun`.

    Attributes:
        place: index of the file in the run; files can be cut in another order.
        begins: whether this is the first request of a run.
        cpu_ms: limit of the parser's CPU time.
        problem: why to cut the file without a parser; empty to use a parser.
    """

    text: FileText
    limits: ChunkLimits
    place: int
    begins: bool
    cpu_ms: int
    problem: str


class FinishRun(Struct, frozen=True, array_like=True, tag=1):
    """A request for the part of a segment with the files that were cut.

    Attributes:
        encoder: name of the encoder; if the encoder is static, the worker computes vectors.
    """

    encoder: str


class Cut(Struct, frozen=True, array_like=True):
    """The method by which a file was cut, and the problem, if any; see `ChunkedFile`."""

    method: str
    problem: str | None


Request: TypeAlias = CutFile | FinishRun
encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Request).decode


class RunMaker:
    """Cuts a run's files and makes a part of a segment; can be used again. Not thread-safe."""

    def __init__(
        self, bounded: Callable[[int], AbstractContextManager[None]] = lambda _: nullcontext()
    ) -> None:
        """Start without files; `bounded` limits the milliseconds of a parser."""
        self._bounded = bounded
        self._files: dict[int, FileRows] = {}
        self._makers: dict[str, PartMaker] = {}

    def cut(self, request: CutFile) -> Cut:
        """Cut a file into chunks and add its rows to the run."""
        from ggrep.index.sync.segment_builder import file_rows

        if request.begins:
            self._files.clear()
        text = request.text
        prepare(text.path_key, text.data)
        with self._bounded(request.cpu_ms):
            plan = _plan(request)
        chunked = to_chunks(text.path_key, text.data, plan, corpus_of_language(plan.language))
        self._files[request.place] = file_rows(text, chunked)
        return Cut(chunked.method, chunked.problem)

    def finish(self, encoder: str) -> "Part":
        """Return the part of a segment with the files that were cut, in the order of `place`."""
        from ggrep.index.sync.part_maker import PartMaker

        if encoder not in self._makers:
            self._makers = {encoder: PartMaker(encoder)}
        files = [self._files[place] for place in sorted(self._files)]
        self._files.clear()
        return self._makers[encoder].make(files)

    def answer(self, body: bytes) -> bytes:
        """Return the encoded answer to an encoded request."""
        request = _decode(body)
        if isinstance(request, CutFile):
            return encode(self.cut(request))
        return encode(self.finish(request.encoder))


def _plan(request: CutFile) -> Plan:
    text, limits = request.text, request.limits
    if not request.problem:
        return chunk_file(text.path_key, text.data, limits)
    cut = chunk_without_grammar if limits.structure else chunk_by_lines
    return cut(text.path_key, text.data, limits, request.problem)


def main() -> None:
    """Answer requests from standard input on standard output."""
    compute_in_one_thread()
    worker.main(RunMaker(worker.allowed).answer, MEMORY_LIMIT_BYTES)


if __name__ == "__main__":
    main()
