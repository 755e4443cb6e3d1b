"""What an engine pushes to a remote and pulls from it."""

import time
from dataclasses import dataclass

from ggrep.base.deadline import Deadline
from ggrep.config.remotes import Remote
from ggrep.index.remote.objects import Traffic, open_objects
from ggrep.index.remote.pull import PullReport, pull
from ggrep.index.remote.push import PushReport, push
from ggrep.index.store.last_used import note_use
from ggrep.index.sync.sync_report import Progress, unheard
from ggrep.search.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Pushed:
    """A push, and what it asked of the remote."""

    report: PushReport
    traffic: Traffic


@dataclass(frozen=True, slots=True)
class Pulled:
    """A pull, and what it asked of the remote."""

    report: PullReport
    traffic: Traffic


def push_to(engine: Engine, remote: Remote, *, again: bool = False) -> Pushed:
    """Push the active snapshot; see `ggrep.index.remote.push.push`.

    Raises:
        NoIndex: nothing was ever published.
    """
    objects = open_objects(remote, time.sleep)
    with (
        engine.target() as target,
        engine.pin(Deadline.never(engine.clock), counted=False) as view,
    ):
        return Pushed(push(target, view, objects, again=again), objects.traffic)


def pull_from(engine: Engine, remote: Remote, progress: Progress = unheard) -> Pulled:
    """Publish what a remote has of the work tree; see `ggrep.index.remote.pull.pull`."""
    objects = open_objects(remote, time.sleep)
    with engine.target() as target:
        report = pull(target, objects, readable=remote.readable, progress=progress)
        if report.outcome == "pulled":
            note_use(engine.identity.store, engine.clock.now())
    return Pulled(report, objects.traffic)
