"""One job of the sync worker: the work of `ggrep index`, with progress and throttling."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from ggrep.base.decode import decode
from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.daemon.throttle import Throttle
from ggrep.model.limits import Notice
from ggrep.model.sync_jobs import SyncJob, SyncOutcome

if TYPE_CHECKING:
    from ggrep.index.sync.sync_report import Progress, SyncProgress
    from ggrep.parse.workers.kept import KeptWorkers
    from ggrep.search.engine.repo_index import RepoIndex

_KEPT_INDEXES: Final = 4


class Listener(Protocol):
    """Receives the progress of a job."""

    def progress(self, stage: str, done: int, total: int) -> None:
        """Take up how far it is."""
        ...

    def used_ms(self) -> int:
        """Return the CPU time since the job began."""
        ...


class Worker:
    """Does jobs one after another and keeps indexes open, as loading an encoder takes seconds."""

    def __init__(
        self,
        listener: Listener,
        new_pace: Callable[[], Throttle],
        wanted: Callable[[str], Sequence[PathKey]] = lambda _: (),
    ) -> None:
        """Do nothing yet.

        Args:
            listener: is told how far a job is.
            new_pace: returns what slows a job down that is to stay behind all others.
            wanted: returns the files that a store's first index is to begin with, as of now.
        """
        self._wanted = wanted
        self._listener = listener
        self._new_pace = new_pace
        self._indexes: list[tuple[int, RepoIndex]] = []
        self._parsers: KeptWorkers | None = None
        self._swept: set[Path] = set()

    def do(self, job: SyncJob) -> SyncOutcome:
        """Do one job.

        Raises:
            InvalidRequest: the settings lead to another store than the one that is meant.
            GgrepError: the sync failed. Upkeep that fails is a notice.
        """
        pace = self._new_pace() if job.low_impact else None
        index = self._index(job)
        found = index.identity.store_id
        if job.store_id and found != job.store_id:
            raise InvalidRequest(f"the settings lead to store {found} now, not to {job.store_id}")

        def advance(progress: "SyncProgress") -> None:
            self._listener.progress(progress.stage, progress.done_files, progress.total_files)
            if pace is not None:
                pace.keep()

        from ggrep.search.engine.sync_outcomes import kept_up, outcome_of

        index.sweep(beside=not (job.abreast and job.home in self._swept))
        self._swept.add(job.home)
        pulled, told = _pull(index, job, advance)
        report = index.sync(
            strict=job.strict,
            allow_degraded=job.allow_degraded,
            fresh=job.fresh,
            early=not job.abreast,
            wanted=lambda: self._wanted(found),
            progress=advance,
        )
        outcome = outcome_of(found, report)
        if job.upkeep:
            self._listener.progress("upkeep", 0, 0)
            compacting = job.compacting and not job.low_impact
            outcome = kept_up(index, outcome, compacting=compacting)
        outcome = replace(outcome, pulled=pulled, notices=(*outcome.notices, *told))
        if job.push:
            outcome = replace(outcome, pushed=_push(index, job))
        if pace is not None:
            pace.settle()
        return replace(outcome, cpu_ms=self._listener.used_ms())

    def _index(self, job: SyncJob) -> "RepoIndex":
        """Return the index of a job's root under the settings as they are now."""
        from ggrep.search.engine.repo_index import Hosted, RepoIndex

        # A worker that steps back has one process to parse, not one for each core.
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

    def _parsers_of(self, job: SyncJob) -> "KeptWorkers | None":
        """Return the parsers of a job that shares the cores with others; None for one alone."""
        if not job.abreast:
            return None
        from ggrep.parse.workers.kept import KeptWorkers

        share = max(1, (os.cpu_count() or 1) // job.abreast)
        if self._parsers is None or self._parsers.most != share:
            self._parsers = KeptWorkers(share)
        return self._parsers


def _pull(index: "RepoIndex", job: SyncJob, progress: "Progress") -> tuple[int, tuple[Notice, ...]]:
    """Return how many files came from the job's remote, and why none could."""
    if not job.pull:
        return 0, ()
    from ggrep.search.engine.travelling import pull_if_possible

    done = pull_if_possible(index, decode(Remote, dict(job.remote)), progress)
    brought = done.report.brought if done.report else 0
    if not done.reason or (done.report and done.report.outcome == "nothing new"):
        return brought, ()
    return brought, (Notice("not_pulled", f"nothing could be pulled: {done.reason}"),)


def _push(index: "RepoIndex", job: SyncJob) -> str:
    """Push; return the object that holds the snapshot."""
    from ggrep.search.engine.travelling import push_to

    return push_to(index, decode(Remote, dict(job.remote))).tree
