"""Parsing and mining that cannot hang: a process is killed, the rest is interrupted."""

import signal
from types import FrameType
from typing import Final, Self

from ggrep.base.clock import SystemClock
from ggrep.parse.chunking.chunker import chunk_without_grammar, needs_grammar
from ggrep.parse.chunking.spans import Plan
from ggrep.parse.languages.chunk_limits import Allowance
from ggrep.parse.workers.child import WORKER_COMMAND, Child
from ggrep.parse.workers.jobs import PlanRequest, decode_plan, encode_request
from ggrep.parse.workers.parse_pool import PATIENCE_MS
from ggrep.parse.workers.pool import START_MS
from training.encoder.mining import LIMITS

FILE_SECONDS: Final = 5


class SlowFile(Exception):
    """A file took too long."""


class GuardedParser:
    """A process that parses, replaced when a file hangs or breaks it."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._child: Child | None = None

    def __enter__(self) -> Self:
        signal.signal(signal.SIGALRM, _too_slow)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def plan(self, key: str, data: bytes) -> Plan:
        """Return how the file is cut.

        Raises:
            WorkerTimeout, WorkerLost, WorkerExhausted, WorkerCrashed: it cannot be parsed.
        """
        if not needs_grammar(key, data):
            return chunk_without_grammar(key, data, LIMITS)
        if self._child is None:
            self._child = Child(WORKER_COMMAND, self._clock)
            self._child.start(START_MS)
        request = encode_request(PlanRequest(key, data, LIMITS), Allowance().cpu_ms(len(data)))
        try:
            answer = self._child.ask(request, PATIENCE_MS)
        except BaseException:
            self._end()
            raise
        return decode_plan(answer)

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.reap()


def _too_slow(_signal: int, _frame: FrameType | None) -> None:
    raise SlowFile
