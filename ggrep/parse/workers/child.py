"""The parent's side of one worker process: waits for answers for a limited time.

The way in which a worker ends shows the cause: the file (it exceeded the limits of processor time
or memory), or the machine (the worker was killed from outside, did not start, or did not answer
while the machine was busy).
"""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from ggrep.base.clock import Clock
from ggrep.parse.workers.jobs import HEADER_BYTES, MAX_ANSWER_BYTES, body_length, frame

WORKER_COMMAND: Final = (sys.executable, "-m", "ggrep.parse.workers.worker")

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_READ_BYTES: Final = 256 * 1024


class WorkerTimeout(Exception):
    """The worker did not answer in time, possibly because the machine was busy."""


class WorkerLost(Exception):
    """The worker did not start, or was killed from outside, for example for lack of memory."""


class WorkerExhausted(Exception):
    """The worker exceeded the processor time for one file."""


class WorkerCrashed(Exception):
    """The worker ended by itself, or sent an invalid answer."""


class Child:
    """A running worker.

    Attributes:
        served: the number of answered requests.
    """

    def __init__(self, command: tuple[str, ...], clock: Clock) -> None:
        """Start the process; `start` waits until it is ready.

        Raises:
            OSError: the system cannot start a process.
        """
        # Python puts the current directory first on the search path of a module that it runs. The
        # worker starts in another directory, so that a searched repository cannot replace the
        # program.
        self._process = subprocess.Popen(  # noqa: S603 - the command is a constant or a test's
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_PACKAGE_ROOT,
            bufsize=0,
        )
        self._clock = clock
        self.served = 0
        assert self._process.stdin is not None  # noqa: S101 - opened as a PIPE
        assert self._process.stdout is not None  # noqa: S101 - opened as a PIPE
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._input, False)

    def start(self, timeout_ms: float) -> None:
        """Wait until the worker has started, which its empty first frame shows.

        Raises:
            WorkerLost: the worker ended, sent a frame that is not empty, or sent no frame in time.
        """
        try:
            greeting = self._answer(self._clock.monotonic_ms() + timeout_ms)
        except (OSError, WorkerTimeout, WorkerExhausted, WorkerCrashed) as error:
            raise WorkerLost("the worker did not start") from error
        if greeting:
            raise WorkerLost("the worker's first frame is not empty")

    @property
    def is_running(self) -> bool:
        """Return whether the process has not ended."""
        return self._process.poll() is None

    def ask(self, body: bytes, timeout_ms: float) -> bytes:
        """Return the body of the answer to one request.

        Raises:
            WorkerTimeout: the time ran out before the whole answer arrived.
            WorkerExhausted: the file exceeded its processor time.
            WorkerLost: the worker was killed from outside.
            WorkerCrashed: the worker ended by itself.
        """
        end_ms = self._clock.monotonic_ms() + timeout_ms
        try:
            self._write(frame(body), end_ms)
            answer = self._answer(end_ms)
        except OSError as error:
            raise self._ended() from error
        self.served += 1
        return answer

    def kill(self) -> None:
        """End the process; in a thread that waits in `ask`, `ask` raises WorkerLost."""
        self._process.kill()

    def reap(self) -> None:
        """End the process if it still runs, wait for it and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _ended(self) -> Exception:
        """Return why a worker that closed its pipes ended, by its exit status."""
        self._process.kill()
        status = self._process.wait()
        if status == -signal.SIGPROF:
            return WorkerExhausted()
        if status == -signal.SIGKILL:
            return WorkerLost("the worker was killed")
        return WorkerCrashed(f"the worker ended with status {status}")

    def _write(self, data: bytes, end_ms: float) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._input, select.POLLOUT, end_ms)
            rest = rest[os.write(self._input, rest[:_READ_BYTES]) :]

    def _answer(self, end_ms: float) -> bytes:
        """Return the body of the only pending answer; no bytes can follow it."""
        data = bytearray()
        size = HEADER_BYTES
        while len(data) < size:
            self._wait(self._output, select.POLLIN, end_ms)
            part = os.read(self._output, _READ_BYTES)
            if not part:
                raise self._ended()
            data += part
            if len(data) >= HEADER_BYTES:
                size = HEADER_BYTES + body_length(bytes(data[:HEADER_BYTES]))
            if size > HEADER_BYTES + MAX_ANSWER_BYTES:
                raise WorkerCrashed(f"answer of {size} bytes")
        return bytes(data[HEADER_BYTES:size])

    def _wait(self, descriptor: int, event: int, end_ms: float) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, end_ms - self._clock.monotonic_ms())):
            raise WorkerTimeout
