"""The worker process that runs a host's syncs, kept alive while there is work.

A sync's memory is freed with the process. A sync is cancelled by killing the process: the active
snapshot stays at every step.
"""

import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from ggrep.base import linux, stable_json
from ggrep.base.errors import Cancelled, DeadlineExceeded, GgrepError
from ggrep.base.stable_json import decode
from ggrep.model.sync import (
    LOW_IMPACT_FLAG,
    SyncFailed,
    SyncJob,
    SyncOutcome,
    SyncProgress,
    error_from,
    job_json,
    outcome_from,
    priority_line,
)

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_MODULE: Final = "ggrep.daemon.sync_worker"
_MOST_LINE_BYTES: Final = 8 * 1024**2
_LAST_WORDS_BYTES: Final = 2_000
_REAP_S: Final = 1.0
"""Longest wait for the end of a process that closed its pipes."""


Answer = TypeVar("Answer")


class WorkerGone(Exception):
    """The worker ended, or sent an invalid answer.

    Attributes:
        begun: it had begun the job.
        signal: that ended it.
    """

    def __init__(self, why: str, *, begun: bool, signal: int | None) -> None:
        super().__init__(why)
        self.begun = begun
        self.signal = signal


class SyncChild:
    """A running worker.

    Attributes:
        low_impact: it runs at low priority, which cannot be undone.
    """

    def __init__(self, process: Process, words: int, *, low_impact: bool) -> None:
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        self._process = process
        self._words = words
        self._requests = process.stdin
        self._answers = BufferedByteReceiveStream(process.stdout)
        self.low_impact = low_impact
        self.served = 0
        self._asked = False
        self._sending = anyio.Lock()

    @classmethod
    async def start(cls, python: str, idle_ms: int, *, low_impact: bool) -> Self:
        """Start a worker in a session of its own, out of reach of a terminal's interrupt."""
        words = linux.file_in_memory("ggrep-sync-worker")
        command = [python, "-m", _MODULE, str(idle_ms)]
        try:
            # A cancellation during the start would leave a process without a known id.
            with anyio.CancelScope(shield=True):
                process = await anyio.open_process(
                    [*command, LOW_IMPACT_FLAG] if low_impact else command,
                    stderr=words,
                    # Python takes modules from the current directory first.
                    cwd=_PACKAGE_ROOT,
                    start_new_session=True,
                )
        except BaseException:
            os.close(words)
            raise
        return cls(process, words, low_impact=low_impact)

    @property
    def pid(self) -> int | None:
        """Return its process id; None once it has ended."""
        return self._process.pid if self._process.returncode is None else None

    async def ask(
        self,
        job_id: str,
        job: SyncJob,
        on_progress: Callable[[SyncProgress], None],
        silence_ms: int,
    ) -> SyncOutcome:
        """Return the result of a job."""
        begun, self._asked = False, True
        line = stable_json.dumps({"job_id": job_id, **job_json(job)}) + b"\n"
        try:
            await self._send(line)
            while True:
                with anyio.fail_after(silence_ms / 1000):
                    answer = await self._answers.receive_until(b"\n", _MOST_LINE_BYTES)
                begun = True
                outcome = _understood(stable_json.loads(answer), job_id, on_progress)
                if outcome is not None:
                    return self._answered(outcome)
        except GgrepError:
            self._answered(None)
            raise
        except (
            anyio.BrokenResourceError,
            anyio.ClosedResourceError,
            anyio.IncompleteRead,
            anyio.DelimiterNotFound,
            OSError,
            ValueError,
        ) as error:
            if isinstance(error, TimeoutError):
                raise
            by = None if isinstance(error, ValueError) else await self._ending_signal()
            raise WorkerGone(self._last_words(), begun=begun, signal=by) from error

    async def wish(self, store_id: str, paths: Sequence[str]) -> None:
        """Send the files that a store's first index starts with; ignored once it has ended."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await self._send(priority_line(store_id, paths))

    async def _send(self, line: bytes) -> None:
        async with self._sending:
            await self._requests.send(line)

    async def end(self) -> None:
        """Kill it with all its children, and reap it."""
        # A worker that ended without a job left no children, and its number may be reused.
        if self._asked or self.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await self._process.aclose()
        os.close(self._words)

    def _answered(self, outcome: Answer) -> Answer:
        self._asked = False
        self.served += 1
        return outcome

    async def _ending_signal(self) -> int | None:
        """Return the signal that ended a worker; None if none did or it still runs."""
        with anyio.move_on_after(_REAP_S):
            status = await self._process.wait()
            return -status if status < 0 else None
        return None

    def _last_words(self) -> str:
        size = os.fstat(self._words).st_size
        start = max(0, size - _LAST_WORDS_BYTES)
        output = os.pread(self._words, _LAST_WORDS_BYTES, start).decode("utf-8", "replace")
        last = output.strip().rpartition("\n")[2]
        return f"the sync worker ended: {last}" if last else "the sync worker ended"


def _understood(
    document: Any,  # noqa: ANN401 - JSON of the worker
    job_id: str,
    on_progress: Callable[[SyncProgress], None],
) -> SyncOutcome | None:
    """Return the outcome if this is the last message of a job."""
    if not isinstance(document, dict) or document.get("job_id") != job_id:
        raise ValueError(f"no answer to job {job_id}")
    if "progress" in document:
        on_progress(decode(SyncProgress, document["progress"]))
        return None
    if "error" in document:
        raise error_from(document["error"])
    return outcome_from(document.get("report"))


IDLE_MS: Final = 30_000
SILENCE_MS: Final = 300_000
MOST_JOBS: Final = 250
"""Most syncs of one worker. It keeps some 12 KB of each; a new worker costs a second of CPU."""

_MOST_WISHES: Final = 64
"""Most stores with a wish that no worker has read yet."""

_START_PAUSES_S: Final = (0.1, 0.5)
"""Pauses before further tries to start a worker."""

_PASSING: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EFAULT, errno.ETXTBSY})
"""Errors while the machine has no room for a process, or while the program is replaced."""


class SyncProcess:
    """Runs syncs in the worker, one at a time; others wait in order of arrival.

    The worker starts with the first job and ends by itself after `idle_ms` without a job.
    """

    def __init__(
        self,
        python: str = sys.executable,
        idle_ms: int = IDLE_MS,
        *,
        silence_ms: int = SILENCE_MS,
        most_jobs: int = MOST_JOBS,
    ) -> None:
        """Start nothing yet.

        A worker ends after `idle_ms` without a job, after `most_jobs`, or when it uses no processor
        time for `silence_ms`.
        """
        self._python = python
        self._idle_ms = idle_ms
        self._silence_ms = silence_ms
        self._most_jobs = most_jobs
        self._turn = anyio.Lock()
        self._child: SyncChild | None = None
        self._wishes: dict[str, tuple[str, ...]] = {}
        self._closed = False
        self._jobs = self.starts = 0

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        """Run one sync in the worker.

        Cancelling the waiting task kills the worker and all its children.

        Raises:
            SyncFailed: the sync failed, the worker died, or it was silent for too long.
            Busy: another writer held the store for too long.
            DeadlineExceeded: the job's own time ran out.
            Cancelled: the host is closing.
        """
        async with self._turn:
            self._jobs += 1
            return await self._within_time(job, on_progress)

    async def wish(self, store_id: str, paths: Sequence[str]) -> None:
        """Start a store's first index, running or later, with these files."""
        self._wishes.pop(store_id, None)
        self._wishes[store_id] = tuple(paths)
        while len(self._wishes) > _MOST_WISHES:
            del self._wishes[next(iter(self._wishes))]
        if self._child is not None:
            await self._child.wish(store_id, paths)

    async def aclose(self) -> None:
        """Kill the worker, if there is one, and accept no further sync."""
        self._closed = True
        await self._end()

    @property
    def pid(self) -> int | None:
        """Return the worker's process id; None when none runs."""
        return None if self._child is None else self._child.pid

    async def _within_time(
        self, job: SyncJob, on_progress: Callable[[SyncProgress], None]
    ) -> SyncOutcome:
        seconds = None if job.deadline_ms is None else job.deadline_ms / 1000
        with anyio.move_on_after(seconds):
            return await self._ask(job, on_progress)
        raise DeadlineExceeded(f"the sync took longer than {job.deadline_ms} ms")

    async def _ask(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        while True:
            child = await self._ready(low_impact=job.low_impact)
            try:
                return await self._asked(child, job, on_progress)
            except WorkerGone as gone:
                if self._closed:
                    raise Cancelled("the daemon is stopping") from gone
                # An idle worker may have ended by itself just before it got the job.
                if gone.begun or not child.served:
                    raise SyncFailed(str(gone), signal=gone.signal) from gone
            except TimeoutError as error:
                seconds = self._silence_ms / 1000
                raise SyncFailed(f"the sync worker was silent for {seconds:g} s") from error

    async def _asked(
        self, child: SyncChild, job: SyncJob, on_progress: Callable[[SyncProgress], None]
    ) -> SyncOutcome:
        """Return the result of a job; a worker in an unknown state is killed."""
        whole = False
        try:
            if (paths := self._wishes.pop(job.store_id, None)) is not None:
                await child.wish(job.store_id, paths)
            outcome = await child.ask(str(self._jobs), job, on_progress, self._silence_ms)
            whole = True
        except GgrepError:
            whole = True
            raise
        finally:
            if not whole:
                await self._end()
        return outcome

    async def _ready(self, *, low_impact: bool) -> SyncChild:
        """Return an idle worker for the job, started if there is none of its kind."""
        child = self._child
        if child is not None and not self._is_fit(child, low_impact=low_impact):
            await self._end()
        if self._closed:
            raise Cancelled("the daemon is stopping")
        if self._child is None:
            self._child = await self._started(low_impact=low_impact)
            self.starts += 1
        return self._child

    def _is_fit(self, child: SyncChild, *, low_impact: bool) -> bool:
        runs = child.pid is not None and child.served < self._most_jobs
        return runs and child.low_impact == low_impact

    async def _started(self, *, low_impact: bool) -> SyncChild:
        """Start a worker, with retries while the machine is short of resources."""
        pauses = iter(_START_PAUSES_S)
        while True:
            try:
                return await SyncChild.start(self._python, self._idle_ms, low_impact=low_impact)
            except OSError as error:
                pause = next(pauses, None) if error.errno in _PASSING else None
                if pause is None:
                    raise SyncFailed(f"the sync worker cannot be started: {error}") from error
            await anyio.sleep(pause)

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.end()
