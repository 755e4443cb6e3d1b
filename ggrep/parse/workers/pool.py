"""A pool of worker processes, each of which reads one file at a time and can be killed.

Workers start when first needed and are kept. One thread per worker blocks on its pipe.
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
"""How long a worker's start is waited for: a tenth of a second, and seconds on a busy machine."""

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


class WorkerNotStarted(WorkerLost):
    """The system has no room for another worker, or it did not start in time."""


class PoolStatistics(Struct, frozen=True):
    """What a pool has done.

    Attributes:
        spawned: worker processes started.
        killed: workers killed because they were waited for no longer.
        crashed: workers that ended, idle ones among them, or did not start.
        parsed: files answered by a worker.
    """

    spawned: int = 0
    killed: int = 0
    crashed: int = 0
    parsed: int = 0


class WorkerPool:
    """Workers until the pool is closed, nobody holds it any more or this process ends.

    Threads may share it.
    """

    def __init__(  # noqa: PLR0913 - what a pool of either kind differs in
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
        """Start nothing yet.

        Args:
            workers: most processes at a time.
            clock: what waiting is measured by.
            command: starts one.
            purpose: what is said to have ended where the closed pool is asked.
            window: how many items `in_order` takes in at a time.
            gives_up: after a worker that did not start no other is tried: each would be waited
                for.
            kept: workers of the same command that are used first, and where ours go when we are
                closed and they do nothing; None to start and end our own.
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
        # Whoever leaves without closing anything leaves no process behind.
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
        """Stop at once and reap every worker; answers not yet handed out are lost."""
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
        """Return what was done so far."""
        with self._lock:
            return PoolStatistics(**self._counts)

    def start(self) -> None:
        """Have the workers start now, beside what the caller goes on with."""
        for _ in range(self._workers):
            self._threads.submit(self._start_one)

    def in_order(
        self,
        items: Iterable[_Item],
        work: Callable[[_Item], _Answer],
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[_Item, _Answer]]:
        """Yield each item with what `work` returns for it in a thread, in the items' order.

        Only a bounded window of them is taken in, so that they may be as many as they like.

        Args:
            items: what is worked on.
            work: called in one of our threads.
            check: called before more is taken in; what it raises ends everything.

        Raises:
            Cancelled: the pool was closed meanwhile.
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
                    found = answer.result()
                except CancelledError:
                    self._check_open()  # closing calls off what waits for a thread
                    raise
                yield first, found
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
        """Return a worker's answer; one that others wore out is replaced and asked again.

        Args:
            body: the request.
            decode: reads the answer; a ValueError or TypeError of it counts as a crash.
            start_ms: how long to wait for a worker's start.
            wait_ms: how long to wait for the answer.
            again: failures of a used worker that a fresh one is asked after.

        Raises:
            WorkerNotStarted: there was no worker to ask.
            WorkerTimeout: the answer did not come in time.
            WorkerExhausted: the file took more processor time than it may.
            WorkerLost: somebody else killed the worker.
            WorkerCrashed: the file ended a fresh worker.
            Cancelled: the pool was closed meanwhile.
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
        """Yield an idle worker, or a new one; whatever the block raises ends it.

        Raises:
            WorkerNotStarted: there is none.
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
        """Count a file that a worker answered for."""
        with self._lock:
            self._counts["parsed"] += 1

    def _submit(self, work: Callable[[_Item], _Answer], item: _Item) -> Future[_Answer]:
        with self._lock:
            self._check_open()
            return self._threads.submit(work, item)

    def _take(self, timeout_ms: float, *, fresh: bool) -> Child:
        """Return an idle worker, or a new one if there is none or `fresh` asks for it."""
        with self._lock:
            self._check_open()
            if self._stalled:
                raise WorkerNotStarted
            if self._idle and not fresh:
                return self._idle.pop()
            if self._kept is not None and not fresh and (found := self._kept.take()):
                self._children.add(found)
                return found
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
    """Return what `decode` reads of an answer.

    Raises:
        WorkerCrashed: the answer is none.
    """
    try:
        return decode(body)
    except (ValueError, TypeError) as error:
        raise WorkerCrashed("the answer is none") from error
