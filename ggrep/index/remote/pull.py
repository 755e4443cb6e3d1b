"""Pulls the nearest snapshot of a remote into a store, as far as the work tree holds its files.

Nothing of a remote is shown that this checkout does not hold byte for byte: each file is read and
hashed once, and only rows of equal digests become visible. What is remembered of these files spares
the next sync reading them again, so it reads what differs and nothing else.

Blobs are fetched before anything is locked, into the home's cache, each verified on the way. A
pull that dies leaves them there; the next one takes them up. They are put together in a directory
laid out as a store, and verified there. Under the writer lease the store takes them over, by links,
and publishes them as any other snapshot: all of it or nothing.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ggrep.base import durable
from ggrep.base.clock import rfc3339
from ggrep.base.errors import Incompatible, NoIndex, NotTrusted, StoreError
from ggrep.base.faults import reach
from ggrep.base.ids import PathKey, SegmentName, SnapshotId, StoreId
from ggrep.base.lease import Lease
from ggrep.base.processes import start_ticks
from ggrep.config import names
from ggrep.config.fingerprints import ignore_fingerprint
from ggrep.config.home import Home
from ggrep.index.remote import layout
from ggrep.index.remote.documents import tree_at
from ggrep.index.remote.image_checks import require_image
from ggrep.index.remote.layout import Blob, States, TravellingSegment, Tree
from ggrep.index.remote.nearest import Candidate, candidates, git_tree
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.packing import unpack
from ggrep.index.remote.push import key_of
from ggrep.index.store.adoption import adopt
from ggrep.index.store.disk import measure_file
from ggrep.index.store.image import open_image
from ggrep.index.store.manifest import MAX_PROBLEMS, FileRef, Problem, SegmentRef
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.store_opening import admit_writer
from ggrep.index.store.tables import measure_table, table_files
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SegmentView, SnapshotView, open_active
from ggrep.index.sync import stat_cache
from ggrep.index.sync.one_state import Found, OneState, TreeMoved
from ggrep.index.sync.snapshot_assembly import (
    Facts,
    Name,
    ShownSegment,
    publish_snapshot,
    shown_by,
)
from ggrep.index.sync.stat_cache import Known, KnownFile
from ggrep.index.sync.sync_report import Progress, SyncProgress, unheard
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import open_parent, writing
from ggrep.model.response import GitState
from ggrep.model.source import SourceFile
from ggrep.parse.source.git_state import git_state
from ggrep.parse.source.read import read_digest
from ggrep.parse.source.walk import Walk, root_identity, walk

_ASIDE: Final = "pull-"
_MOST_TRIED: Final = 4
"""Trees that are looked at before it is given up."""
_SPARE_BYTES: Final = 64 << 20
"""Of the disk, beyond what is fetched and put into the store."""


@dataclass(frozen=True, slots=True)
class PullReport:
    """What a pull did.

    Attributes:
        outcome: `pulled`; `current` where the index holds all files as they are; `nothing` where
            the remote has none of them.
        exact: the snapshot is the very one that was pushed.
        files: of the work tree that the index holds now, of `of_files` there are.
        fetched_bytes: what came over the wire.
        passed_over: why trees of the remote were not taken, one line each.
    """

    outcome: Literal["pulled", "current", "nothing"]
    snapshot_id: SnapshotId | None
    repo_key: str
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
        Busy: another writer holds the store.
        StoreError: the store cannot be written.
    """
    return _Pull(target, objects, progress, readable=readable).run()


@dataclass(frozen=True, slots=True)
class _Held:
    """What the work tree holds.

    Attributes:
        digests: of the files that could be read; None where none was read.
        known: what is remembered of them.
    """

    tree: Walk
    digests: Mapping[PathKey, str] | None
    known: Mapping[PathKey, Known]
    git: GitState | None
    read_at_ns: int

    def has(self, key: PathKey, digest: str) -> bool:
        """Tell whether the work tree holds a file of that content."""
        return self.digests is None or self.digests.get(key) == digest


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A tree, and those of its segments that the work tree holds files of.

    Attributes:
        shown: per segment, bool (files,): what it adds.
        visible: files that the tree shows.
    """

    tree: Tree
    candidate: Candidate
    images: Mapping[SegmentName, SegmentImage]
    shown: Mapping[SegmentName, npt.NDArray[np.bool_]]
    visible: int

    @property
    def files(self) -> int:
        """Return how many files it brings."""
        return sum(int(mask.sum()) for mask in self.shown.values())


class _Pull:
    def __init__(
        self, target: SyncTarget, objects: Objects, progress: Progress, *, readable: bool
    ) -> None:
        self._target, self._objects, self._progress = target, objects, progress
        self._readable = readable
        self._cache = Home.of_store(target.store).fetched
        self._aside = self._cache / f"{_ASIDE}{os.getpid()}-{target.new_id()}"
        self._passed_over: list[str] = []

    def run(self) -> PullReport:
        target = self._target
        key = key_of(target)
        admit_writer(target.store, shared=target.settings.shared_store)
        live = self._live()
        held = self._held()
        digests = held.digests
        report = PullReport("current", None, key, of_files=len(held.tree.files))
        if live and digests is not None and all(live.get(k) == d for k, d in digests.items()):
            return replace(report, files=len(live))
        try:
            _sweep(self._cache)
            durable.make_directory(names.images_dir(self._aside))
            return self._bring(report, held, live)
        finally:
            shutil.rmtree(self._aside, ignore_errors=True)

    def _bring(self, report: PullReport, held: _Held, live: Mapping[PathKey, str]) -> PullReport:
        target = self._target
        found = self._find(report.repo_key, held, live)
        if found is None:
            told = tuple(self._passed_over)
            return replace(report, outcome="nothing", files=len(live), passed_over=told)
        reach("pull.after_fetch")
        with writing(target) as lease:
            report = self._publish(lease, found, held, report)
        self._forget(found.tree)
        return report

    def _live(self) -> dict[PathKey, str]:
        try:
            return open_active(self._target.store, store_id=self._target.store_id).live_files()
        except (NoIndex, StoreError):
            return {}  # one that is damaged is for whoever writes

    def _held(self) -> _Held:
        """Return what the work tree holds, all of it of one state of git's."""
        one = OneState(self._target, self._walk, self._progress)
        found = one.begin()
        known: dict[PathKey, Known] = {}
        read = partial(_files, known)
        while True:
            try:
                if not self._readable:
                    known |= self._read(found)
                found = one.confirm(found, read)
                break
            except TreeMoved as moved:
                found = moved.found
                known.clear()
        git = git_state(
            self._target.root, untracked_included=self._target.settings.include_untracked
        )
        digests = {key: it.digest for key, it in known.items() if isinstance(it, KnownFile)}
        return _Held(found.tree, None if self._readable else digests, known, git, found.read_at_ns)

    def _walk(self) -> tuple[Walk, tuple[Problem, ...]]:
        apart = Home.of_store(self._target.store).own_directories
        return walk(self._target.root, self._target.settings, apart=apart), ()

    def _read(self, found: Found) -> Iterator[tuple[PathKey, Known]]:
        """Yield what is known of each file; those that did not change since are not read."""
        target = self._target
        before = stat_cache.load(names.stat_cache_file(target.store))
        most, total = target.settings.max_file_size_bytes, len(found.tree.files)
        for done, file in enumerate(found.tree.files):
            memory = before.get(file.path_key)
            if memory is not None and memory.file == file:
                yield file.path_key, memory
            elif (now := read_digest(target.root, file, max_bytes=most)) is not None:
                yield file.path_key, KnownFile(*now)
            self._progress(SyncProgress("compare", done, total))

    def _find(self, key: str, held: _Held, live: Mapping[PathKey, str]) -> _Fetched | None:
        """Return the nearest tree that verifies and brings something."""
        target = self._target
        commit = held.git.head_sha if held.git else None
        states = States(
            git_tree(target.root, commit) if commit else None,
            layout.files_state(held.digests or {}),
        )
        keys = (key, target.config_fingerprint)
        near = candidates(self._objects, target.root, keys, states, commit)
        for candidate in islice(near, _MOST_TRIED):
            try:
                found = self._looked_at(candidate, held, live)
                if found.files:
                    self._tables(found)
                    return found
            except NotTrusted as error:
                self._passed_over.append(str(error))
        return None

    def _tables(self, found: _Fetched) -> None:
        """Fetch the tables of the segments that are taken, and unpack them aside.

        Raises:
            NotTrusted: one is not what the tree says.
        """
        for segment in found.tree.segments:
            if segment.name not in found.shown:
                continue
            goal = names.table_dir(self._aside, segment.name)
            shutil.rmtree(goal, ignore_errors=True)
            durable.make_directory(goal)
            unpack(self._blob(segment.table), goal)
            if measure_table(self._aside, segment.name) != (segment.size_bytes, segment.sha256):
                raise NotTrusted(f"{segment.table.key} is not the table of {segment.name}")

    def _looked_at(
        self, candidate: Candidate, held: _Held, live: Mapping[PathKey, str]
    ) -> _Fetched:
        """Return a tree and what it would bring; its images and masks are here then.

        Raises:
            NotTrusted: something of it is not what was published, or fits no store of ours.
        """
        tree = self._tree(candidate.tree)
        masks = open_image(self._blob(tree.masks)).arrays
        images: dict[SegmentName, SegmentImage] = {}
        shown: dict[SegmentName, npt.NDArray[np.bool_]] = {}
        visible = 0
        taken: set[PathKey] = set()
        for segment in tree.segments:
            image = self._image(segment)
            mask = _trusted_mask(masks, segment)
            visible += int(mask.sum())
            brings = np.zeros(segment.files, dtype=np.bool_)
            files = zip(image.paths(), image.file_hashes(), mask.tolist(), strict=True)
            for place, (key, digest, live_there) in enumerate(files):
                if live_there and live.get(key) != digest and held.has(key, digest):
                    if key in taken:
                        raise NotTrusted(f"trees/{candidate.tree.sha256} shows a file twice")
                    taken.add(key)
                    brings[place] = True
            if brings.any():
                images[segment.name], shown[segment.name] = image, brings
        return _Fetched(tree, candidate, images, shown, visible)

    def _image(self, segment: TravellingSegment) -> SegmentImage:
        """Return a segment's image, once its arrays are such as a segment's can be.

        Raises:
            NotTrusted: they are not.
        """
        place = names.image_file(self._aside, segment.name)
        place.unlink(missing_ok=True)
        place.hardlink_to(self._blob(segment.image))
        try:
            image = open_segment_image(self._aside, segment.name)
            require_image(image, segment.rows, segment.files)
        except (StoreError, Incompatible, ValueError, KeyError, TypeError) as error:
            raise NotTrusted(f"{segment.image.key} is no image: {error}"[:200]) from error
        return image

    def _tree(self, wanted: Blob) -> Tree:
        tree = tree_at(self._objects, wanted)
        if tree is None:
            raise NotTrusted(f"{self._objects.name}: {layout.tree_key(wanted)} is missing")
        target = self._target
        if tree.config_fingerprint != target.config_fingerprint or (
            tree.embed_config_fingerprint != target.embed_config_fingerprint
        ):
            raise NotTrusted(f"{layout.tree_key(wanted)} is of another configuration")
        most = target.settings.max_store_bytes
        size = sum(blob.size_bytes for blob in tree.blobs())
        if most and size > most:
            raise NotTrusted(
                f"{layout.tree_key(wanted)} is of {size} bytes, max_store_bytes is {most}"
            )
        free = shutil.disk_usage(self._cache).free
        if 2 * size + _SPARE_BYTES > free:
            raise NotTrusted(
                f"{layout.tree_key(wanted)} is of {size} bytes; the disk has {free} left, and it"
                " takes twice as much while it is put into place"
            )
        return tree

    def _blob(self, blob: Blob) -> Path:
        """Return a blob's file in the cache, fetched unless it lies there."""
        file = self._cache / blob.sha256
        if not file.exists() or measure_file(file) != (blob.size_bytes, blob.sha256):
            self._objects.fetch(blob.key, file, blob.size_bytes, blob.sha256)
        return file

    def _publish(
        self, lease: Lease, found: _Fetched, held: _Held, report: PullReport
    ) -> PullReport:
        """Put the fetched segments beside what is shown already, and publish both."""
        target = self._target
        view = open_parent(target)
        prepare_store(target.store, lease)
        own = list(_kept(view, held))
        own_live = {key for item in own for key in _visible(item)}
        brought = [
            self._placed(segment, found, own_live)
            for segment in found.tree.segments
            if segment.name in found.shown
        ]
        reach("pull.after_placement")
        shown = [*own, *(item for item in brought if item.view.visible_files.any())]
        if root_identity(target.root) != held.tree.root:
            raise StoreError("the root vanished or was replaced while it was read")
        exact, snapshot_id, facts, name = self._facts(view, found, held)
        if exact:  # of a pull that died
            shutil.rmtree(names.snapshot_dir(target.store, snapshot_id), ignore_errors=True)
        published = publish_snapshot(
            target,
            lease,
            snapshot_id,
            shown,
            facts,
            parent=view.manifest if view else None,
            additions=None,
            name=name,
        )
        stat_cache.save(names.stat_cache_file(target.store), held.known, read_at_ns=held.read_at_ns)
        files = published.manifest.counts.files_indexed
        return replace(
            report,
            outcome="pulled",
            snapshot_id=snapshot_id,
            exact=exact,
            commit=found.candidate.commit,
            files=files,
            brought=files - len(own_live),
            fetched_bytes=self._objects.traffic.bytes_down,
            passed_over=tuple(self._passed_over),
        )

    def _facts(
        self, view: SnapshotView | None, found: _Fetched, held: _Held
    ) -> tuple[bool, SnapshotId, Facts, Name | None]:
        """Return whether it is the very snapshot that was pushed, and what it is called and says.

        It is where nothing was indexed here and the work tree is as it was where it was made.
        """
        tree, target = found.tree, self._target
        as_pushed = Facts(
            ignore_fingerprint=tree.ignore_fingerprint,
            git=tree.git,
            problems=tree.errors,
            problems_total=max(tree.errors_total, len(tree.errors)),
            eligible_files=tree.counts.files_eligible,
            partial=False,
        )
        here = replace(
            as_pushed,
            ignore_fingerprint=ignore_fingerprint(held.tree.ignore_files),
            git=held.git,
        )
        name = Name(StoreId(tree.index_id), tree.created_at)
        whole = view is None and found.files == found.visible
        if whole and (here == as_pushed or self._readable):
            return True, tree.snapshot_id, as_pushed, name
        problems = (*(view.manifest.errors if view else ()), *tree.errors)
        present = {file.path_key for file in held.tree.files}
        kept = {p.path_key: p for p in problems if p.path_key in present}
        here = replace(
            here,
            problems=tuple(kept[key] for key in sorted(kept))[:MAX_PROBLEMS],
            problems_total=len(kept),
            eligible_files=len(held.tree.files),
            partial=True,
        )
        now = replace(name, created_at=rfc3339(target.clock.now()))
        return False, SnapshotId(target.new_id()), here, None if view else now

    def _placed(
        self, segment: TravellingSegment, found: _Fetched, own: set[PathKey]
    ) -> ShownSegment:
        """Take a segment over into the store; return what it adds to `own`."""
        store, aside = self._target.store, self._aside
        shutil.rmtree(names.table_dir(store, segment.name), ignore_errors=True)  # of who died
        image = names.image_file(aside, segment.name)
        tables = (path for path, _ in table_files(aside, segment.name))
        adopt(aside, (*tables, image), store)
        placed = open_segment_image(store, segment.name)
        mask = found.shown[segment.name].copy()
        for place in np.flatnonzero(mask):
            mask[place] = placed.path(int(place)) not in own
        file = FileRef(
            image.relative_to(aside).as_posix(),
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
            path=names.table_dir(store, segment.name).name,
        )
        return ShownSegment(ref, SegmentView(placed, mask))

    def _forget(self, tree: Tree) -> None:
        """Remove what lies in the store now from the cache."""
        for blob in tree.blobs():
            with suppress(OSError):
                (self._cache / blob.sha256).unlink()


def _kept(view: SnapshotView | None, held: _Held) -> Iterator[ShownSegment]:
    """Yield the segments that are shown already, without files that are another's or gone."""
    if view is None:
        return
    digests = held.digests or {}
    present = {file.path_key for file in held.tree.files}
    for item in shown_by(view):
        mask = item.view.visible_files.copy()
        files = zip(item.view.image.paths(), item.view.image.file_hashes(), strict=True)
        for place, (key, digest) in enumerate(files):
            if not mask[place]:
                continue
            gone = key not in present and held.tree.knows(key)
            mask[place] = not gone and digests.get(key, digest) == digest
        if mask.any():
            yield ShownSegment(item.ref, SegmentView(item.view.image, mask))


def _visible(item: ShownSegment) -> Iterator[PathKey]:
    for key, shown in zip(item.view.image.paths(), item.view.visible_files.tolist(), strict=True):
        if shown:
            yield key


def _trusted_mask(
    masks: Mapping[str, npt.NDArray[np.generic]], segment: TravellingSegment
) -> npt.NDArray[np.bool_]:
    found = masks.get(segment.name)
    if found is None or found.dtype != np.uint8 or found.shape != (segment.files,):
        raise NotTrusted(f"the masks of a tree do not fit {segment.name}")
    shown: npt.NDArray[np.bool_] = found.view(np.uint8) != 0
    return shown


def _sweep(cache: Path) -> None:
    """Remove what pulls that died had put together, and blobs that nobody came back for."""
    with suppress(FileNotFoundError):
        for entry in sorted(cache.iterdir()):
            if entry.name.startswith(_ASIDE):
                pid = entry.name.removeprefix(_ASIDE).partition("-")[0]
                if not pid.isdecimal() or start_ticks(int(pid)) is None:
                    shutil.rmtree(entry, ignore_errors=True)


def _files(known: Mapping[PathKey, Known]) -> dict[PathKey, SourceFile]:
    return {key: one.file for key, one in known.items()}
