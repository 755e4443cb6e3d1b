"""What a node of a cluster does: one job, in a process of its own, in the node's own home.

It is named to the cluster by module and function, so each node needs an installation of the same
build. Settings travel with the job; the home, and the credentials of the remote, are the node's.
"""

from dataclasses import replace
from typing import Any, Final

import anyio

import ggrep
from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Json
from ggrep.config.settings import environment, home_from
from ggrep.daemon.sync_process import SyncProcess
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
    return {"build": ggrep.__version__, "job": job_json(job)}


def do(task: dict[str, Any]) -> dict[str, Json]:
    """Do a job here; what fails for good is said in the reply, as trying it again would not help.

    A worker that a signal ended raises: another node may have the memory for it.
    """
    if task["build"] != ggrep.__version__:
        error = SyncFailed("this node has another version of ggrep than the one that asked")
        return {"error": error_json(error)}
    job = job_from(task["job"])
    if not job.root.is_dir():
        error = SyncFailed(f"{job.root} is not on this node")
        return {"error": error_json(error)}
    home = home_from(environment())  # the node's, not the driver's
    try:
        outcome = anyio.run(_done, replace(job, home=home.base))
    except SyncFailed as error:
        if error.signal is not None:
            raise
        return {"error": error_json(error)}
    except GgrepError as error:
        return {"error": error_json(error)}
    return {"outcome": outcome_json(outcome)}


def outcome_of(reply: dict[str, Any]) -> SyncOutcome:
    """Return what a node has done.

    Raises:
        GgrepError: it failed there.
    """
    if "outcome" in reply:
        return outcome_from(reply["outcome"])
    raise error_from(reply["error"])


async def _done(job: SyncJob) -> SyncOutcome:
    process = SyncProcess()
    try:
        return await process.run(job, lambda _: None)
    finally:
        with anyio.CancelScope(shield=True):
            await process.aclose()
