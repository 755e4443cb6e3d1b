"""Publishes what was fetched: beside what the store shows, or as the very snapshot it was."""

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
from ggrep.index.remote.held import Held
from ggrep.index.remote.layout import TravellingSegment
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


class Placed(Struct, frozen=True):
    """What was published.

    Attributes:
        exact: it is the very snapshot that was pushed.
        brought: files that it shows and the one before did not.
    """

    view: SnapshotView
    exact: bool
    brought: int


def here_of(view: SnapshotView | None) -> Here:
    """Return what a snapshot shows; nothing without one."""
    if view is None:
        return Here({}, {})
    return Here({item.ref.table: item for item in shown_by(view)}, view.live_files())


def place(
    target: SyncTarget, lease: Lease, view: SnapshotView | None, found: Fetched, held: Held
) -> Placed | None:
    """Take fetched segments over into the store and publish; do nothing where that adds nothing.

    Requires: the lease is held and the store prepared.

    Args:
        target: the repository and its store.
        lease: held.
        view: what the store shows; None for nothing.
        found: what was fetched.
        held: what the work tree holds; nothing else becomes visible, unless it was not read.

    Raises:
        Busy: the index changed since it was fetched.
        NotTrusted: a segment has the name of another one.
    """
    here = here_of(view)
    kept = {item.ref.table: item for item in _kept(here, held)}
    before = {key for item in kept.values() for key in _visible(item)}
    exact, facts, name = _facts(target, view, found, held, here)
    if exact:
        snapshot_id = found.tree.snapshot_id
        shown = [
            _with_mask(_segment(target.store, one, found, here), found.masks[one.name])
            for one in found.tree.segments
        ]
        shutil.rmtree(store_files.snapshot_dir(target.store, snapshot_id), ignore_errors=True)
    else:
        snapshot_id = SnapshotId(target.new_id())
        for one in found.tree.segments:
            if one.name in found.brings:
                item = _segment(target.store, one, found, here)
                kept[one.name] = _adding(item, kept.get(one.name), found, before)
        shown = [item for item in kept.values() if item.view.visible_files.any()]
        if view is not None and sum(1 for item in shown for _ in _visible(item)) <= len(before):
            return None  # somebody has indexed them meanwhile
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
    return Placed(published, exact, published.manifest.counts.files_indexed - len(before))


def _facts(
    target: SyncTarget, view: SnapshotView | None, found: Fetched, held: Held, here: Here
) -> tuple[bool, Facts, Name | None]:
    """Return whether it can be the very snapshot that was pushed, and what it stands for.

    It is where the work tree is as it was where the snapshot was made, and nothing more has to be
    fetched for it.
    """
    tree = found.tree
    as_pushed = Facts(
        ignore_fingerprint=tree.ignore_fingerprint,
        git=tree.git,
        problems=tree.errors,
        problems_total=max(tree.errors_total, len(tree.errors)),
        eligible_files=tree.counts.files_eligible,
        partial=False,
    )
    name = Name(StoreId(tree.index_id), tree.created_at)
    told_alike = (tree.ignore_fingerprint, tree.git) == (
        ignore_fingerprint(held.tree.ignore_files),
        held.git,
    )
    have_all = all(one.name in found.brings or here.has(one) for one in tree.segments)
    is_new = not store_files.manifest_file(target.store, tree.snapshot_id).exists() or view is None
    is_own = tree.repo_key == found.repo_key
    if found.is_same and told_alike and have_all and is_new and is_own:
        return True, as_pushed, name
    problems = (*(view.manifest.errors if view else ()), *tree.errors)
    kept = {problem.path_key: problem for problem in problems if problem.path_key in held.present}
    facts = Facts(
        ignore_fingerprint=ignore_fingerprint(held.tree.ignore_files),
        git=held.git,
        problems=tuple(kept[key] for key in sorted(kept))[:MAX_PROBLEMS],
        problems_total=len(kept),
        eligible_files=len(held.present),
        partial=True,
    )
    now = replace(name, created_at=rfc3339(target.clock.now()))
    return False, facts, now if view is None and is_own else None


def _kept(here: Here, held: Held) -> Iterator[ShownSegment]:
    """Yield the segments that are shown already, without files that are gone or hold else."""
    for item in here.segments.values():
        image, mask = item.view.image, item.view.visible_files.copy()
        hashes = image.file_hashes()
        for at in np.flatnonzero(mask).tolist():
            mask[at] = not held.is_outdated(image.path(at), hashes[at])
        yield _with_mask(item, mask)


def _visible(item: ShownSegment) -> Iterator[PathKey]:
    for at in np.flatnonzero(item.view.visible_files).tolist():
        yield item.view.image.path(at)


def _adding(
    item: ShownSegment, shown: ShownSegment | None, found: Fetched, before: set[PathKey]
) -> ShownSegment:
    """Return a segment that shows what it brings, beside what it shows already."""
    brings = found.brings[item.ref.table].copy()
    for at in np.flatnonzero(brings).tolist():
        brings[at] = item.view.image.path(at) not in before
    return _with_mask(item, brings | shown.view.visible_files if shown else brings)


def _with_mask(item: ShownSegment, mask: "np.typing.NDArray[np.bool_]") -> ShownSegment:
    return replace(item, view=SegmentView(item.view.image, mask))


def _segment(store: Path, segment: TravellingSegment, found: Fetched, here: Here) -> ShownSegment:
    """Return a segment of the store: its own, or one that is taken over now."""
    if here.has(segment):
        return here.segments[segment.name]
    image = store_files.image_file(found.aside, segment.name)
    if segment.name not in found.brings or not image.exists():
        raise Busy("the index changed during the pull", retry_after_ms=1000)
    if not _lies_there(store, segment):
        shutil.rmtree(store_files.table_dir(store, segment.name), ignore_errors=True)
        tables = (path for path, _ in table_files(found.aside, segment.name))
        adopt(found.aside, (*tables, image), store)
    file = FileRef(
        image.relative_to(found.aside).as_posix(),
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


def _lies_there(store: Path, segment: TravellingSegment) -> bool:
    """Tell whether an older snapshot of the store has the segment.

    Raises:
        NotTrusted: it has another one of that name.
    """
    if not _is_named(store, segment.name):
        return False
    image = store_files.image_file(store, segment.name)
    try:
        is_same = measure_table(store, segment.name) == (segment.size_bytes, segment.sha256)
    except CorruptStore:
        return False  # it is lost, and comes back now
    if not is_same or measure_file(image) != (segment.image.size_bytes, segment.image.sha256):
        raise NotTrusted(f"the store already has a different segment named {segment.name}")
    return True


def _is_named(store: Path, name: SegmentName) -> bool:
    return any(
        ref.table == name for manifest in manifests_newest_first(store) for ref in manifest.segments
    )
