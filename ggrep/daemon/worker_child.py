"""A worker process in its own session, which exchanges lines of JSON with the host."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from ggrep.base import linux, stable_json

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_MOST_LINE_BYTES: Final = 8 * 1024**2
_LAST_WORDS_BYTES: Final = 2_000
_REAP_S: Final = 1.0
"""Maximum wait for the end of a process that closed its pipes."""

_BROKEN: Final = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.IncompleteRead,
    anyio.DelimiterNotFound,
    OSError,
    ValueError,
)
"""Errors for a worker that ended or sent invalid JSON."""


class WorkerGone(Exception):
    """The worker ended, or sent an invalid answer.

    Attributes:
        signal: the signal that ended the worker; None if no signal did.
        reason: a word from a fixed set, for logs.
    """

    def __init__(self, why: str, *, signal: int | None = None, reason: str = "died") -> None:
        super().__init__(why)
        self.signal = signal
        self.reason = reason


class WorkerChild:
    """A running worker.

    Attributes:
        served: number of jobs that the worker has answered.
        busy: whether the worker has an unanswered job.
    """

    def __init__(self, process: Process, words: int, purpose: str) -> None:
        assert process.stdin is not None  # noqa: S101 - a pipe was requested
        assert process.stdout is not None  # noqa: S101 - a pipe was requested
        self._process = process
        self._words = words
        self._purpose = purpose
        self._requests = process.stdin
        self._answers = BufferedByteReceiveStream(process.stdout)
        self.served = 0
        self.busy = False
        self._sending = anyio.Lock()

    @classmethod
    async def start(
        cls, module: str, arguments: Sequence[str], purpose: str, python: str = sys.executable
    ) -> Self:
        """Start a worker in its own session, so that a terminal's interrupt does not reach it.

        Args:
            module: the module that the worker runs.
            arguments: arguments of the module.
            purpose: word for the worker in messages: "sync" for "the sync worker ended".
            python: path of the interpreter.

        Raises:
            OSError: the system cannot start another process.
        """
        words = linux.file_in_memory(f"ggrep-{purpose}-worker")
        try:
            # A cancellation during the start would leave a process without a known id.
            with anyio.CancelScope(shield=True):
                process = await anyio.open_process(
                    [python, "-m", module, *arguments],
                    stderr=words,
                    # Python takes modules from the current directory first.
                    cwd=_PACKAGE_ROOT,
                    start_new_session=True,
                )
        except BaseException:
            os.close(words)
            raise
        return cls(process, words, purpose)

    @property
    def pid(self) -> int | None:
        """Return the process id of the worker; None once it has ended."""
        return self._process.pid if self._process.returncode is None else None

    @property
    def status(self) -> int | None:
        """Return the exit status, or the negated number of a signal; None while the worker runs."""
        return self._process.returncode

    async def send(self, line: bytes) -> None:
        """Send a line, including its newline.

        Raises:
            WorkerGone: the worker has ended.
        """
        try:
            async with self._sending:
                await self._requests.send(line)
        except _BROKEN as error:
            raise await self.gone() from error

    async def receive(self) -> Any:  # noqa: ANN401 - JSON of the worker
        """Return the JSON value of the worker's next line. Cancelling the call loses no data.

        Raises:
            WorkerGone: the worker has ended, or the line is not JSON.
        """
        try:
            return stable_json.loads(await self._answers.receive_until(b"\n", _MOST_LINE_BYTES))
        except _BROKEN as error:
            raise await self.gone(garbled=isinstance(error, ValueError)) from error

    async def receive_bytes(self, size: int) -> bytes:
        """Return the `size` bytes that follow a line.

        Raises:
            WorkerGone: the worker has ended.
        """
        try:
            return await self._answers.receive_exactly(size)
        except _BROKEN as error:
            raise await self.gone() from error

    def begin(self) -> None:
        """Record that the worker has a job now."""
        self.busy = True

    def answered(self) -> None:
        """Record that the worker has answered its job."""
        self.busy = False
        self.served += 1

    async def end(self) -> None:
        """Kill the worker with all its children, and wait for its end."""
        # A worker that ended without a job has left no children, and its pid may be reused.
        if self.busy or self.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await self._process.aclose()
        os.close(self._words)
        self._words = -1

    async def gone(self, *, garbled: bool = False) -> WorkerGone:
        """Return the error of a worker that ended or sent an invalid answer (`garbled`)."""
        by = None if garbled else await self._ending_signal()
        reason = "invalid answer" if garbled else "died"
        return WorkerGone(self._last_words(), signal=by, reason=reason)

    async def _ending_signal(self) -> int | None:
        """Return the signal that ended a worker; None if it exited or still runs."""
        with anyio.move_on_after(_REAP_S):
            status = await self._process.wait()
            return -status if status < 0 else None
        return None

    def _last_words(self) -> str:
        if self._words < 0:
            return f"the {self._purpose} worker ended"
        size = os.fstat(self._words).st_size
        start = max(0, size - _LAST_WORDS_BYTES)
        output = os.pread(self._words, _LAST_WORDS_BYTES, start).decode("utf-8", "replace")
        last = output.strip().rpartition("\n")[2]
        ended = f"the {self._purpose} worker ended"
        return f"{ended}: {last}" if last else ended
