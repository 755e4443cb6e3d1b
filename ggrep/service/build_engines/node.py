"""What a node of a cluster does: one job, in the process that the cluster gives it.

It is named to the cluster by module and function, so each node needs an installation of the same
version. Settings travel with the job; the home, and the credentials of the remote, are the node's.
"""

import time
from dataclasses import replace
from functools import cache
from typing import Any, Final

import ggrep
from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Json
from ggrep.config.settings import environment, home_from
from ggrep.daemon.sync_work import Worker
from ggrep.model.sync_jobs import (
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
"""How often a job is done again whose node or process died."""


def task_of(job: SyncJob) -> dict[str, Json]:
    """Return a job as it is sent to a node."""
    return {"version": ggrep.__version__, "job": job_json(job)}


def do(task: dict[str, Any]) -> dict[str, Json]:
    """Do a job here; what fails is said in the reply, as trying it again would not help."""
    try:
        return {"outcome": outcome_json(_done(task))}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not the cluster's
        return {"error": error_json(error)}


def outcome_of(reply: dict[str, Any]) -> SyncOutcome:
    """Return what a node has done.

    Raises:
        GgrepError: it failed there.
    """
    if "outcome" in reply:
        return outcome_from(reply["outcome"])
    raise error_from(reply["error"])


def _done(task: dict[str, Any]) -> SyncOutcome:
    if task["version"] != ggrep.__version__:
        raise SyncFailed(f"this node has ggrep {ggrep.__version__}, not {task['version']}")
    job = job_from(task["job"])
    if not job.root.is_dir():
        raise SyncFailed(f"{job.root} is not on this node")
    home = home_from(environment())  # the node's, not the driver's
    return _worker().do(replace(job, home=home.base))


class _Unheard:
    """Nobody watches how far a job is."""

    def progress(self, stage: str, done: int, total: int) -> None:
        """Keep it to itself."""

    def used_ms(self) -> int:
        """Return the CPU time of this process."""
        return int(time.process_time() * 1000)


@cache
def _worker() -> Worker:
    """Return what does all jobs of this process: it keeps its encoder and its parsers."""
    return Worker(_Unheard(), _never)


def _never() -> Any:  # noqa: ANN401 - never returns
    raise GgrepError("a node's job does not stand back")
