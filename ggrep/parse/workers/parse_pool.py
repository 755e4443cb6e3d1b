"""Chunks files in worker processes, in order, each file within a CPU time limit.

The allowance decides how a file is cut, and is measured in the worker. Time on the wall decides
nothing: a file whose worker had no turn for long is put off, to be tried again in less company.
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
from ggrep.parse.workers.jobs import PlanQuestion, decode_plan, encode_request
from ggrep.parse.workers.kept import KeptWorkers
from ggrep.parse.workers.pool import START_MS, WorkerPool

PATIENCE_MS: Final = 60_000
"""How long a file is waited for: many times what any real one takes on an idle machine."""
ALONE_FACTOR: Final = 30
"""A file that is parsed alone is waited for so many times its allowance: its process gets that
much on a machine where thirty others want each core."""
IN_PROCESS_BYTES: Final = 262_144
"""Larger files are read by a worker whatever they hold: reading text is linear in its size, yet
ten megabytes of headings take seconds, in which this process could do nothing else."""


class Terms(Struct, frozen=True):
    """What a file may ask of a pool.

    Attributes:
        allowance: processor time; what takes more is cut without a parser.
        patience_ms: how long its answer is waited for; later it is put off.
        start_ms: how long the start of a worker is.
        alone: nothing else is parsed meanwhile: wait as long as a file could need, and take a
            crash for its own.
    """

    allowance: Allowance = Allowance()
    patience_ms: float = PATIENCE_MS
    start_ms: float = START_MS
    alone: bool = False

    def wait_ms(self, cpu_ms: int) -> float:
        """Return how long to wait for a file that may take so much processor time."""
        return max(self.patience_ms, self.alone * ALONE_FACTOR * cpu_ms)


TERMS: Final = Terms()


def needs_worker(file: FileText, limits: ChunkLimits) -> bool:
    """Return whether a file under these limits must be cut in a worker."""
    parsed = limits.structure and needs_grammar(file.path_key, file.data)
    return parsed or len(file.data) > IN_PROCESS_BYTES


class ParsePool(WorkerPool):
    """Workers that cut files; they start when first needed."""

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
        """Wait no longer than that for a worker's start or answer from now on."""
        self._terms = replace(self._terms, patience_ms=patience_ms, start_ms=patience_ms)

    def chunk_all(self, files: Iterable[FileText]) -> Iterator[tuple[FileText, ChunkedFile | None]]:
        """Yield each file with its chunks, None where it is put off, in the order of the input.

        Raises:
            Cancelled: the pool was closed meanwhile.
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
            None when the file is put off: no worker had time for it, or one crashed over it in
            company, where all of them together may have wanted too much memory.
        """
        cpu_ms = self._terms.allowance.cpu_ms(len(file.data))
        try:
            return self.ask(
                encode_request(PlanQuestion(file.path_key, file.data, limits), cpu_ms),
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
