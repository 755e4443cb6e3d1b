"""Searches files for names, and outlines them, in killable worker processes, a few files at a time.

Workers take longer to start than most questions take, so that a pool is kept from one to the next
and shared by the engines of a host. They end with it, or by themselves when idle.
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
    OccurrenceQuestion,
    OutlineQuestion,
    Question,
    decode_occurrences,
    decode_outline,
    encode_request,
)
from ggrep.parse.workers.pool import START_MS, WorkerPool

OCCURRENCE_WORKERS: Final = 2
ALLOWANCE: Final = Allowance(base_ms=5_000)
"""Of one file: somebody waits for the answer."""
IDLE_SECONDS: Final = 300
"""A worker that nobody asks for so long ends: what asked it may live on for days."""

Problem = Literal["parse_exhausted", "parse_crashed", ""]
T = TypeVar("T")
_PURPOSE: Final = "looking for names"
_RETRY_MS: Final = 1_000
_LONGEST_MS: Final = 3_600_000
"""As long as a request's deadline may be at most."""


class FileOccurrences(Struct, frozen=True):
    """What was found in one file.

    Attributes:
        problem: why its syntax could not be read; its words were looked at alone then.
    """

    found: tuple[Occurrence, ...]
    problem: Problem = ""


class OccurrencePool(WorkerPool):
    """Workers that look for names, kept between requests."""

    def __init__(
        self,
        workers: int = OCCURRENCE_WORKERS,
        clock: Clock | None = None,
        *,
        command: tuple[str, ...] = (*WORKER_COMMAND, str(IDLE_SECONDS)),
        allowance: Allowance = ALLOWANCE,
    ) -> None:
        """Start nothing yet; time is the machine's, as the pool outlives whoever asks it."""
        super().__init__(
            workers, clock or SystemClock(), command, purpose=_PURPOSE, window=2 * workers
        )
        self._allowance = allowance

    def find(
        self, questions: Iterable[OccurrenceQuestion], deadline: Deadline
    ) -> Iterator[tuple[OccurrenceQuestion, FileOccurrences]]:
        """Yield each question with its answer, in order; only a few are held at a time.

        Raises:
            DeadlineExceeded: time ran out.
            Cancelled: the request was ended, or the pool closed.
            Busy: workers do not start, or are killed from outside.
        """
        return self.in_order(
            questions,
            lambda question: self._read(question, deadline),
            lambda: deadline.check(_PURPOSE),
        )

    def outline(
        self, path_key: str, data: bytes, deadline: Deadline
    ) -> tuple[Outlined, ...] | Problem:
        """Return what a file defines, or why its syntax could not be read.

        Raises:
            GgrepError: as `find`.
        """
        try:
            return self._asked(OutlineQuestion(path_key, data), decode_outline, deadline)
        except WorkerExhausted:
            return "parse_exhausted"
        except WorkerCrashed:
            return "parse_crashed"

    def _read(self, question: OccurrenceQuestion, deadline: Deadline) -> FileOccurrences:
        """Return a worker's answer; time on the wall ends the request, with an error."""
        named = (question.path_key, question.data, question.name)
        if not has_syntax(question.path_key, question.data):
            return FileOccurrences(mentions(*named, any_case=question.any_case))
        problem: Problem
        try:
            return FileOccurrences(self._asked(question, decode_occurrences, deadline))
        except WorkerExhausted:
            problem = "parse_exhausted"
        except WorkerCrashed:
            problem = "parse_crashed"
        return FileOccurrences(mentions_by_words(*named, any_case=question.any_case), problem)

    def _asked(self, question: Question, decode: Callable[[bytes], T], deadline: Deadline) -> T:
        """Return a worker's answer.

        Raises:
            WorkerExhausted, WorkerCrashed: the file is to blame.
            GgrepError: as `find`.
        """

        def start_ms() -> float:
            deadline.check(_PURPOSE)
            return min(deadline.remaining_ms(), START_MS)

        try:
            return self.ask(
                encode_request(question, self._allowance.cpu_ms(len(question.data))),
                decode,
                start_ms=start_ms,
                # The request's deadline may be on another clock's scale than the pool's.
                wait_ms=lambda: min(deadline.remaining_ms(), _LONGEST_MS),
                again=(WorkerCrashed, WorkerTimeout, WorkerLost),
            )
        except (WorkerTimeout, WorkerLost) as error:
            deadline.check(_PURPOSE)
            raise Busy("no process could read a file", retry_after_ms=_RETRY_MS) from error
