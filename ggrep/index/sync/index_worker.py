"""The worker of an index: `python -m ggrep.index.sync.index_worker`, fed through its pipes.

It cuts the files of a run in order, each within its own limit of processor time, and makes a part
of all of them. It may be killed at any moment; the parent then sends the run to another worker.
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

if TYPE_CHECKING:  # numbers and tables are loaded once there is something to make of them
    from ggrep.index.sync.part_maker import PartMaker
    from ggrep.index.sync.segment_builder import FileRows, Part

MEMORY_LIMIT_BYTES: Final = worker.MEMORY_LIMIT_BYTES + 250 * 1024**2
"""Address space: that of a parser, and what numbers, tables and the encoder take beside it."""


class CutFile(Struct, frozen=True, array_like=True, tag=0):
    """Cut a file, and keep its rows for the part.

    Attributes:
        place: in the run; files may be cut in another order.
        begins: it is the first that is cut of a run.
        cpu_ms: processor time that its parser may take.
        problem: why it is to be cut without a parser; empty for the best method.
    """

    text: FileText
    limits: ChunkLimits
    place: int
    begins: bool
    cpu_ms: int
    problem: str


class FinishRun(Struct, frozen=True, array_like=True, tag=1):
    """Make the part of the files that were cut.

    Attributes:
        encoder: name of the encoder; its vectors are made here if it is a static one.
    """

    encoder: str


class Cut(Struct, frozen=True, array_like=True):
    """How a file was cut; see `ChunkedFile`."""

    method: str
    problem: str | None


Request: TypeAlias = CutFile | FinishRun
encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Request).decode


class RunMaker:
    """Cuts the files of one run after another. Not thread-safe."""

    def __init__(
        self, bounded: Callable[[int], AbstractContextManager[None]] = lambda _: nullcontext()
    ) -> None:
        """Start without files; `bounded` limits the milliseconds of a parser."""
        self._bounded = bounded
        self._files: dict[int, FileRows] = {}
        self._makers: dict[str, PartMaker] = {}

    def cut(self, request: CutFile) -> Cut:
        """Cut a file."""
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
        """Return the part of the files that were cut, by their places."""
        from ggrep.index.sync.part_maker import PartMaker

        if encoder not in self._makers:
            self._makers = {encoder: PartMaker(encoder)}
        files = [self._files[place] for place in sorted(self._files)]
        self._files.clear()
        return self._makers[encoder].make(files)

    def answer(self, body: bytes) -> bytes:
        """Return the answer to a request, both encoded."""
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
    """Serve standard input and output."""
    compute_in_one_thread()
    worker.main(RunMaker(worker.allowed).answer, MEMORY_LIMIT_BYTES)


if __name__ == "__main__":
    main()
