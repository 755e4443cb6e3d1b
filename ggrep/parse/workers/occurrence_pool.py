"""Searches files for names and outlines files in worker processes, a few files at a time.

Starting a worker takes longer than most requests. A pool is therefore kept from one request to the
next, and the engines of a process share it. Workers end with the pool, or by themselves after some
idle time.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, TypeVar

from msgspec import Struct

from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.errors import Busy
from ggrep.parse.chunking.file_outline import Outlined
from ggrep.parse.languages.chunk_limits import Allowance
from ggrep.parse.occurrences.occurrences import has_syntax, mentions
from ggrep.parse.occurrences.words import Occurrence, mentions_by_words
from ggrep.parse.workers.child import (
    WORKER_COMMAND,
    WorkerCrashed,
    WorkerExhausted,
    WorkerLost,
    WorkerTimeout,
)
from ggrep.parse.workers.jobs import (
    OccurrenceRequest,
    OutlineRequest,
    Request,
    decode_occurrences,
    decode_outline,
    encode_request,
)
from ggrep.parse.workers.pool import START_MS, WorkerPool

OCCURRENCE_WORKERS: Final = 2
ALLOWANCE: Final = Allowance(base_ms=5_000)
"""Maximum processor time for one file, while a user waits for the answer."""
IDLE_SECONDS: Final = 300
"""Time without a request after which a worker ends; its parent process can run for days."""

Problem = Literal["parse_exhausted", "parse_crashed", ""]
T = TypeVar("T")
_PURPOSE: Final = "searching for names"
_RETRY_MS: Final = 1_000
_LONGEST_MS: Final = 3_600_000
"""The maximum time of a request."""


class FileOccurrences(Struct, frozen=True):
    """The occurrences of a name in one file.

    Attributes:
        problem: why the file could not be parsed. The occurrences are then whole words in the
            unparsed text.
    """

    occurrences: tuple[Occurrence, ...]
    problem: Problem = ""


class OccurrencePool(WorkerPool):
    """Worker processes that search files for names; they are kept between requests."""

    def __init__(
        self,
        workers: int = OCCURRENCE_WORKERS,
        clock: Clock | None = None,
        *,
        command: tuple[str, ...] = (*WORKER_COMMAND, str(IDLE_SECONDS)),
        allowance: Allowance = ALLOWANCE,
    ) -> None:
        """Start no worker yet.

        By default, the pool uses the system clock, because it outlives the clocks of requests.
        """
        super().__init__(
            workers, clock or SystemClock(), command, purpose=_PURPOSE, window=2 * workers
        )
        self._allowance = allowance

    def find(
        self, requests: Iterable[OccurrenceRequest], deadline: Deadline
    ) -> Iterator[tuple[OccurrenceRequest, FileOccurrences]]:
        """Yield each request with its answer, in order.

        Only a few requests are read ahead, so few files are in memory at a time.

        Raises:
            DeadlineExceeded: time ran out.
            Cancelled: the request was cancelled, or the pool was closed.
            Busy: workers do not start, or are killed from outside.
        """
        return self.in_order(
            requests,
            lambda request: self._read(request, deadline),
            lambda: deadline.check(_PURPOSE),
        )

    def outline(
        self, path_key: str, data: bytes, deadline: Deadline
    ) -> tuple[Outlined, ...] | Problem:
        """Return a file's definitions, or the reason why the file could not be parsed.

        Raises:
            GgrepError: the errors of `find`.
        """
        try:
            return self._asked(OutlineRequest(path_key, data), decode_outline, deadline)
        except WorkerExhausted:
            return "parse_exhausted"
        except WorkerCrashed:
            return "parse_crashed"

    def _read(self, request: OccurrenceRequest, deadline: Deadline) -> FileOccurrences:
        """Return a worker's answer; occurrences as whole words if the file could not be parsed."""
        named = (request.path_key, request.data, request.name)
        if not has_syntax(request.path_key, request.data):
            return FileOccurrences(mentions(*named, any_case=request.any_case))
        problem: Problem
        try:
            return FileOccurrences(self._asked(request, decode_occurrences, deadline))
        except WorkerExhausted:
            problem = "parse_exhausted"
        except WorkerCrashed:
            problem = "parse_crashed"
        return FileOccurrences(mentions_by_words(*named, any_case=request.any_case), problem)

    def _asked(self, request: Request, decode: Callable[[bytes], T], deadline: Deadline) -> T:
        """Return a worker's answer.

        Raises:
            WorkerExhausted, WorkerCrashed: the file is the cause.
            GgrepError: the errors of `find`.
        """

        def start_ms() -> float:
            deadline.check(_PURPOSE)
            return min(deadline.remaining_ms(), START_MS)

        try:
            return self.ask(
                encode_request(request, self._allowance.cpu_ms(len(request.data))),
                decode,
                start_ms=start_ms,
                # The request's deadline can use another clock than the pool.
                wait_ms=lambda: min(deadline.remaining_ms(), _LONGEST_MS),
                again=(WorkerCrashed, WorkerTimeout, WorkerLost),
            )
        except (WorkerTimeout, WorkerLost) as error:
            deadline.check(_PURPOSE)
            raise Busy(
                "no worker process could read the files", retry_after_ms=_RETRY_MS
            ) from error
