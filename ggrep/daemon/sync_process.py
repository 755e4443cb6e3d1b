"""The worker process for a host's syncs, which runs while there is work.

Ending the process frees the memory of its syncs. Killing the process cancels a sync; the active
snapshot stays valid at every step.
"""

import errno
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import anyio

from ggrep.base import stable_json
from ggrep.base.errors import Cancelled, DeadlineExceeded, GgrepError
from ggrep.base.stable_json import decode
from ggrep.daemon.worker_child import WorkerChild, WorkerGone
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

_MODULE: Final = "ggrep.daemon.sync_worker"


def _understood(
    document: Any,  # noqa: ANN401 - JSON of the worker
    job_id: str,
    on_progress: Callable[[SyncProgress], None],
) -> SyncOutcome | None:
    """Return the outcome if `document` is the last message of a job; otherwise report progress.

    Raises:
        ValueError: `document` is no message of the job.
    """
    if not isinstance(document, dict) or document.get("job_id") != job_id:
        raise ValueError(f"the sync worker did not answer job {job_id}")
    if "progress" in document:
        on_progress(decode(SyncProgress, document["progress"]))
        return None
    if "error" in document:
        raise error_from(document["error"])
    return outcome_from(document.get("report"))


IDLE_MS: Final = 30_000
SILENCE_MS: Final = 300_000
MOST_JOBS: Final = 250
"""Maximum number of syncs of a worker. Each sync grows its memory by some 12 KB; a new worker costs
a second of CPU time."""

_MOST_PRIORITIES: Final = 64
"""Maximum number of stores with priority files that no worker has received yet."""

_START_PAUSES_S: Final = (0.1, 0.5)
"""Pauses before further attempts to start a worker."""

_PASSING: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EFAULT, errno.ETXTBSY})
"""Temporary errors: the machine is short of resources, or the program is being replaced."""


class SyncProcess:
    """Runs syncs in the worker process, one at a time in order of arrival.

    The worker starts with the first job and ends after `idle_ms` without a job.
    """

    def __init__(
        self,
        python: str = sys.executable,
        idle_ms: int = IDLE_MS,
        *,
        silence_ms: int = SILENCE_MS,
        most_jobs: int = MOST_JOBS,
    ) -> None:
        """Start no worker yet.

        A worker ends after `idle_ms` without a job, after `most_jobs` jobs, or if it uses no CPU
        time for `silence_ms`.
        """
        self._python = python
        self._idle_ms = idle_ms
        self._silence_ms = silence_ms
        self._most_jobs = most_jobs
        self._turn = anyio.Lock()
        self._child: WorkerChild | None = None
        self._priorities: dict[str, tuple[str, ...]] = {}
        self._closed = self._begun = False
        self._low_impact = False
        self._jobs = self.starts = 0

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        """Run a sync in the worker.

        Cancelling the calling task kills the worker and all its children.

        Raises:
            SyncFailed: the sync failed, or the worker died or was silent for too long.
            Busy: another process was writing to the store for too long.
            DeadlineExceeded: the deadline of the job passed.
            Cancelled: the host is closing.
        """
        async with self._turn:
            self._jobs += 1
            return await self._within_time(job, on_progress)

    async def prioritise(self, store_id: str, paths: Sequence[str]) -> None:
        """Let a store's first index, whether running or not yet begun, start with these files."""
        self._priorities.pop(store_id, None)
        self._priorities[store_id] = tuple(paths)
        while len(self._priorities) > _MOST_PRIORITIES:
            del self._priorities[next(iter(self._priorities))]
        if self._child is not None:
            await _send_priority(self._child, store_id, paths)

    async def aclose(self) -> None:
        """Kill the worker if there is one; later syncs fail."""
        self._closed = True
        await self._end()

    @property
    def pid(self) -> int | None:
        """Return the worker's process id; None if no worker runs."""
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
            self._begun = False
            try:
                return await self._exchange(child, job, on_progress)
            except WorkerGone as gone:
                if self._closed:
                    raise Cancelled("the daemon is stopping") from gone
                # An idle worker may have ended by itself just before it received the job.
                if self._begun or not child.served:
                    raise SyncFailed(str(gone), signal=gone.signal) from gone
            except TimeoutError as error:
                seconds = self._silence_ms / 1000
                raise SyncFailed(f"the sync worker sent no heartbeat for {seconds:g} s") from error

    async def _exchange(
        self, child: WorkerChild, job: SyncJob, on_progress: Callable[[SyncProgress], None]
    ) -> SyncOutcome:
        """Return the outcome of a job; kill a worker in an unknown state."""
        whole = False
        child.begin()
        try:
            if (paths := self._priorities.pop(job.store_id, None)) is not None:
                await _send_priority(child, job.store_id, paths)
            outcome = await self._outcome(child, job, on_progress)
            child.answered()
            whole = True
        except GgrepError:
            child.answered()
            whole = True
            raise
        finally:
            if not whole:
                await self._end()
        return outcome

    async def _outcome(
        self, child: WorkerChild, job: SyncJob, on_progress: Callable[[SyncProgress], None]
    ) -> SyncOutcome:
        job_id = str(self._jobs)
        await child.send(stable_json.dumps({"job_id": job_id, **job_json(job)}) + b"\n")
        while True:
            with anyio.fail_after(self._silence_ms / 1000):
                document = await child.receive()
            self._begun = True
            try:
                outcome = _understood(document, job_id, on_progress)
            except ValueError as error:
                raise await child.gone(garbled=True) from error
            if outcome is not None:
                return outcome

    async def _ready(self, *, low_impact: bool) -> WorkerChild:
        """Return an idle worker for the job; start one if there is no suitable worker."""
        child = self._child
        if child is not None and not self._is_fit(child, low_impact=low_impact):
            await self._end()
        if self._closed:
            raise Cancelled("the daemon is stopping")
        if self._child is None:
            self._child = await self._started(low_impact=low_impact)
            self._low_impact = low_impact
            self.starts += 1
        return self._child

    def _is_fit(self, child: WorkerChild, *, low_impact: bool) -> bool:
        runs = child.pid is not None and child.served < self._most_jobs
        return runs and self._low_impact == low_impact

    async def _started(self, *, low_impact: bool) -> WorkerChild:
        """Start a worker, with retries if the machine is short of resources."""
        arguments = [str(self._idle_ms), *([LOW_IMPACT_FLAG] if low_impact else [])]
        pauses = iter(_START_PAUSES_S)
        while True:
            try:
                return await WorkerChild.start(_MODULE, arguments, "sync", self._python)
            except OSError as error:
                pause = next(pauses, None) if error.errno in _PASSING else None
                if pause is None:
                    raise SyncFailed(f"the sync worker cannot be started: {error}") from error
            await anyio.sleep(pause)

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.end()


async def _send_priority(child: WorkerChild, store_id: str, paths: Sequence[str]) -> None:
    """Send the files that a store's first index starts with; do nothing if the worker has ended."""
    with suppress(WorkerGone):
        await child.send(priority_line(store_id, paths))
