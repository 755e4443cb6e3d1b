"""The query workers of a host: processes that answer while the host's interpreter is busy.

Only one thread of an interpreter runs at a time. Therefore a worker process, which maps the same
images, answers queries that arrive while another query runs. If a worker fails, the host answers.
"""

import sys
from collections import defaultdict, deque
from contextlib import suppress
from functools import partial
from typing import Any, Final

import anyio
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Cancelled, DeadlineExceeded
from ggrep.base.linux import is_stopped
from ggrep.base.stable_json import Document
from ggrep.daemon.event_log import EventLog
from ggrep.daemon.query_job import QueryAnswer, QueryJob, StoreToOpen
from ggrep.daemon.worker_child import WorkerChild, WorkerGone
from ggrep.model.status import QueryWorkers
from ggrep.protocol.wire.replies import error_of

_MODULE: Final = "ggrep.daemon.query_worker"
IDLE_MS: Final = 30_000
_CROWDED: Final = 8
_CROWDED_MS: Final = 10_000.0
"""A worker opens a store after this many of its queries within this time overlapped other
queries."""

_LOOK_S: Final = 0.05
"""Maximum delay until a worker notices that its request has ended."""

_LEAST_MS: Final = 200.0
"""A query with less remaining time is not sent to a worker."""

_LONGEST_MS: Final = 60_000.0
"""Maximum wait for a worker's answer; after that the host answers."""

_GRACE_MS: Final = 1_000.0
"""Maximum delay until a worker notices the end of a query."""

_CANCEL: Final = b"\n"


class _Uses(Struct):
    """The open stores of a worker, and its counts.

    Attributes:
        logs: logs of the stores that the worker has open or is opening, by store key.
        answered: number of queries that the worker answered.
    """

    pid: int | None
    logs: dict[str, EventLog]
    answered: int = 0


class QueryProcesses:
    """Starts, keeps and queries the workers of a host. Not thread-safe."""

    def __init__(
        self, most: int, build: str, *, python: str = sys.executable, idle_ms: int = IDLE_MS
    ) -> None:
        """Start no worker yet.

        Args:
            most: maximum number of workers; 0 for none.
            build: workers of another build are not used.
            python: path of the interpreter.
            idle_ms: a worker ends after this time without a job.
        """
        self._most = most
        self._build = build
        self._python = python
        self._idle_ms = idle_ms
        self._workers: dict[WorkerChild, _Uses] = {}
        self._starting = False
        self._closed = False
        self._crowded: dict[str, deque[float]] = defaultdict(partial(deque, maxlen=_CROWDED))
        """Arrival times of overlapping queries, by store."""
        self.starts = 0
        self.answered = 0

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the running workers."""
        return tuple(worker.pid for worker in self._workers if worker.pid is not None)

    def load(self) -> QueryWorkers:
        """Return the current figures."""
        return QueryWorkers(len(self.pids), self._most, self.starts, self.answered)

    def is_free(self, store: str) -> bool:
        """Return whether a worker that has opened the store is free."""
        return self._free(store) is not None

    def is_short(self, store: str, now_ms: float) -> bool:
        """Record a query that overlaps another query; return whether to call `prepare`."""
        crowded = self._crowded[store]
        crowded.append(now_ms)
        if len(crowded) < _CROWDED or now_ms - crowded[0] > _CROWDED_MS:
            return False
        opened = sum(
            store in uses.logs and worker.pid is not None for worker, uses in self._workers.items()
        )
        return opened < self._most and not self._starting and not self._closed

    async def prepare(self, store: StoreToOpen, log: EventLog) -> None:
        """Let another worker open a store; start a worker if no running worker is free.

        `log` is the log of the store, which also records the end of the worker.
        """
        if self._starting or self._closed:
            return
        self._starting = True
        try:
            worker = await self._unopened(store.key, log)
            if worker is not None and await self._open(worker, store):
                log.lifecycle("query_worker_opened", pid=worker.pid)
        finally:
            self._starting = False

    async def refresh(self, store: StoreToOpen) -> None:
        """Let the workers of a store open its new snapshot before the next query."""
        for worker in [*self._workers]:
            uses = self._workers.get(worker)
            if uses is not None and store.key in uses.logs and not worker.busy:
                await self._open(worker, store)

    async def reap(self) -> None:
        """Release workers that have ended by themselves, and log their ends."""
        for worker in [*self._workers]:
            if worker.pid is None and not worker.busy:
                await self._end(worker)

    async def _open(self, worker: WorkerChild, store: StoreToOpen) -> bool:
        """Let a worker open a store; return whether it succeeded."""
        worker.begin()
        try:
            await worker.send(_line({"open": store}))
            with anyio.fail_after(_LONGEST_MS / 1000):
                reply = await worker.receive()
        except WorkerGone as gone:
            await self._end(worker, gone.reason)
        except TimeoutError:
            await self._end(worker, "silent")
        except BaseException:
            await self._end(worker, "interrupted")
            raise
        else:
            worker.answered()
            if "error" not in reply:
                return worker in self._workers
            if worker in self._workers:
                self._workers[worker].logs.pop(store.key, None)
        return False

    async def _unopened(self, store: str, log: EventLog) -> WorkerChild | None:
        """Return a free worker that has not opened the store; None if no worker can be started."""
        await self.reap()
        for worker, uses in self._workers.items():
            if store not in uses.logs and not worker.busy:
                uses.logs[store] = log
                return worker
        if len(self._workers) >= self._most:
            return None
        try:
            worker = await WorkerChild.start(_MODULE, [str(self._idle_ms)], "query", self._python)
        except OSError:  # no room for a process
            return None
        self._workers[worker] = _Uses(worker.pid, {store: log})
        self.starts += 1
        worker.begin()
        hello = None
        try:
            with suppress(WorkerGone), anyio.move_on_after(_LONGEST_MS / 1000):
                hello = await worker.receive()
        finally:
            if hello != {"build": self._build}:  # also if ggrep was replaced
                await self._end(worker, "another build" if hello else "silent")
        worker.answered()
        return worker if worker in self._workers else None

    async def answer(self, job: QueryJob, deadline: Deadline) -> QueryAnswer | None:
        """Return the answer of a free worker; None if the host must answer.

        Raises:
            Cancelled: the request was cancelled.
            DeadlineExceeded: the deadline of the request passed.
        """
        worker = self._free(job.store)
        if worker is None or deadline.remaining_ms() < _LEAST_MS:
            return None
        worker.begin()
        uses = self._workers[worker]
        try:
            # As with a thread, a cancelled task waits until the worker has noticed.
            with anyio.CancelScope(shield=True):
                answer = await self._exchange(worker, job, deadline)
        except (Cancelled, DeadlineExceeded):
            worker.answered()
            raise
        except WorkerGone as gone:
            await self._end(worker, gone.reason)
            deadline.check("the answer of a query worker")
            return None
        except BaseException:
            await self._end(worker, "interrupted")
            raise
        worker.answered()
        if answer is not None:
            uses.answered += 1
            self.answered += 1
        return answer

    def _free(self, store: str) -> WorkerChild | None:
        for worker, uses in self._workers.items():
            if store in uses.logs and not worker.busy and worker.pid is not None:
                return worker
        return None

    async def _exchange(
        self, worker: WorkerChild, job: QueryJob, deadline: Deadline
    ) -> QueryAnswer | None:
        uses, remaining_ms = self._workers[worker], deadline.remaining_ms()
        if remaining_ms != float("inf"):
            job = replace(job, remaining_ms=remaining_ms)
        try:
            with anyio.fail_after(min(remaining_ms + _GRACE_MS, _LONGEST_MS) / 1000):
                await worker.send(_line(job))
                head = await self._head(worker, deadline)
                if "error" in head:
                    _raise_if_ended(head, deadline)
                    return None
                if "closed" in head:
                    uses.logs.pop(job.store, None)
                    return None
                answer = stable_json.decode(QueryAnswer, head)
                (name,) = answer.body
                data = await worker.receive_bytes(int(str(answer.body[name])))
                rendered = name == "rendered"
                body = stable_json.loads(data) if rendered else stable_json.written(data)
        except TimeoutError as error:
            raise WorkerGone("the query worker sends no heartbeat", reason="silent") from error
        except (TypeError, ValueError) as error:
            raise await worker.gone(garbled=True) from error
        return replace(answer, body={name: body})

    async def _head(self, worker: WorkerChild, deadline: Deadline) -> Document:
        """Return the first line of an answer; cancel the job if the query is stopped."""
        ended = False
        while True:
            with anyio.move_on_after(_LOOK_S):
                head: Document = await worker.receive()
                return head
            if worker.pid is not None and is_stopped(worker.pid):
                raise WorkerGone("the query worker was stopped", reason="stopped")
            left = deadline.stop is None or deadline.stop.reason is None
            if not ended and not (left and deadline.remaining_ms() > 0.0):
                await worker.send(_CANCEL)
                ended = True

    async def _end(self, worker: WorkerChild, reason: str = "") -> None:
        """Kill a worker for a reason, or release a worker that has ended by itself."""
        uses = self._workers.pop(worker, None)
        if uses is None:
            return
        status = worker.status
        if status is not None:
            reason = "died" if status else "idle for too long"
        with anyio.CancelScope(shield=True):
            await worker.end()
        ended: dict[str, int | str | None] = {"reason": reason, "signal": None}
        if status is not None and status < 0:
            ended["signal"] = -status
        for log in uses.logs.values():
            log.lifecycle("query_worker_ended", pid=uses.pid, answered=uses.answered, **ended)

    async def aclose(self) -> None:
        """Kill all workers; no worker starts afterwards."""
        self._closed = True
        for worker in list(self._workers):
            await self._end(worker, "the host ends")


def _raise_if_ended(head: Document, deadline: Deadline) -> None:
    """Raise if the worker's error also ends the query; after other errors the host answers."""
    error = error_of(head)
    if isinstance(error, DeadlineExceeded):
        raise error
    try:
        deadline.check("the answer of a query worker")
    except Cancelled as reason:
        reason.snapshot_id = error.snapshot_id
        raise


def _line(value: Any) -> bytes:  # noqa: ANN401 - a job
    return stable_json.dumps(to_builtins(value)) + b"\n"
