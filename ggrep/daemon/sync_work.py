"""The sync worker: its main loop, its jobs, and the limit on their CPU time."""

import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn, Protocol

import psutil
from msgspec.structs import replace

from ggrep.base import linux, stable_json
from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.base.processes import take_standard_output
from ggrep.base.stable_json import Json, decode
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.model.limits import Notice
from ggrep.model.sync import (
    LOW_IMPACT_FLAG,
    PushState,
    SyncJob,
    SyncOutcome,
    error_json,
    job_from,
    outcome_json,
    priority_from,
)

if TYPE_CHECKING:
    from ggrep.index.sync.sync_report import Progress, SyncProgress
    from ggrep.parse.workers.kept import KeptWorkers
    from ggrep.search.engine.repo_index import RepoIndex

SHARE: Final = 0.4
"""Average share of a core that a throttled sync may use. Other syncs use one or more cores."""

SAMPLE_MS: Final = 50.0
"""Minimum time between two readings of the CPU time, because a reading itself uses CPU time."""

MOST_SLEEP_MS: Final = 2_000.0
"""Maximum length of a sleep; the next sleep covers the rest."""

_NICENESS: Final = 10


def lower_priority() -> None:
    """Lower the scheduling priority of this process and its children, irrevocably.

    Idle scheduling classes are not used: on a busy machine a writer with such a class could not
    renew its lease.
    """
    with suppress(OSError):
        os.nice(_NICENESS)
    with suppress(OSError):
        linux.run_as_batch()
    with suppress(psutil.Error, OSError, ValueError):
        psutil.Process().ionice(psutil.IOPRIO_CLASS_BE, 7)


class Throttle:
    """Sleeps so that CPU time stays below a share of elapsed time."""

    def __init__(
        self,
        clock: Clock,
        rest: Callable[[float], None],
        cpu_ms: Callable[[], float],
        share: float = SHARE,
    ) -> None:
        """Start measuring now."""
        self._clock = clock
        self._rest = rest
        self._cpu_ms = cpu_ms
        self._share = share
        self._begun_ms = self._looked_ms = clock.monotonic_ms()
        self._used_ms = cpu_ms()

    def keep(self) -> None:
        """Sleep if too much CPU time was used; most calls return at once."""
        if self._clock.monotonic_ms() - self._looked_ms >= SAMPLE_MS:
            self._rest_for(min(self.owed_ms(), MOST_SLEEP_MS))
            self._looked_ms = self._clock.monotonic_ms()

    def settle(self) -> None:
        """Sleep until the CPU time is within the share."""
        while (owed_ms := self.owed_ms()) > 0:
            self._rest_for(min(owed_ms, MOST_SLEEP_MS))

    def owed_ms(self) -> float:
        """Return the required sleep to stay within the share; never negative."""
        passed_ms = self._clock.monotonic_ms() - self._begun_ms
        return max(0.0, (self._cpu_ms() - self._used_ms) / self._share - passed_ms)

    def _rest_for(self, milliseconds: float) -> None:
        if milliseconds > 0:
            self._rest(milliseconds)


def cpu_ms() -> float:
    """Return the CPU time of this process and its ended and running children, in milliseconds.

    A child that ends while the times are read is omitted or counted twice.
    """
    times = os.times()
    ended = times.user + times.system + times.children_user + times.children_system
    return 1000.0 * (ended + sum(_running_s(pid) for pid in _children()))


def _running_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0  # the child has ended, and its time is part of `os.times` now
    return times.user + times.system + times.children_user + times.children_system


def _children() -> list[int]:
    """Return the pids of running children, sorted.

    The kernel lists the children of each thread. If the kernel does not support that, psutil
    searches all processes of the machine.
    """
    pids = linux.children()
    if pids is None:
        pids = sorted(child.pid for child in psutil.Process().children(recursive=True))
    return pids


_KEPT_INDEXES: Final = 4


class Listener(Protocol):
    """Receives the progress of a job and measures its CPU time."""

    def progress(self, stage: str, done: int, total: int) -> None:
        """Receive the stage and the numbers of files."""
        ...

    def used_ms(self) -> int:
        """Return the CPU time since the job began."""
        ...


class Worker:
    """Runs jobs in sequence and keeps indexes open, because loading an encoder takes seconds."""

    def __init__(
        self,
        listener: Listener,
        new_throttle: Callable[[], Throttle],
        priority: Callable[[str], Sequence[PathKey]] = lambda _: (),
    ) -> None:
        """Create the worker without open indexes.

        `listener` receives the progress; `priority` returns the first files of a first index.
        """
        self._priority = priority
        self._listener = listener
        self._new_throttle = new_throttle
        self._indexes: list[tuple[int, RepoIndex]] = []
        self._parsers: KeptWorkers | None = None
        self._swept: set[Path] = set()

    def do(self, job: SyncJob) -> SyncOutcome:
        """Run the sync of a job; return its outcome.

        Raises:
            InvalidRequest: the settings now select another store than the job names.
            GgrepError: the sync failed. A failed upkeep (compaction, collection) becomes a notice.
        """
        index = self._index(job)
        store_id = index.identity.store_id
        if job.store_id and store_id != job.store_id:
            raise InvalidRequest(f"the settings now select store {store_id}, not {job.store_id}")

        from ggrep.search.engine.sync_outcomes import compacted, kept_up, outcome_of

        if job.compaction == "alone":
            return replace(compacted(index), cpu_ms=self._listener.used_ms())
        throttle = self._new_throttle() if job.low_impact else None

        def advance(progress: "SyncProgress") -> None:
            self._listener.progress(progress.stage, progress.done_files, progress.total_files)
            if throttle is not None:
                throttle.keep()

        index.sweep(beside=not (job.abreast and job.home in self._swept))
        self._swept.add(job.home)
        pulled, notices = _pull(index, job, advance)
        report = index.sync(
            strict=job.strict,
            allow_degraded=job.allow_degraded,
            fresh=job.fresh,
            early=not job.abreast,
            wanted=lambda: self._priority(store_id),
            progress=advance,
        )
        outcome = outcome_of(report)
        if job.upkeep:
            self._listener.progress("upkeep", 0, 0)
            outcome = kept_up(index, outcome, "never" if job.low_impact else job.compaction)
        outcome = replace(outcome, pulled=pulled, notices=(*outcome.notices, *notices))
        if job.push:
            pushed, notices = _push(index, job)
            outcome = replace(outcome, pushed=pushed, notices=(*outcome.notices, *notices))
        if throttle is not None:
            throttle.settle()
        return replace(outcome, cpu_ms=self._listener.used_ms())

    def _index(self, job: SyncJob) -> "RepoIndex":
        """Return the index of a job's root under the current settings."""
        from ggrep.search.engine.repo_index import Hosted, RepoIndex

        # A low-impact worker uses a single parser process.
        flags = {**job.flags, "parse_workers": 1} if job.low_impact else job.flags
        hosted = Hosted(parsers=self._parsers_of(job))
        opened = RepoIndex(
            job.root, Home(job.home), environ=job.environ, flags=flags, hosted=hosted
        )
        for abreast, kept in self._indexes:
            if (abreast, kept.home, kept.settings, kept.identity) == (
                job.abreast,
                opened.home,
                opened.settings,
                opened.identity,
            ):
                self._indexes.remove((abreast, kept))
                opened = kept
                break
        self._indexes = [*self._indexes, (job.abreast, opened)][-_KEPT_INDEXES:]
        return opened

    def _parsers_of(self, job: SyncJob) -> "KeptWorkers":
        """Return the parser processes, which are kept for later jobs.

        A single parser is enough for a saved file. A job that shares the cores with other jobs
        keeps as many parsers as its share of cores, and uses no more.
        """
        from ggrep.parse.workers.kept import KeptWorkers

        share = max(1, (os.cpu_count() or 1) // job.abreast) if job.abreast else 0
        if self._parsers is None or self._parsers.most != share:
            self._parsers = KeptWorkers(share or 1, most=share)
        return self._parsers


def _pull(index: "RepoIndex", job: SyncJob, progress: "Progress") -> tuple[int, tuple[Notice, ...]]:
    """Pull from the job's remote; return the number of files, and a notice after a failure."""
    if not job.pull:
        return 0, ()
    from ggrep.search.engine.push_pull import pull_if_possible

    done = pull_if_possible(index, decode(Remote, dict(job.remote)), progress)
    brought = done.report.brought if done.report else 0
    if not done.reason or (done.report and done.report.outcome == "nothing new"):
        return brought, ()
    return brought, (Notice("not_pulled", f"nothing could be pulled: {done.reason}"),)


def _push(index: "RepoIndex", job: SyncJob) -> tuple[PushState, tuple[Notice, ...]]:
    """Push to the job's remote; return the result, and a notice after a failure."""
    from ggrep.search.engine.push_pull import push_to

    try:
        report = push_to(index, decode(Remote, dict(job.remote)))
    except GgrepError as error:
        return "failed", (Notice("not_pushed", f"the index could not be pushed: {error}"),)
    return ("new" if report.pushed else "present"), ()


_PROGRESS_MS: Final = 100.0
"""Minimum time between two progress reports of a stage."""

_PULSE_S: Final = 5.0
"""Interval of heartbeats during a stage without progress reports."""

_PULSE_CPU_MS: Final = 20.0
"""Minimum CPU time of a job for a heartbeat: more than the heartbeat itself uses."""


class ProgressWriter:
    """Writes messages of the current job as whole lines. Thread-safe."""

    def __init__(self, answers: BinaryIO, clock: Clock, cpu_ms: Callable[[], float]) -> None:
        self._answers = answers
        self._clock = clock
        self._cpu_ms = cpu_ms
        self._lock = threading.Lock()
        self._job_id = ""
        self._last: tuple[str, int, int] = ("", 0, 0)
        self._reported_ms = self._reported_cpu_ms = self._begun_cpu_ms = 0.0

    def begin(self, job_id: str) -> None:
        """Start a job and report its first stage, `scan`."""
        with self._lock:
            self._begun_cpu_ms = self._cpu_ms()
            self._job_id = job_id
            self._report("scan", 0, 0)

    def progress(self, stage: str, done: int, total: int) -> None:
        """Report the job's progress, at most once in 100 ms for a stage."""
        with self._lock:
            soon = self._clock.monotonic_ms() - self._reported_ms < _PROGRESS_MS
            if soon and stage == self._last[0]:
                self._last = (stage, done, total)
            else:
                self._report(stage, done, total)

    def pulse(self) -> None:
        """Repeat the last progress report if the job has used CPU time since then."""
        with self._lock:
            if self._job_id and self._cpu_ms() - self._reported_cpu_ms >= _PULSE_CPU_MS:
                self._report(*self._last)

    def end(self, **fields: Json) -> None:
        """Report the outcome of the job and end it."""
        with self._lock:
            job_id, self._job_id = self._job_id, ""
            self._write({"job_id": job_id, **fields})

    def used_ms(self) -> int:
        """Return the CPU time since the job began."""
        return max(0, round(self._cpu_ms() - self._begun_cpu_ms))

    def _report(self, stage: str, done: int, total: int) -> None:
        self._last = (stage, done, total)
        self._reported_ms, self._reported_cpu_ms = self._clock.monotonic_ms(), self._cpu_ms()
        progress: Json = {
            "stage": stage,
            "done_files": done,
            "total_files": total,
            "cpu_ms": max(0, round(self._reported_cpu_ms - self._begun_cpu_ms)),
        }
        self._write({"job_id": self._job_id, "progress": progress})

    def _write(self, document: Json) -> None:
        self._answers.write(stable_json.dumps(document) + b"\n")
        self._answers.flush()


def main(arguments: Sequence[str]) -> NoReturn:
    """Run jobs until standard input ends or no job arrives for `arguments[0]` milliseconds."""
    idle_s = float(arguments[0]) / 1000 if arguments else 30.0
    with suppress(PermissionError):  # this process leads a group already
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if LOW_IMPACT_FLAG in arguments:
        lower_priority()
    leave_out_remote_client()
    linux.share_one_heap()
    clock = SystemClock()
    writer = ProgressWriter(take_standard_output(), clock, cpu_ms)
    lines: queue.Queue[bytes] = queue.Queue()
    priorities: dict[str, Sequence[PathKey]] = {}
    threading.Thread(target=_read, args=(lines, priorities), daemon=True).start()
    threading.Thread(target=_pulse, args=(writer,), daemon=True).start()
    worker = Worker(
        writer,
        lambda: Throttle(clock, _rest, cpu_ms),
        lambda store_id: priorities.get(store_id, ()),
    )
    with suppress(queue.Empty):
        while True:
            _serve(lines.get(timeout=idle_s), worker, writer)
    os._exit(0)  # the reading thread never ends by itself


def _serve(line: bytes, worker: Worker, writer: ProgressWriter) -> None:
    document = stable_json.loads(line)
    writer.begin(str(document["job_id"]))
    try:
        outcome = worker.do(job_from(document))
    except GgrepError as error:
        writer.end(error=error_json(error))
    except Exception as error:  # noqa: BLE001 - every failure is reported to the host
        traceback.print_exc()
        writer.end(error=error_json(error))
    else:
        writer.end(report=outcome_json(outcome))


def _read(lines: "queue.Queue[bytes]", priorities: dict[str, Sequence[PathKey]]) -> None:
    """Read jobs and priority files from standard input; priority files can arrive during a job.

    The end of input means that the host has ended: kill this process and its children at once.
    """
    for line in sys.stdin.buffer:
        priority = priority_from(line)
        if priority is None:
            lines.put(line)
        else:
            priorities[priority[0]] = priority[1]
    os.killpg(0, signal.SIGKILL)


def _pulse(writer: ProgressWriter) -> None:
    while True:
        time.sleep(_PULSE_S)
        writer.pulse()


def _rest(milliseconds: float) -> None:
    time.sleep(milliseconds / 1000)
