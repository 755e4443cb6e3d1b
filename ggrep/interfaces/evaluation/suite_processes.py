"""Runs one process for each repository or workspace of a run, and kills it on timeout."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias

from msgspec import Struct, field, to_builtins

from ggrep.base import stable_json
from ggrep.base.errors import Cancelled
from ggrep.base.stable_json import Json, decode
from ggrep.interfaces.evaluation.questions import Answer, CaseQuery, QueriedPath
from ggrep.model.sanitise import sanitise_line

WORKER_COMMAND: Final = (sys.executable, "-m", "ggrep.interfaces.evaluation.suite_worker")

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_SHOWN_STDERR: Final = 300


class Job(Struct, frozen=True):
    """The queries that one process answers.

    Attributes:
        name: name of the queried repository or workspace.
    """

    name: str
    target: QueriedPath
    questions: tuple[CaseQuery, ...]


class Conditions(Struct, frozen=True):
    """Conditions of every job of a run.

    Attributes:
        merge: merge strategy of workspaces; None for the strategy in the workspace file.
        weights: ranking weights that differ from the defaults.
        timeout_s: time for one process, including its sync.
    """

    sync: bool = True
    encoder: str | None = None
    merge: str | None = None
    weights: Mapping[str, Json] = field(default_factory=dict)
    timeout_s: float = 3600.0


class JobResult(Struct, frozen=True):
    """The result of a job.

    Attributes:
        error: why the whole job failed; empty if it ran.
    """

    job: Job
    answers: tuple[Answer, ...] = ()
    error: str = ""


RunJob: TypeAlias = Callable[[Job], JobResult]


class Workers:
    """The worker processes of a run; `kill` ends all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    @contextmanager
    def started(self, command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        """Start a process; kill it at the end of the block."""
        with self._lock:
            if self._ended:
                raise Cancelled("the run was cancelled")
            # Python imports modules from the current directory first. A measured repository must
            # not replace the program, so the process starts elsewhere.
            process = subprocess.Popen(  # noqa: S603 - the command is ours or a test's
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=_PACKAGE_ROOT,
            )
            self._running.add(process)
        try:
            with process:
                try:
                    yield process
                finally:
                    process.kill()
        finally:
            with self._lock:
                self._running.discard(process)

    def kill(self) -> None:
        """End every running process, and start no more."""
        with self._lock:
            self._ended = True
            for process in self._running:
                process.kill()


def run_jobs(
    jobs: Sequence[Job],
    run: RunJob,
    *,
    at_once: int,
    done: Callable[[JobResult], None],
    stop: Callable[[], None] = lambda: None,
) -> list[JobResult]:
    """Run jobs concurrently; return the results in the order of the jobs.

    Args:
        jobs: the jobs.
        run: runs one job, in a thread.
        at_once: maximum number of concurrent jobs.
        done: called with each result.
        stop: ends the running jobs if this call is interrupted.
    """
    outcomes = []
    with ThreadPoolExecutor(max_workers=max(at_once, 1)) as pool:
        try:
            for outcome in pool.map(run, jobs):
                done(outcome)
                outcomes.append(outcome)
        except BaseException:
            # The pool would wait for its threads, which may wait an hour for their processes.
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
    return outcomes


def in_a_process(
    job: Job,
    conditions: Conditions,
    *,
    workers: Workers | None = None,
    command: Sequence[str] = WORKER_COMMAND,
) -> JobResult:
    """Run a job in a worker process; return the result.

    Raises:
        Cancelled: `workers` were killed before the process started.
    """
    asked = stable_json.dumps(job_json(job, conditions))
    with (workers or Workers()).started(command) as process:
        try:
            stdout, stderr = process.communicate(asked, conditions.timeout_s)
        except subprocess.TimeoutExpired:
            return JobResult(
                job, error=f"no answer within {conditions.timeout_s:g} s; it was killed"
            )
    try:
        document: dict[str, Any] = stable_json.loads(stdout)
        answers = decode(tuple[Answer, ...], document["answers"])
        return JobResult(job, answers, sanitise_line(document["error"]))
    except (ValueError, KeyError, TypeError):
        message = sanitise_line(stderr.decode(errors="replace"))[-_SHOWN_STDERR:]
        return JobResult(job, error=f"the worker ended with status {process.returncode}: {message}")


def job_json(job: Job, conditions: Conditions) -> dict[str, Json]:
    """Return the document that a worker reads."""
    return {
        "parent": os.getpid(),
        "path": str(job.target.path),
        "is_workspace": job.target.is_workspace,
        "alone": job.target.alone,
        "sync": conditions.sync,
        "encoder": conditions.encoder,
        "merge": conditions.merge,
        "weights": dict(conditions.weights),
        "questions": to_builtins(job.questions),
    }
