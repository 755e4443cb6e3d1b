"""Runs a job on a node of a cluster, in a process that the cluster provides.

The cluster imports the job's function by name, so each node needs an installation of the same
version. The job contains its settings; the home and the credentials of the remote come from the
node.
"""

import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec.structs import replace

import ggrep
from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.config.settings import environment, home_from
from ggrep.daemon.sync_work import Worker
from ggrep.model.sync import (
    SyncFailed,
    SyncJob,
    SyncOutcome,
    error_from,
    error_json,
    job_from,
    job_json,
    outcome_from,
    outcome_json,
)

RETRIES: Final = 4
"""Retries of a job whose node or process died."""


def task_of(job: SyncJob) -> str:
    """Return a job as JSON text, so that clusters need not serialise values of ggrep."""
    return stable_json.dumps({"version": ggrep.__version__, "job": job_json(job)}).decode()


def do(task: str) -> str:
    """Run a job; a failure becomes part of the reply, because a retry would fail again."""
    try:
        reply = {"outcome": outcome_json(_done(stable_json.loads(task.encode())))}
    except Exception as error:  # noqa: BLE001 - any error of the job, not of the cluster
        reply = {"error": error_json(error)}
    return stable_json.dumps(reply).decode()


def outcome_of(reply: str) -> SyncOutcome:
    """Return the outcome in a node's reply, or raise its error."""
    message = stable_json.loads(reply.encode())
    if "outcome" in message:
        return outcome_from(message["outcome"])
    raise error_from(message["error"])


def _done(task: Mapping[str, Any]) -> SyncOutcome:
    if task["version"] != ggrep.__version__:
        raise SyncFailed(
            f"the versions differ: this node has ggrep {ggrep.__version__}, not {task['version']}"
        )
    job = job_from(task["job"])
    if not job.root.is_dir():
        raise SyncFailed(f"{job.root} does not exist on this node")
    home = home_from(environment())  # the node's environment, not the driver's
    return _worker().do(replace(job, home=home.base))


class _Unheard:
    """Ignores the progress of a job."""

    def progress(self, stage: str, done: int, total: int) -> None:
        """Do nothing."""

    def used_ms(self) -> int:
        """Return the CPU time of this process."""
        return int(time.process_time() * 1000)


@cache
def _worker() -> Worker:
    """Return the worker for all jobs of this process; the worker keeps its encoder and parsers."""
    return Worker(_Unheard(), _never)


def _never() -> Any:  # noqa: ANN401 - never returns
    raise GgrepError("a job on a node ended without a result")
