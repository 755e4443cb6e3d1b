"""Chunks files in worker processes, in order, each file within a CPU time limit.

The allowance decides how a file is cut, and is measured in the worker. Time on the wall decides
nothing: a file whose worker had no turn for long is put off, to be tried again in less company.

One thread per worker blocks on its pipe. Only a bounded window of files is in flight, so the
input may be as long as it likes.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Final, Self

from ggrep.base.clock import Clock
from ggrep.base.errors import Cancelled
from ggrep.model.chunk import ChunkedFile
from ggrep.model.source import FileText
from ggrep.parse.chunking.child import (
    WORKER_COMMAND,
    Child,
    WorkerCrashed,
    WorkerExhausted,
    WorkerLost,
    WorkerTimeout,
)
from ggrep.parse.chunking.chunk_limits import Allowance, ChunkLimits
from ggrep.parse.chunking.chunker import chunk_by_lines, chunk_without_grammar, needs_grammar
from ggrep.parse.chunking.languages import corpus_of_language
from ggrep.parse.chunking.pool_frames import decode_answer, encode_request
from ggrep.parse.chunking.spans import Plan, to_chunks

PATIENCE_MS: Final = 60_000
"""How long a file is waited for: many times what any real one takes on an idle machine."""
START_MS: Final = 120_000
"""How long a worker's start is waited for: a tenth of a second, and seconds on a busy machine."""
ALONE_FACTOR: Final = 30
"""A file that is parsed alone is waited for so many times its allowance: its process gets that
much on a machine where thirty others want each core."""
IN_PROCESS_BYTES: Final = 262_144
"""Larger files are read by a worker whatever they hold: reading text is linear in its size, yet
ten megabytes of headings take seconds, in which this process could do nothing else."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a file may ask of a pool.

    Attributes:
        allowance: processor time; what takes more is cut without a parser.
        patience_ms: how long its answer is waited for; later it is put off.
        start_ms: how long the start of a worker is.
        alone: nothing else is parsed meanwhile: wait as long as a file could need, and take a
            crash for its own.
    """

    allowance: Allowance = Allowance()  # noqa: RUF009 - frozen
    patience_ms: float = PATIENCE_MS
    start_ms: float = START_MS
    alone: bool = False

    def wait_ms(self, cpu_ms: int) -> float:
        """Return how long to wait for a file that may take so much processor time."""
        return max(self.patience_ms, self.alone * ALONE_FACTOR * cpu_ms)


TERMS: Final = Terms()


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """What a pool has done.

    Attributes:
        spawned: worker processes started.
        killed: workers killed when patience was over.
        crashed: workers that ended or did not start.
        parsed: files answered by a worker.
        put_off: files that no worker had time for.
        in_process: files that needed none.
    """

    spawned: int = 0
    killed: int = 0
    crashed: int = 0
    parsed: int = 0
    put_off: int = 0
    in_process: int = 0


class ParsePool:
    """Workers for as long as the `with` block lasts; they start when first needed."""

    def __init__(
        self,
        workers: int,
        limits: ChunkLimits,
        clock: Clock,
        *,
        terms: Terms = TERMS,
        command: tuple[str, ...] = WORKER_COMMAND,
    ) -> None:
        self._workers = workers
        self._window = 2 * workers + 2
        self._limits = limits
        self._clock = clock
        self._terms = terms
        self._command = command
        self._stalled = False
        self._lock = Lock()
        self._idle: list[Child] = []
        self._children: set[Child] = set()
        self._closed = False
        self._counts = dict.fromkeys(PoolStatistics.__slots__, 0)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="chunking")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop at once and reap every worker; answers not yet handed out are lost."""
        with self._lock:
            self._closed = True
            running = list(self._children)
        for child in running:
            child.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            left, self._children = self._children, set()
            self._idle.clear()
        for child in left:
            child.reap()

    def statistics(self) -> PoolStatistics:
        """Return what was done so far."""
        with self._lock:
            return PoolStatistics(**self._counts)

    def start(self) -> None:
        """Have the workers start now, beside what the caller goes on with."""
        for _ in range(self._workers):
            self._threads.submit(self._start_one)

    def hurry(self, patience_ms: float) -> None:
        """Wait no longer than that for a worker's start or answer from now on."""
        self._terms = replace(self._terms, patience_ms=patience_ms, start_ms=patience_ms)

    def chunk_all(self, files: Iterable[FileText]) -> Iterator[tuple[FileText, ChunkedFile | None]]:
        """Yield each file with its chunks, None where it is put off, in the order of the input.

        Raises:
            Cancelled: the pool was closed meanwhile.
        """
        source = iter(files)
        flying: deque[tuple[FileText, Future[ChunkedFile | None]]] = deque()
        try:
            while True:
                for file in islice(source, self._window - len(flying)):
                    flying.append((file, self._submit(file)))
                if not flying:
                    return
                first, answer = flying.popleft()
                yield first, answer.result()
        finally:
            for _, answer in flying:
                answer.cancel()

    def _submit(self, file: FileText) -> Future[ChunkedFile | None]:
        with self._lock:
            if self._closed:
                raise Cancelled("the parse pool is closed")
            return self._threads.submit(self._chunk, file)

    def _chunk(self, file: FileText) -> ChunkedFile | None:
        limits = self._limits.of_file(file.traits)
        parsed = limits.structure and needs_grammar(file.path_key, file.data)
        if parsed or len(file.data) > IN_PROCESS_BYTES:
            found = self._parse(file, limits)
            if found is None:
                self._count("put_off")
                return None
            plan = found
        else:
            cut = chunk_without_grammar if limits.structure else chunk_by_lines
            plan = cut(file.path_key, file.data, limits)
            self._count("in_process")
        return to_chunks(file.path_key, file.data, plan, corpus_of_language(plan.language))

    def _parse(self, file: FileText, limits: ChunkLimits) -> Plan | None:
        """Return the worker's plan; a worker that others wore out is replaced and asked again.

        Returns:
            None when the file is put off: no worker had time for it, or one crashed over it in
            company, where all of them together may have wanted too much memory.
        """
        cpu_ms = self._terms.allowance.cpu_ms(len(file.data))
        request = encode_request(file.path_key, file.data, limits, cpu_ms)
        crashed = False
        while (child := self._take(fresh=crashed)) is not None:
            fresh = child.served == 0
            try:
                plan = decode_answer(child.ask(request, self._terms.wait_ms(cpu_ms)))
            except (WorkerTimeout, WorkerLost) as error:
                self._discard(child, error)
                break
            except WorkerExhausted as error:
                self._discard(child, error)
                return self._fallback(file, "parse_exhausted")
            except (WorkerCrashed, ValueError, TypeError) as error:
                self._discard(child, error)
                if fresh and self._terms.alone:
                    return self._fallback(file, "parse_crashed")
                if fresh:
                    break
                crashed = True
            else:
                self._give_back(child)
                return plan
        return None

    def _fallback(self, file: FileText, problem: str) -> Plan:
        large = len(file.data) > IN_PROCESS_BYTES
        cut = chunk_by_lines if large else chunk_without_grammar
        return cut(file.path_key, file.data, self._limits, problem)

    def _take(self, *, fresh: bool) -> Child | None:
        """Return an idle worker, or a new one if there is none or `fresh` asks for it.

        Returns:
            None when one did not start: no other is tried then, as each would be waited for.
        """
        with self._lock:
            if self._closed:
                raise Cancelled("the parse pool is closed")
            if self._stalled:
                return None
            if self._idle and not fresh:
                return self._idle.pop()
            try:
                child = Child(self._command, self._clock)
            except OSError:
                self._stalled = True
                return None
            self._children.add(child)
            self._counts["spawned"] += 1
        try:
            child.start(self._terms.start_ms)
        except WorkerLost as error:
            self._stalled = True
            self._discard(child, error)
            return None
        return child

    def _start_one(self) -> None:
        if (child := self._take(fresh=True)) is not None:
            with self._lock:
                self._idle.append(child)

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._idle.append(child)
            self._counts["parsed"] += 1

    def _discard(self, child: Child, why: Exception) -> None:
        child.reap()
        with self._lock:
            self._children.discard(child)
            self._counts["killed" if isinstance(why, WorkerTimeout) else "crashed"] += 1

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1
