"""A node of a cluster does one job in the process that the cluster gives it.

It is named to the cluster by module and function, so each node needs an installation of the same
version. Settings travel with the job; the home, and the credentials of the remote, are the node's.
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
    """Return a job as it is sent to a node: JSON, whatever a cluster makes of values."""
    return stable_json.dumps({"version": ggrep.__version__, "job": job_json(job)}).decode()


def do(task: str) -> str:
    """Do a job here; what fails is said in the reply, as trying it again would not help."""
    try:
        reply = {"outcome": outcome_json(_done(stable_json.loads(task.encode())))}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not the cluster's
        reply = {"error": error_json(error)}
    return stable_json.dumps(reply).decode()


def outcome_of(reply: str) -> SyncOutcome:
    """Return what a node has done."""
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
    home = home_from(environment())  # the node's, not the driver's
    return _worker().do(replace(job, home=home.base))


class _Unheard:
    """Ignores the progress of a job."""

    def progress(self, stage: str, done: int, total: int) -> None:
        """Ignore it."""

    def used_ms(self) -> int:
        """Return the CPU time of this process."""
        return int(time.process_time() * 1000)


@cache
def _worker() -> Worker:
    """Return what does all jobs of this process: it keeps its encoder and its parsers."""
    return Worker(_Unheard(), _never)


def _never() -> Any:  # noqa: ANN401 - never returns
    raise GgrepError("a job on a node ended without a result")
