"""Cuts files into chunks in worker processes, in order, each file within a CPU time limit.

Whether a file is cut by its structure depends on the processor time that the worker measures, not
on elapsed time. If a worker had no processor time for long, its file is put off, and is tried again
later with fewer other workers.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock
from ggrep.model.files import ChunkedFile, FileText
from ggrep.parse.chunking.chunker import chunk_by_lines, chunk_without_grammar, needs_grammar
from ggrep.parse.chunking.spans import Plan, to_chunks
from ggrep.parse.languages.chunk_limits import Allowance, ChunkLimits
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.parse.workers.child import (
    WORKER_COMMAND,
    WorkerCrashed,
    WorkerExhausted,
    WorkerLost,
    WorkerTimeout,
)
from ggrep.parse.workers.jobs import PlanRequest, decode_plan, encode_request
from ggrep.parse.workers.kept import KeptWorkers
from ggrep.parse.workers.pool import START_MS, WorkerPool

PATIENCE_MS: Final = 60_000
"""Maximum wait for a file: many times the time for any real file on an idle machine."""
ALONE_FACTOR: Final = 30
"""Maximum wait for a file that is parsed alone, in multiples of its allowance.

This is enough on a machine with thirty busy processes for each core.
"""
IN_PROCESS_BYTES: Final = 262_144
"""Files above this size are always read by a worker.

Reading takes linear time, but ten megabytes of headings take seconds, which would block this
process.
"""


class Terms(Struct, frozen=True):
    """The limits of a pool for one file.

    Attributes:
        allowance: the maximum processor time; a file that takes more is cut without a parser.
        patience_ms: maximum wait for the answer; after this time the file is put off.
        start_ms: maximum wait for the start of a worker.
        alone: whether no other file is parsed at the same time; then wait as long as any file can
            need, and attribute a crash to the file.
    """

    allowance: Allowance = Allowance()
    patience_ms: float = PATIENCE_MS
    start_ms: float = START_MS
    alone: bool = False

    def wait_ms(self, cpu_ms: int) -> float:
        """Return how long to wait for a file with a limit of `cpu_ms` of processor time."""
        return max(self.patience_ms, self.alone * ALONE_FACTOR * cpu_ms)


TERMS: Final = Terms()


def needs_worker(file: FileText, limits: ChunkLimits) -> bool:
    """Return whether a file must be cut in a worker."""
    parsed = limits.structure and needs_grammar(file.path_key, file.data)
    return parsed or len(file.data) > IN_PROCESS_BYTES


class ParsePool(WorkerPool):
    """Workers that cut files into chunks; they start when first needed."""

    def __init__(
        self,
        workers: int,
        limits: ChunkLimits,
        clock: Clock,
        *,
        terms: Terms = TERMS,
        command: tuple[str, ...] = WORKER_COMMAND,
        kept: KeptWorkers | None = None,
    ) -> None:
        window = 2 * workers + 2
        super().__init__(
            workers, clock, command, purpose="parsing", window=window, gives_up=True, kept=kept
        )
        self._limits = limits
        self._terms = terms

    def hurry(self, patience_ms: float) -> None:
        """Set the maximum wait for a worker's start or answer from now on."""
        self._terms = replace(self._terms, patience_ms=patience_ms, start_ms=patience_ms)

    def chunk_all(self, files: Iterable[FileText]) -> Iterator[tuple[FileText, ChunkedFile | None]]:
        """Yield each file with its chunks (None if it is put off), in the order of the input.

        Raises:
            Cancelled: the pool was closed.
        """
        return self.in_order(files, self._chunk)

    def _chunk(self, file: FileText) -> ChunkedFile | None:
        limits = self._limits.of_file(file.traits)
        plan: Plan | None
        if needs_worker(file, limits):
            plan = self._parse(file, limits)
        else:
            cut = chunk_without_grammar if limits.structure else chunk_by_lines
            plan = cut(file.path_key, file.data, limits)
        if plan is None:
            return None
        return to_chunks(file.path_key, file.data, plan, corpus_of_language(plan.language))

    def _parse(self, file: FileText, limits: ChunkLimits) -> Plan | None:
        """Return the worker's plan.

        Returns:
            None if the file is put off: no worker had time for it, or its worker crashed while
                other workers were running. All workers together possibly used too much memory.
        """
        cpu_ms = self._terms.allowance.cpu_ms(len(file.data))
        try:
            return self.ask(
                encode_request(PlanRequest(file.path_key, file.data, limits), cpu_ms),
                decode_plan,
                start_ms=lambda: self._terms.start_ms,
                wait_ms=lambda: self._terms.wait_ms(cpu_ms),
            )
        except WorkerExhausted:
            return self._fallback(file, "parse_exhausted")
        except WorkerCrashed:
            return self._fallback(file, "parse_crashed") if self._terms.alone else None
        except (WorkerTimeout, WorkerLost):
            return None

    def _fallback(self, file: FileText, problem: str) -> Plan:
        large = len(file.data) > IN_PROCESS_BYTES
        cut = chunk_by_lines if large else chunk_without_grammar
        return cut(file.path_key, file.data, self._limits, problem)
