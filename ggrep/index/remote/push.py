"""Pushes the active snapshot to a remote: blobs, then the tree, its states, and the ref last.

An interrupted push leaves unreferenced objects; the next push uses them, or a collection deletes
them. Blobs and trees never change, and states and refs are replaced by compare-and-swap, so
simultaneous pushes need no lock.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Final

from ggrep.base.clock import rfc3339
from ggrep.base.durable import reach
from ggrep.base.errors import Busy, InvalidRequest, NotTrusted
from ggrep.base.formats import ROW
from ggrep.base.ids import PathKey
from ggrep.config.remotes import GRACE_HOURS
from ggrep.config.repo_key import key_by_history, repo_key
from ggrep.index.remote import layout
from ggrep.index.remote.best_match import git_tree, history
from ggrep.index.remote.documents import is_there, state_at, tree_at
from ggrep.index.remote.layout import Blob, Entry, RemoteSegment, States, Tree
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.packed_tables import Packed
from ggrep.index.store.manifest import SegmentRef, SnapshotManifest
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.problems import is_passing
from ggrep.index.sync.target import SyncTarget
from ggrep.model.maintenance import PushReport

_REFRESH: Final = timedelta(hours=GRACE_HOURS) / 2
"""Age from which on an existing object is written again, so that collections do not delete it."""
_SWAPS: Final = 100


def push(target: SyncTarget, view: SnapshotView, objects: Objects, *, again: bool) -> PushReport:
    """Push a snapshot.

    Args:
        target: the repository.
        view: the view of the snapshot, which the caller has pinned.
        objects: the objects of the remote.
        again: whether to write every object, even if it exists.

    Raises:
        InvalidRequest: the snapshot is incomplete, or the repository has no key.
        RemoteError: the remote fails; its earlier objects still exist.
        Busy: too many other processes pushed the same repository at the same time.
    """
    return _Push(target, view, objects, again=again).run()


def key_of(target: SyncTarget) -> str:
    """Return the repository's key on remotes.

    Raises:
        InvalidRequest: the repository has no key.
    """
    key = repo_key(target.root, target.settings) or key_by_history(target.root)
    if not key:
        raise InvalidRequest(
            "the repository has no key: git has neither a URL for origin nor the complete history;"
            ' set one in .ggrep.toml: repo_key = "team/name"'
        )
    return key


def states_of(
    target: SyncTarget, manifest: SnapshotManifest, files: Mapping[PathKey, str]
) -> States:
    """Return the states that name a snapshot's set of files."""
    git = manifest.git
    tree = None
    if git is not None and git.dirty is False and git.head_sha is not None:
        tree = git_tree(target.root, git.head_sha)
    return States(tree, layout.files_state(files))


class _Push:
    def __init__(
        self, target: SyncTarget, view: SnapshotView, objects: Objects, *, again: bool
    ) -> None:
        self._target, self._view, self._objects, self._again = target, view, objects, again
        self._written = self._written_bytes = 0
        self._uploaded: Blob | None = None
        self._skipped: list[Blob] = []
        self._sources: dict[str, Path | SegmentRef] = {}
        self._packed = Packed(target)

    def run(self) -> PushReport:
        with self._packed:
            return self._run()

    def _run(self) -> PushReport:
        manifest = self._view.manifest
        _require_whole(manifest)
        key = key_of(self._target)
        states = states_of(self._target, manifest, self._view.live_files())
        existing = None if self._again else self._existing(states)
        tree = existing or self._upload(key, states)
        commit = manifest.git.head_sha if manifest.git else None
        times = self._times(commit)
        swung = self._swing(key, Entry(tree, states, commit, *times))
        if tree != self._uploaded and swung and not self._is_complete(tree):
            # A collection can have deleted objects of the existing tree before the ref was written.
            self._again, existing = True, None
            tree = self._upload(key, states)
            self._swing(key, Entry(tree, states, commit, *times))
        for blob in self._skipped:  # a collection can have begun before this push
            if self._objects.stat(blob.key) is None:
                self._put_blob(blob)
        return PushReport(
            remote=self._objects.name,
            repo_key=key,
            snapshot_id=manifest.snapshot_id,
            tree=tree.sha256,
            git_tree=states.git_tree,
            files_state=states.files,
            commit=commit,
            pushed=swung or existing is None,
            blobs=1 + 2 * len(manifest.segments),
            written=self._written,
            written_bytes=self._written_bytes,
            traffic=self._objects.traffic,
        )

    def _existing(self, states: States) -> Blob | None:
        """Return the remote's tree of these files; None if there is none."""
        trees = set()
        for key in states.keys(self._target.config_fingerprint):
            try:
                state = state_at(self._objects, key)
            except NotTrusted:
                return None
            trees.add(state.value if state else None)
        (tree,) = trees if len(trees) == 1 else (None,)
        return tree if tree is not None and is_there(self._objects, tree) else None

    def _is_complete(self, named: Blob) -> bool:
        with suppress(NotTrusted):
            tree = tree_at(self._objects, named)
            return tree is not None and all(self._objects.stat(blob.key) for blob in tree.blobs())
        return False

    def _upload(self, key: str, states: States) -> Blob:
        """Write the missing objects of the snapshot; return the tree to which its states refer."""
        segments = tuple(self._segments())
        masks = Blob(
            self._view.manifest.visibility.sha256, self._view.manifest.visibility.size_bytes
        )
        tree = _tree(self._view.manifest, key, states, segments, masks)
        for blob in tree.blobs():
            self._bring(blob)
        reach("push.after_blobs")
        data = layout.spelled_tree(tree)
        named = layout.blob_of(data)
        if self._lacks(layout.tree_key(named), named.size_bytes):
            self._objects.put(layout.tree_key(named), data)
        reach("push.after_tree")
        self._uploaded = named
        first, *others = states.keys(self._target.config_fingerprint)
        # If several processes push the same files at once, all use the tree of the first.
        led_to = self._lead(first, named, files=states.files)
        for state in others:
            self._lead(state, led_to)
        reach("push.after_states")
        return led_to

    def _segments(self) -> Iterator[RemoteSegment]:
        visibility = self._view.manifest.visibility
        self._sources[visibility.sha256] = self._view.store / visibility.path
        for ref in self._view.manifest.segments:
            table = self._packed.blob_of(ref)
            self._sources[table.sha256] = ref
            self._sources[ref.image.sha256] = self._view.store / ref.image.path
            image = Blob(ref.image.sha256, ref.image.size_bytes)
            yield RemoteSegment(
                ref.table, ref.kind, ref.rows, ref.files, ref.size_bytes, ref.sha256, table, image
            )

    def _bring(self, blob: Blob) -> None:
        if self._lacks(blob.key, blob.size_bytes):
            self._put_blob(blob)
        else:
            self._skipped.append(blob)

    def _lacks(self, key: str, size_bytes: int) -> bool:
        if self._again:
            return True
        stat = self._objects.stat(key)
        if stat is None or stat.size_bytes != size_bytes:
            return True
        return self._target.clock.now() - stat.modified > _REFRESH

    def _put_blob(self, blob: Blob) -> None:
        source = self._sources[blob.sha256]
        file = source if isinstance(source, Path) else self._packed.file_of(source)
        self._objects.put(blob.key, file)
        self._written += 1
        self._written_bytes += blob.size_bytes

    def _lead(self, state: str, tree: Blob, *, files: str | None = None) -> Blob:
        """Make a state refer to `tree`, unless its current tree has `files`; return its tree."""
        data = layout.spelled_state(tree)
        for _ in range(_SWAPS):
            stored = self._objects.read(state, layout.MOST_STATE_BYTES)
            if stored is not None and stored[0] == data:
                return tree
            if stored is not None and files is not None and self._stays(stored[0], files):
                return layout.read_state(stored[0])
            if self._objects.swap(state, data, stored[1] if stored else None):
                return tree
        raise Busy("another process is pushing this repository", retry_after_ms=1000)

    def _stays(self, data: bytes, files: str) -> bool:
        """Return whether a state refers to a tree of these files, and so need not be changed."""
        with suppress(NotTrusted):
            tree = None if self._again else tree_at(self._objects, layout.read_state(data))
            return tree is not None and tree.states.files == files
        return False

    def _swing(self, key: str, entry: Entry) -> bool:
        """Insert a push at the front of the ref; return False if it is already there."""
        ref = layout.ref_key(key, self._target.config_fingerprint)
        for attempt in range(_SWAPS):
            stored = self._objects.read(ref, layout.MOST_REF_BYTES)
            entries: tuple[Entry, ...] = ()
            if stored is not None:
                with suppress(NotTrusted):  # an unreadable ref is written again
                    entries = layout.read_ref(stored[0])
            if any(layout.same_push(last, entry) for last in entries[:1]):
                return False
            data = layout.spelled_ref(layout.with_entry(entries, entry))
            reach("push.before_ref")
            if self._objects.swap(ref, data, stored[1] if stored else None):
                reach("push.after_ref")
                return True
            self._target.wait(min(0.01 * (attempt + 1), 0.5))
        raise Busy("another process is pushing this repository", retry_after_ms=1000)

    def _times(self, commit: str | None) -> tuple[tuple[str, ...], str]:
        before = history(self._target.root, commit, layout.MOST_HISTORY + 1) if commit else ()
        return before[1:], rfc3339(self._target.clock.now())


def _require_whole(manifest: SnapshotManifest) -> None:
    if manifest.partial:
        raise InvalidRequest("the index is still being built; run: ggrep index")
    passing = [problem for problem in manifest.errors if is_passing(problem)]
    if passing:
        first_error = f"{passing[0].path_key}: {passing[0].message}"
        raise InvalidRequest(f"the index is incomplete: {first_error}; run: ggrep index")


def _tree(
    manifest: SnapshotManifest,
    key: str,
    states: States,
    segments: tuple[RemoteSegment, ...],
    masks: Blob,
) -> Tree:
    return Tree(
        repo_key=key,
        snapshot_id=manifest.snapshot_id,
        index_id=manifest.name,
        created_at=manifest.created_at,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        embed_config_fingerprint=manifest.embed_config_fingerprint,
        chunk_row_schema_version=ROW.writes,
        states=states,
        git=manifest.git,
        segments=segments,
        masks=masks,
        counts=manifest.counts,
        degraded=manifest.degraded,
        errors=manifest.errors,
        errors_total=manifest.problems,
    )
