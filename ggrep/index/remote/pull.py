"""Pulls the nearest snapshot of a remote into a store, as far as the work tree holds its files.

Nothing of a remote is shown that this checkout does not hold byte for byte: each file is read and
hashed once, and only rows of equal digests become visible. What is remembered of these files spares
the next sync reading them again, so it reads what differs and nothing else.

Everything is fetched and verified before anything is locked. Under the writer lease the store takes
it over, by links, and publishes it as any other snapshot: all of it or nothing.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.durable import reach
from ggrep.base.errors import NoIndex, StoreError
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.index.remote.fetching import Fetched, Fetcher, Here
from ggrep.index.remote.held import Held, held_by
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.placing import Placed, here_of, place
from ggrep.index.remote.push import key_of
from ggrep.index.store.judging import open_active
from ggrep.index.store.store_opening import admit_writer
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync import stat_cache
from ggrep.index.sync.sync_report import Progress, SyncProgress, unheard
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import open_parent, writing
from ggrep.parse.source.walk import root_identity

Outcome = Literal["pulled", "current", "nothing", "nothing new", "failed"]


class PullReport(Struct, frozen=True):
    """What a pull did.

    Attributes:
        outcome: `pulled`; `current` where the index holds all files as they are; `nothing` where
            the remote has no snapshot that could be taken, `nothing new` where those that it has
            hold none of the files that are missing here; `failed` where there is no report.
        exact: the snapshot is the very one that was pushed.
        files: of the work tree that the index holds now, of `of_files` there are.
        fetched_bytes: what came over the wire.
        passed_over: why trees of the remote were not taken, one line each.
    """

    outcome: Outcome
    snapshot_id: SnapshotId | None
    repo_key: str | None
    exact: bool = False
    commit: str | None = None
    files: int = 0
    of_files: int = 0
    brought: int = 0
    fetched_bytes: int = 0
    passed_over: tuple[str, ...] = ()


def pull(
    target: SyncTarget, objects: Objects, *, readable: bool, progress: Progress = unheard
) -> PullReport:
    """Publish what a remote has of a work tree.

    Args:
        target: the repository.
        objects: the remote's.
        readable: show what was pushed before the files are compared; a sync compares them.
        progress: told how far it is.

    Raises:
        InvalidRequest: nothing tells who the repository is.
        RemoteError: the remote fails; the index is as it was.
        Busy: another writer holds the store, or changed it meanwhile.
        StoreError: the store cannot be written.
    """
    key = key_of(target)
    admit_writer(target.store, shared=target.settings.shared_store)
    here = here_of(_shown(target))
    with Fetcher(target, objects) as fetcher:
        if not here.live:
            fetcher.begin()
        held = held_by(target, progress, reading=not readable)
        report = PullReport("current", None, key, files=len(here.live), of_files=len(held.present))
        if here.live and _is_current(here, held):
            return report
        progress(SyncProgress("fetch", len(held.present), len(held.present)))
        found = fetcher.nearest(key, held, here)
        passed_over = tuple(fetcher.passed_over)
        if found is None:
            outcome: Outcome = "nothing" if not fetcher.seen else "nothing new"
            return replace(report, outcome=outcome, passed_over=passed_over)
        reach("pull.after_fetch")
        placed = _placed(target, found, held)
        fetcher.forget(found.tree)
    if placed is None:
        return report
    manifest = placed.view.manifest
    return replace(
        report,
        outcome="pulled",
        snapshot_id=manifest.snapshot_id,
        exact=placed.exact,
        commit=found.candidate.commit,
        files=manifest.counts.files_indexed,
        brought=placed.brought,
        fetched_bytes=objects.traffic.bytes_down,
        passed_over=passed_over,
    )


def _is_current(here: Here, held: Held) -> bool:
    digests = held.digests
    return digests is not None and all(here.live.get(key) == digests[key] for key in digests)


def _shown(target: SyncTarget) -> SnapshotView | None:
    try:
        return open_active(target.store, store_id=target.store_id)
    except (NoIndex, StoreError):
        return None  # one that is damaged is for whoever writes


def _placed(target: SyncTarget, found: Fetched, held: Held) -> Placed | None:
    with writing(target) as lease:
        view = open_parent(target)
        prepare_store(target.store, lease)
        if root_identity(target.root) != held.tree.root:
            raise StoreError("the root was removed or replaced while it was read")
        placed = place(target, lease, view, found, held)
        file = store_files.stat_cache_file(target.store)
        stat_cache.save(file, held.known, read_at_ns=held.read_at_ns)
    return placed
