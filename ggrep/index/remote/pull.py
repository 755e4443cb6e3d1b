"""Pulls the best snapshot of a remote into a store, restricted to files of the work tree.

Only files that this checkout contains byte for byte become visible: each file is read and hashed
once, and only files with equal digests are shown. Stats and digests are stored, so that the next
sync reads only the files that differ.

Everything is fetched and verified before the store is locked. With the writer lease, the fetched
files are then linked into the store and published atomically, like any other snapshot.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.durable import reach
from ggrep.base.errors import NoIndex, StoreError
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.index.remote.fetching import Fetched, Fetcher, Here
from ggrep.index.remote.install import Installed, here_of, install
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.push import key_of
from ggrep.index.remote.work_tree_digests import WorkTreeDigests, digest_work_tree
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
    """The result of a pull.

    Attributes:
        outcome: `pulled`; `current` if the index already contains all files as they are; `nothing`
            if the remote has no usable snapshot; `nothing new` if its snapshots contain none of the
            missing files; `failed` if an error or a missing remote prevented the pull.
        exact: whether the snapshot is exactly the pushed one.
        files: number of indexed files after the pull.
        of_files: number of files in the work tree.
        fetched_bytes: number of fetched bytes.
        passed_over: why trees of the remote were rejected, one line each.
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
    """Publish those files of a remote's best snapshot that the work tree contains.

    Args:
        target: the repository.
        objects: the objects of the remote.
        readable: whether pushed files become visible without a comparison with the work tree; the
            next sync compares them.
        progress: called with the progress.

    Raises:
        InvalidRequest: the repository has no key.
        RemoteError: the remote fails; the index is unchanged.
        Busy: another writer has the store's lease, or changed the store meanwhile.
        StoreError: the store cannot be written.
    """
    key = key_of(target)
    admit_writer(target.store, shared=target.settings.shared_store)
    here = here_of(_shown(target))
    with Fetcher(target, objects) as fetcher:
        if not here.live:
            fetcher.begin()
        work_tree = digest_work_tree(target, progress, reading=not readable)
        report = PullReport(
            "current", None, key, files=len(here.live), of_files=len(work_tree.present)
        )
        if here.live and _is_current(here, work_tree):
            return report
        progress(SyncProgress("fetch", len(work_tree.present), len(work_tree.present)))
        fetched = fetcher.nearest(key, work_tree, here)
        passed_over = tuple(fetcher.passed_over)
        if fetched is None:
            outcome: Outcome = "nothing" if not fetcher.seen else "nothing new"
            return replace(report, outcome=outcome, passed_over=passed_over)
        reach("pull.after_fetch")
        installed = _installed(target, fetched, work_tree)
        fetcher.forget(fetched.tree)
    if installed is None:
        return report
    manifest = installed.view.manifest
    return replace(
        report,
        outcome="pulled",
        snapshot_id=manifest.snapshot_id,
        exact=installed.exact,
        commit=fetched.candidate.commit,
        files=manifest.counts.files_indexed,
        brought=installed.brought,
        fetched_bytes=objects.traffic.bytes_down,
        passed_over=passed_over,
    )


def _is_current(here: Here, work_tree: WorkTreeDigests) -> bool:
    digests = work_tree.digests
    return digests is not None and all(here.live.get(key) == digests[key] for key in digests)


def _shown(target: SyncTarget) -> SnapshotView | None:
    try:
        return open_active(target.store, store_id=target.store_id)
    except (NoIndex, StoreError):
        return None  # writers handle a damaged snapshot


def _installed(
    target: SyncTarget, fetched: Fetched, work_tree: WorkTreeDigests
) -> Installed | None:
    with writing(target) as lease:
        view = open_parent(target)
        prepare_store(target.store, lease)
        if root_identity(target.root) != work_tree.tree.root:
            raise StoreError("the root was removed or replaced while it was read")
        placed = install(target, lease, view, fetched, work_tree)
        file = store_files.stat_cache_file(target.store)
        stat_cache.save(file, work_tree.known, read_at_ns=work_tree.read_at_ns)
    return placed
