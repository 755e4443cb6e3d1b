"""Searches files for names in killable worker processes, a few files at a time.

One pool serves the whole process (`shared_pool`): its children take longer to start than most
questions take, and engines come and go. They end with the process, or by themselves when idle.
"""

import atexit
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Final, Literal, Self

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import Busy, Cancelled
from ggrep.parse.chunking.child import (
    Child,
    WorkerCrashed,
    WorkerExhausted,
    WorkerLost,
    WorkerTimeout,
)
from ggrep.parse.chunking.chunk_limits import Allowance
from ggrep.parse.chunking.occurrence_frames import (
    OccurrenceQuestion,
    decode_mentions,
    encode_question,
)
from ggrep.parse.chunking.occurrence_words import Occurrence, mentions_by_words
from ggrep.parse.chunking.occurrences import has_syntax, mentions
from ggrep.parse.chunking.pool import START_MS

MENTION_WORKERS: Final = 2
ALLOWANCE: Final = Allowance(base_ms=5_000)
"""Of one file: somebody waits for the answer."""
WORKER_COMMAND: Final = (sys.executable, "-m", "ggrep.parse.chunking.occurrence_worker")

Problem = Literal["parse_exhausted", "parse_crashed", ""]
_RETRY_MS: Final = 1_000
_LONGEST_MS: Final = 3_600_000
"""As long as a request's deadline may be at most."""


@dataclass(frozen=True, slots=True)
class FileOccurrences:
    """What was found in one file.

    Attributes:
        problem: why its syntax could not be read; its words were looked at alone then.
    """

    found: tuple[Occurrence, ...]
    problem: Problem = ""


@dataclass(frozen=True, slots=True)
class OccurrenceStatistics:
    """What a pool has done.

    Attributes:
        spawned: processes started.
        killed: those killed because a request's time was over.
        crashed: those that ended, idle ones among them.
        parsed: files answered by one.
    """

    spawned: int = 0
    killed: int = 0
    crashed: int = 0
    parsed: int = 0


class OccurrencePool:
    """Children that are started when first needed and kept; threads may share it."""

    def __init__(
        self,
        workers: int,
        clock: Clock,
        *,
        command: tuple[str, ...] = WORKER_COMMAND,
        allowance: Allowance = ALLOWANCE,
    ) -> None:
        self._clock = clock
        self._command = command
        self._allowance = allowance
        self._window = 2 * workers
        self._lock = Lock()
        self._idle: list[Child] = []
        self._children: set[Child] = set()
        self._closed = False
        self._counts = dict.fromkeys(OccurrenceStatistics.__slots__, 0)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="mentions")

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
        """Stop at once and reap every child."""
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

    def statistics(self) -> OccurrenceStatistics:
        """Return what was done so far."""
        with self._lock:
            return OccurrenceStatistics(**self._counts)

    def find(
        self, questions: Iterable[OccurrenceQuestion], deadline: Deadline
    ) -> Iterator[tuple[OccurrenceQuestion, FileOccurrences]]:
        """Yield each question with its answer, in order; only a few are held at a time.

        Raises:
            DeadlineExceeded: time ran out.
            Cancelled: the request was ended, or the pool closed.
            Busy: children do not start, or are killed from outside.
        """
        source = iter(questions)
        flying: deque[tuple[OccurrenceQuestion, Future[FileOccurrences]]] = deque()
        try:
            while True:
                deadline.check("looking for names")
                for question in islice(source, self._window - len(flying)):
                    flying.append((question, self._submit(question, deadline)))
                if not flying:
                    return
                first, answer = flying.popleft()
                yield first, answer.result()
        finally:
            for _, answer in flying:
                answer.cancel()

    def _submit(self, question: OccurrenceQuestion, deadline: Deadline) -> Future[FileOccurrences]:
        if not has_syntax(question.path_key, question.data):
            done: Future[FileOccurrences] = Future()
            done.set_result(FileOccurrences(_unparsed(question)))
            return done
        with self._lock:
            self._check_open()
            return self._threads.submit(self._ask, question, deadline)

    def _ask(self, question: OccurrenceQuestion, deadline: Deadline) -> FileOccurrences:
        """Return a child's answer; one that was lost or worn out is replaced and asked again.

        Time on the wall never decides what is found: it ends the request, with an error.

        Raises:
            DeadlineExceeded: the request's time ran out.
            Busy: a fresh child was lost, too.
        """
        body = encode_question(question, self._allowance.cpu_ms(len(question.data)))
        again = False
        while True:
            deadline.check("looking for names")
            child = self._take(deadline, fresh=again)
            fresh = child.served == 0
            try:
                # The request's deadline may be on another clock's scale than the pool's.
                found = decode_mentions(child.ask(body, min(deadline.remaining_ms(), _LONGEST_MS)))
            except (WorkerTimeout, WorkerLost) as error:
                self._discard(child, error)
                if fresh:
                    raise _busy(deadline) from error
            except WorkerExhausted as error:
                self._discard(child, error)
                return _by_words(question, "parse_exhausted")
            except (WorkerCrashed, ValueError, TypeError) as error:
                self._discard(child, error)
                if fresh:
                    return _by_words(question, "parse_crashed")
            else:
                self._give_back(child)
                return FileOccurrences(found)
            again = True

    def _take(self, deadline: Deadline, *, fresh: bool) -> Child:
        """Return an idle child, or a new one if there is none or `fresh` asks for it.

        Raises:
            DeadlineExceeded: it did not start in time.
            Busy: it does not start.
        """
        with self._lock:
            self._check_open()
            if self._idle and not fresh:
                return self._idle.pop()
            try:
                child = Child(self._command, self._clock)
            except OSError as error:
                raise _busy(deadline) from error
            self._children.add(child)
            self._counts["spawned"] += 1
        try:
            child.start(min(deadline.remaining_ms(), START_MS))
        except WorkerLost as error:
            self._discard(child, error)
            raise _busy(deadline) from error
        return child

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._idle.append(child)
            self._counts["parsed"] += 1

    def _discard(self, child: Child, why: Exception) -> None:
        child.reap()
        with self._lock:
            self._children.discard(child)
            self._counts["killed" if isinstance(why, WorkerTimeout) else "crashed"] += 1

    def _check_open(self) -> None:
        if self._closed:
            raise Cancelled("looking for names has ended")


_SHARED: list[OccurrencePool] = []
_SHARING: Final = Lock()


def shared_pool() -> OccurrencePool:
    """Return the pool of this process, made when first asked for and closed at its exit.

    It tells time by the machine's clock: it outlives whoever asks for it first.
    """
    with _SHARING:
        if not _SHARED:
            _SHARED.append(OccurrencePool(MENTION_WORKERS, SystemClock()))
            atexit.register(close_shared)
        return _SHARED[0]


def close_shared() -> None:
    """End the children of this process' pool; the next one asked for is new."""
    with _SHARING:
        left = _SHARED[:]
        _SHARED.clear()
    for pool in left:
        pool.close()


def _busy(deadline: Deadline) -> Busy:
    """Return the error of a machine that has no room for a process, unless time was the matter.

    Raises:
        DeadlineExceeded: the request's time ran out.
    """
    deadline.check("looking for names")
    return Busy("no process could read a file", retry_after_ms=_RETRY_MS)


def _unparsed(question: OccurrenceQuestion) -> tuple[Occurrence, ...]:
    """Return what is told of a file without a grammar, in time linear in its size."""
    return mentions(question.path_key, question.data, question.name, any_case=question.any_case)


def _by_words(question: OccurrenceQuestion, problem: Problem) -> FileOccurrences:
    found = mentions_by_words(
        question.path_key, question.data, question.name, any_case=question.any_case
    )
    return FileOccurrences(found, problem)
