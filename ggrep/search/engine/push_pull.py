"""Pushes snapshots to a remote and pulls them from it."""

import time

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, InvalidRequest, RemoteError, StoreError
from ggrep.config.remotes import Remote
from ggrep.index.remote.objects import open_objects
from ggrep.index.remote.pull import PullReport, pull
from ggrep.index.remote.push import push
from ggrep.index.store.last_used import note_use
from ggrep.index.sync.sync_report import Progress, unheard
from ggrep.model.maintenance import PushReport, Traffic
from ggrep.search.engine.repo_index import RepoIndex


class Pulled(Struct, frozen=True):
    """The result of a pull.

    Attributes:
        remote: the remote; None if no remote is configured.
        report: None if the pull failed.
        traffic: the requests to the remote; None if there were none.
        reason: the reason if no snapshot was pulled; empty otherwise.
    """

    remote: Remote | None
    report: PullReport | None = None
    traffic: Traffic | None = None
    reason: str = ""


def push_to(index: RepoIndex, remote: Remote, *, again: bool = False) -> PushReport:
    """Push the active snapshot; see `ggrep.index.remote.push.push`.

    Raises:
        NoIndex: nothing was ever published.
    """
    since_ms = index.clock.monotonic_ms()
    objects = open_objects(remote, time.sleep, making=True)
    with (
        index.target() as target,
        index.pin(Deadline.never(index.clock), counted=False) as view,
    ):
        report = push(target, view, objects, again=again)
    return replace(report, duration_ms=int(index.clock.monotonic_ms() - since_ms))


def pull_from(index: RepoIndex, remote: Remote, progress: Progress = unheard) -> Pulled:
    """Pull and publish a remote's snapshot of the work tree; see `ggrep.index.remote.pull.pull`."""
    objects = open_objects(remote, time.sleep)
    with index.target() as target:
        report = pull(target, objects, readable=remote.readable, progress=progress)
        if report.outcome == "pulled":
            note_use(index.identity.store, index.clock.now())
    reason = ""
    if report.outcome == "nothing":
        reason = "; ".join(report.passed_over)
        reason = (
            reason or "the remote has no snapshot of these files from the same build and settings"
        )
    elif report.outcome == "nothing new":
        reason = "the remote has none of the files that are missing in the index"
    return Pulled(remote, report, objects.traffic, reason)


def pull_if_possible(index: RepoIndex, remote: Remote, progress: Progress = unheard) -> Pulled:
    """Pull like `pull_from`; return a failure as `reason`, so that the caller can index instead."""
    try:
        return pull_from(index, remote, progress)
    except (RemoteError, InvalidRequest, StoreError, Busy) as error:
        return Pulled(remote, reason=str(error))
