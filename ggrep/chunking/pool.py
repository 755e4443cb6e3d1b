"""Files are chunked by worker processes, in order, each under a time limit.

One thread per worker blocks on its pipe. Only a bounded window of files is in flight, so the
input may be as long as it likes.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Final, Self

from ggrep.chunking.child import WORKER_COMMAND, Child, WorkerCrashed, WorkerTimeout
from ggrep.chunking.chunker import chunk_by_lines, chunk_without_grammar, needs_grammar
from ggrep.chunking.frames import decode_answer, encode_request
from ggrep.chunking.languages import corpus_of
from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.spans import Plan, to_chunks
from ggrep.clock import Clock
from ggrep.domain.chunk import ChunkedFile
from ggrep.domain.source import FileText
from ggrep.errors import Cancelled

IN_PROCESS_BYTES: Final = 262_144
"""Larger files are read by a worker whatever they hold: reading text is linear in its size, yet
ten megabytes of headings take seconds, in which this process could do nothing else."""


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """What a pool has done.

    Attributes:
        spawned: worker processes started.
        killed: workers killed at the time limit.
        crashed: workers that ended by themselves.
        parsed: files answered by a worker.
        in_process: files that needed none.
    """

    spawned: int = 0
    killed: int = 0
    crashed: int = 0
    parsed: int = 0
    in_process: int = 0


class ParsePool:
    """Workers for as long as the `with` block lasts; they start when first needed."""

    def __init__(
        self,
        workers: int,
        limits: ChunkLimits,
        clock: Clock,
        *,
        command: tuple[str, ...] = WORKER_COMMAND,
    ) -> None:
        self._window = 2 * workers + 2
        self._limits = limits
        self._clock = clock
        self._command = command
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

    def chunk_all(self, files: Iterable[FileText]) -> Iterator[tuple[FileText, ChunkedFile]]:
        """Yield each file with its chunks, in the order of the input.

        Raises:
            Cancelled: the pool was closed meanwhile.
        """
        source = iter(files)
        flying: deque[tuple[FileText, Future[ChunkedFile]]] = deque()
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

    def _submit(self, file: FileText) -> Future[ChunkedFile]:
        with self._lock:
            if self._closed:
                raise Cancelled("the parse pool is closed")
            return self._threads.submit(self._chunk, file)

    def _chunk(self, file: FileText) -> ChunkedFile:
        limits = self._limits
        parsed = limits.structure and needs_grammar(file.path_key)
        if parsed or len(file.data) > IN_PROCESS_BYTES:
            plan = self._parse(file)
        else:
            cut = chunk_without_grammar if limits.structure else chunk_by_lines
            plan = cut(file.path_key, file.data, limits)
            self._count("in_process")
        return to_chunks(file.path_key, file.data, plan, corpus_of(file.path_key))

    def _parse(self, file: FileText) -> Plan:
        """Return the worker's plan; a worker that others wore out is replaced and asked again.

        Both share the time limit, so that no file takes longer.
        """
        request = encode_request(file.path_key, file.data, self._limits)
        end_ms = self._clock.monotonic_ms() + self._limits.parse_timeout_ms
        crashed = False
        while True:
            child = self._take(fresh=crashed)
            fresh = child.served == 0
            try:
                plan = decode_answer(child.ask(request, end_ms - self._clock.monotonic_ms()))
            except WorkerTimeout:
                self._discard(child, "killed")
                return self._fallback(file, "parse_timeout")
            except (WorkerCrashed, ValueError, TypeError):
                self._discard(child, "crashed")
                if fresh:
                    return self._fallback(file, "parse_crashed")
                crashed = True
                continue
            self._give_back(child)
            return plan

    def _fallback(self, file: FileText, problem: str) -> Plan:
        large = len(file.data) > IN_PROCESS_BYTES
        cut = chunk_by_lines if large else chunk_without_grammar
        return cut(file.path_key, file.data, self._limits, problem)

    def _take(self, *, fresh: bool) -> Child:
        """Return an idle worker, or a new one if there is none or `fresh` asks for it."""
        with self._lock:
            if self._closed:
                raise Cancelled("the parse pool is closed")
            if self._idle and not fresh:
                return self._idle.pop()
            child = Child(self._command, self._clock)
            self._children.add(child)
            self._counts["spawned"] += 1
            return child

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._idle.append(child)
            self._counts["parsed"] += 1

    def _discard(self, child: Child, why: str) -> None:
        child.reap()
        with self._lock:
            self._children.discard(child)
            self._counts[why] += 1

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1
