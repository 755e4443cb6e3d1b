"""A pool of worker processes, each of which handles one file at a time and can be killed.

Workers start when first needed and are reused. For each worker, one thread waits at its pipe.
"""

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Final, Self, TypeVar

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.errors import Cancelled
from ggrep.parse.workers.child import Child, WorkerCrashed, WorkerLost, WorkerTimeout
from ggrep.parse.workers.kept import KeptWorkers, reap

START_MS: Final = 120_000
"""Maximum wait for a worker's start, which takes a tenth of a second; seconds on a busy machine."""

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


class WorkerNotStarted(WorkerLost):
    """The system could not start another worker, or the worker did not start in time."""


class PoolStatistics(Struct, frozen=True):
    """The counts of a pool.

    Attributes:
        spawned: started worker processes.
        killed: workers killed because their answer took too long.
        crashed: workers that ended, including idle ones, or did not start.
        parsed: files that workers handled.
    """

    spawned: int = 0
    killed: int = 0
    crashed: int = 0
    parsed: int = 0


class WorkerPool:
    """Worker processes; they end if the pool is closed or unreferenced, or if this process ends.

    Thread-safe.
    """

    def __init__(  # noqa: PLR0913 - the differences between the two kinds of pool
        self,
        workers: int,
        clock: Clock,
        command: tuple[str, ...],
        *,
        purpose: str,
        window: int,
        gives_up: bool = False,
        kept: KeptWorkers | None = None,
    ) -> None:
        """Start no worker yet.

        Args:
            workers: maximum number of simultaneous processes.
            clock: the clock for waiting.
            command: the command that starts a worker.
            purpose: the kind of work, for the message that the pool is closed.
            window: maximum number of items that `in_order` reads ahead.
            gives_up: whether to stop starting workers after the first worker that failed to start,
                to avoid further waits.
            kept: idle workers of the same command, which are used first; idle workers are returned
                to it when the pool is closed. None if the pool starts and ends all its workers.
        """
        self._workers = workers
        self._clock = clock
        self._command = command
        self._purpose = purpose
        self._window = window
        self._lock = Lock()
        self._idle: list[Child] = []
        self._children: set[Child] = set()
        self._closed = False
        self._gives_up = gives_up
        self._kept = kept
        self._stalled = False
        self._counts = dict.fromkeys(PoolStatistics.__struct_fields__, 0)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="parsing")
        # This ends the workers of a program that ends without closing the pool.
        weakref.finalize(self, reap, self._children)

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
        """Stop at once and end every worker; answers that were not yielded are lost."""
        with self._lock:
            self._closed = True
            if self._kept is not None:
                self._children.difference_update(self._idle)
                self._kept.keep(self._idle)
                self._idle.clear()
            running = list(self._children)
        for child in running:
            child.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            self._idle.clear()
            reap(self._children)

    def statistics(self) -> PoolStatistics:
        """Return the counts so far."""
        with self._lock:
            return PoolStatistics(**self._counts)

    def start(self) -> None:
        """Start the workers in the background."""
        for _ in range(self._workers):
            self._threads.submit(self._start_one)

    def in_order(
        self,
        items: Iterable[_Item],
        work: Callable[[_Item], _Answer],
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[_Item, _Answer]]:
        """Yield each item with the result of `work` for it, in the items' order.

        Only a limited number of items is read ahead, so the input can have any length.

        Args:
            items: the input.
            work: called with each item, in a thread of the pool.
            check: called before more items are read; an exception from it ends the work.

        Raises:
            Cancelled: the pool was closed.
        """
        source = iter(items)
        flying: deque[tuple[_Item, Future[_Answer]]] = deque()
        try:
            while True:
                check()
                for item in islice(source, self._window - len(flying)):
                    flying.append((item, self._submit(work, item)))
                if not flying:
                    return
                first, answer = flying.popleft()
                try:
                    result = answer.result()
                except CancelledError:
                    self._check_open()  # `close` cancels items that are waiting for a thread
                    raise
                yield first, result
        finally:
            for _, answer in flying:
                answer.cancel()

    def ask(
        self,
        body: bytes,
        decode: Callable[[bytes], _Answer],
        *,
        start_ms: Callable[[], float],
        wait_ms: Callable[[], float],
        again: tuple[type[Exception], ...] = (WorkerCrashed,),
    ) -> _Answer:
        """Return a worker's answer; if a reused worker fails, try a new worker once.

        Args:
            body: the request.
            decode: decodes the answer; ValueError or TypeError counts as a crash.
            start_ms: returns how long to wait for a worker's start.
            wait_ms: returns how long to wait for the answer.
            again: failures of a reused worker after which a new worker is tried.

        Raises:
            WorkerNotStarted: no worker could be started.
            WorkerTimeout: the answer did not arrive in time.
            WorkerExhausted: the file exceeded its processor time.
            WorkerLost: the worker was killed from outside.
            WorkerCrashed: a new worker crashed.
            Cancelled: the pool was closed.
        """
        fresh = used = False
        while True:
            try:
                with self.borrowed(start_ms(), fresh=fresh) as child:
                    used = child.served > 0
                    answer = decoded(child.ask(body, wait_ms()), decode)
            except again:
                if not used:
                    raise
                fresh, used = True, False
                continue
            self.count_answer()
            return answer

    @contextmanager
    def borrowed(self, start_ms: float, *, fresh: bool) -> Iterator[Child]:
        """Yield an idle worker, or a new one; an exception in the block ends the worker.

        Raises:
            WorkerNotStarted: no worker could be started.
            Cancelled: the pool was closed.
        """
        child = self._take(start_ms, fresh=fresh)
        try:
            yield child
        except Exception as error:
            self._discard(child, error)
            raise
        with self._lock:
            self._idle.append(child)

    def count_answer(self) -> None:
        """Count a file that a worker handled."""
        with self._lock:
            self._counts["parsed"] += 1

    def _submit(self, work: Callable[[_Item], _Answer], item: _Item) -> Future[_Answer]:
        with self._lock:
            self._check_open()
            return self._threads.submit(work, item)

    def _take(self, timeout_ms: float, *, fresh: bool) -> Child:
        """Return an idle worker; a new worker if there is none, or if `fresh` is set."""
        with self._lock:
            self._check_open()
            if self._stalled:
                raise WorkerNotStarted
            if self._idle and not fresh:
                return self._idle.pop()
            if self._kept is not None and not fresh and (idle := self._kept.take()):
                self._children.add(idle)
                return idle
            try:
                child = Child(self._command, self._clock)
            except OSError as error:
                self._stalled = self._gives_up
                raise WorkerNotStarted from error
            self._children.add(child)
            self._counts["spawned"] += 1
        try:
            child.start(timeout_ms)
        except WorkerLost as error:
            self._stalled = self._gives_up
            self._discard(child, error)
            raise WorkerNotStarted from error
        return child

    def _start_one(self) -> None:
        child = self._take(START_MS, fresh=True)
        with self._lock:
            self._idle.append(child)

    def _discard(self, child: Child, why: Exception) -> None:
        child.reap()
        with self._lock:
            self._children.discard(child)
            self._counts["killed" if isinstance(why, WorkerTimeout) else "crashed"] += 1

    def _check_open(self) -> None:
        if self._closed:
            raise Cancelled(f"{self._purpose} has ended")


def decoded(body: bytes, decode: Callable[[bytes], _Answer]) -> _Answer:
    """Return the result of `decode` for an answer.

    Raises:
        WorkerCrashed: the answer is invalid.
    """
    try:
        return decode(body)
    except (ValueError, TypeError) as error:
        raise WorkerCrashed("invalid reply from the worker process") from error
