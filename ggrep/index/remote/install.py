"""Publishes a fetched tree: adds it to the store's snapshot, or publishes it as it was pushed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import rfc3339
from ggrep.base.durable import reach
from ggrep.base.errors import Busy, CorruptStore, NotTrusted
from ggrep.base.ids import PathKey, SegmentName, SnapshotId, StoreId
from ggrep.base.lease import Lease
from ggrep.config import store_files
from ggrep.config.fingerprints import ignore_fingerprint
from ggrep.index.remote.fetching import Fetched, Here
from ggrep.index.remote.layout import RemoteSegment, Tree
from ggrep.index.remote.work_tree_digests import WorkTreeDigests
from ggrep.index.store.adoption import adopt
from ggrep.index.store.disk import measure_file
from ggrep.index.store.manifest import MAX_PROBLEMS, FileRef, SegmentRef
from ggrep.index.store.segment_image import open_segment_image
from ggrep.index.store.tables import measure_table, table_files
from ggrep.index.store.view import SegmentView, SnapshotView, manifests_newest_first
from ggrep.index.sync.snapshot_assembly import (
    Facts,
    Name,
    ShownSegment,
    publish_snapshot,
    shown_by,
)
from ggrep.index.sync.target import SyncTarget


class Installed(Struct, frozen=True):
    """The published snapshot.

    Attributes:
        exact: whether it is exactly the pushed snapshot.
        brought: number of added visible files.
    """

    view: SnapshotView
    exact: bool
    brought: int


def here_of(view: SnapshotView | None) -> Here:
    """Return the content of a snapshot; empty without a snapshot."""
    if view is None:
        return Here({}, {})
    return Here({item.ref.table: item for item in shown_by(view)}, view.live_files())


def install(
    target: SyncTarget,
    lease: Lease,
    view: SnapshotView | None,
    fetched: Fetched,
    work_tree: WorkTreeDigests,
) -> Installed | None:
    """Move fetched segments into the store and publish them; do nothing if they add no file.

    Requires: the caller holds the lease and has prepared the store.

    Args:
        target: the repository and its store.
        lease: the store's writer lease.
        view: the store's snapshot; None without one.
        fetched: the fetched tree.
        work_tree: the files of the work tree. If their digests are known, only files with these
            digests become visible.

    Raises:
        Busy: the index changed during the fetch.
        NotTrusted: a fetched segment has the name of another segment in the store.
    """
    here = here_of(view)
    kept = {item.ref.table: item for item in _kept(here, work_tree)}
    before = {key for item in kept.values() for key in _visible(item)}
    exact, facts, name = _facts(target, view, fetched, work_tree, here)
    if exact:
        snapshot_id = fetched.tree.snapshot_id
        shown = [
            _with_mask(_segment(target.store, each, fetched, here), fetched.masks[each.name])
            for each in fetched.tree.segments
        ]
        shutil.rmtree(store_files.snapshot_dir(target.store, snapshot_id), ignore_errors=True)
    else:
        snapshot_id = SnapshotId(target.new_id())
        for each in fetched.tree.segments:
            if each.name in fetched.brings:
                item = _segment(target.store, each, fetched, here)
                kept[each.name] = _adding(item, kept.get(each.name), fetched, before)
        shown = [item for item in kept.values() if item.view.visible_files.any()]
        if view is not None and sum(1 for item in shown for _ in _visible(item)) <= len(before):
            return None  # another process has indexed the files meanwhile
    reach("pull.after_placement")
    published = publish_snapshot(
        target,
        lease,
        snapshot_id,
        shown,
        facts,
        parent=None if exact or view is None else view.manifest,
        additions=None,
        name=name,
    )
    return Installed(published, exact, published.manifest.counts.files_indexed - len(before))


def install_whole(target: SyncTarget, lease: Lease, fetched: Fetched) -> SnapshotView:
    """Publish a fetched tree as it was pushed, in a store without another snapshot.

    Requires: the caller holds the lease and has prepared the store.
    """
    tree, nothing = fetched.tree, Here({}, {})
    shown = [
        _with_mask(_segment(target.store, each, fetched, nothing), fetched.masks[each.name])
        for each in tree.segments
    ]
    name = Name(StoreId(tree.index_id), tree.created_at)
    return publish_snapshot(
        target,
        lease,
        tree.snapshot_id,
        shown,
        _facts_as_pushed(tree),
        parent=None,
        additions=None,
        name=name,
    )


def _facts_as_pushed(tree: Tree) -> Facts:
    return Facts(
        ignore_fingerprint=tree.ignore_fingerprint,
        git=tree.git,
        problems=tree.errors,
        problems_total=max(tree.errors_total, len(tree.errors)),
        eligible_files=tree.counts.files_eligible,
        partial=False,
    )


def _facts(
    target: SyncTarget,
    view: SnapshotView | None,
    fetched: Fetched,
    work_tree: WorkTreeDigests,
    here: Here,
) -> tuple[bool, Facts, Name | None]:
    """Return whether the published snapshot is exactly the pushed one, and its facts and name.

    The snapshot is exact if the work tree equals the pushed work tree, and all segments are in the
    store or were fetched.
    """
    tree = fetched.tree
    name = Name(StoreId(tree.index_id), tree.created_at)
    told_alike = (tree.ignore_fingerprint, tree.git) == (
        ignore_fingerprint(work_tree.tree.ignore_files),
        work_tree.git,
    )
    have_all = all(each.name in fetched.brings or here.has(each) for each in tree.segments)
    is_new = not store_files.manifest_file(target.store, tree.snapshot_id).exists() or view is None
    is_own = tree.repo_key == fetched.repo_key
    if fetched.is_same and told_alike and have_all and is_new and is_own:
        return True, _facts_as_pushed(tree), name
    problems = (*(view.manifest.errors if view else ()), *tree.errors)
    kept = {
        problem.path_key: problem for problem in problems if problem.path_key in work_tree.present
    }
    facts = Facts(
        ignore_fingerprint=ignore_fingerprint(work_tree.tree.ignore_files),
        git=work_tree.git,
        problems=tuple(kept[key] for key in sorted(kept))[:MAX_PROBLEMS],
        problems_total=len(kept),
        eligible_files=len(work_tree.present),
        partial=True,
    )
    now = replace(name, created_at=rfc3339(target.clock.now()))
    return False, facts, now if view is None and is_own else None


def _kept(here: Here, work_tree: WorkTreeDigests) -> Iterator[ShownSegment]:
    """Yield the store's segments, without files that are deleted or have another content now."""
    for item in here.segments.values():
        image, mask = item.view.image, item.view.visible_files.copy()
        hashes = image.file_hashes()
        for at in np.flatnonzero(mask).tolist():
            mask[at] = not work_tree.is_outdated(image.path(at), hashes[at])
        yield _with_mask(item, mask)


def _visible(item: ShownSegment) -> Iterator[PathKey]:
    for at in np.flatnonzero(item.view.visible_files).tolist():
        yield item.view.image.path(at)


def _adding(
    item: ShownSegment, shown: ShownSegment | None, fetched: Fetched, before: set[PathKey]
) -> ShownSegment:
    """Return a segment with the files that it adds and those that are already visible."""
    brings = fetched.brings[item.ref.table].copy()
    for at in np.flatnonzero(brings).tolist():
        brings[at] = item.view.image.path(at) not in before
    return _with_mask(item, brings | shown.view.visible_files if shown else brings)


def _with_mask(item: ShownSegment, mask: "np.typing.NDArray[np.bool_]") -> ShownSegment:
    return replace(item, view=SegmentView(item.view.image, mask))


def _segment(store: Path, segment: RemoteSegment, fetched: Fetched, here: Here) -> ShownSegment:
    """Return a segment of the store; move it from the fetched directory if the store lacks it."""
    if here.has(segment):
        return here.segments[segment.name]
    image = store_files.image_file(fetched.aside, segment.name)
    if segment.name not in fetched.brings or not image.exists():
        raise Busy("the index changed during the pull", retry_after_ms=1000)
    if not _lies_there(store, segment):
        shutil.rmtree(store_files.table_dir(store, segment.name), ignore_errors=True)
        tables = (path for path, _ in table_files(fetched.aside, segment.name))
        adopt(fetched.aside, (*tables, image), store)
    file = FileRef(
        image.relative_to(fetched.aside).as_posix(),
        0,
        segment.image.size_bytes,
        segment.image.sha256,
        "image",
    )
    ref = SegmentRef(
        kind=segment.kind,
        table=segment.name,
        rows=segment.rows,
        files=segment.files,
        size_bytes=segment.size_bytes,
        sha256=segment.sha256,
        image=file,
        path=store_files.table_dir(store, segment.name).name,
    )
    placed = open_segment_image(store, segment.name)
    return ShownSegment(ref, SegmentView(placed, np.zeros(segment.files, dtype=np.bool_)))


def _lies_there(store: Path, segment: RemoteSegment) -> bool:
    """Return whether an older snapshot of the store has the segment."""
    if not _is_named(store, segment.name):
        return False
    image = store_files.image_file(store, segment.name)
    try:
        is_same = measure_table(store, segment.name) == (segment.size_bytes, segment.sha256)
    except CorruptStore:
        return False  # the store's copy is damaged, and is replaced now
    if not is_same or measure_file(image) != (segment.image.size_bytes, segment.image.sha256):
        raise NotTrusted(f"the store already has a different segment named {segment.name}")
    return True


def _is_named(store: Path, name: SegmentName) -> bool:
    return any(
        ref.table == name for manifest in manifests_newest_first(store) for ref in manifest.segments
    )
