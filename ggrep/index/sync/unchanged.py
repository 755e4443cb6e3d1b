"""Proves that nothing changed since the last sync, from git and a few stamps of our own.

git compares the tracked files with its index, by stat and on several cores, faster than a walk
does. It compares whole seconds, so the proof stands only over an index that had been written a
while before the last sync began: whatever is touched later has a later second in its ctime, and
every file that git calls clean was last touched before its index was written. What git calls
changed or untracked, the directories of the walk and the ignore files are compared by stamps of
our own; outside git all files are. Nothing is written, no lease is taken, and any doubt means the
walk.
"""

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import durable, stable_json
from ggrep.base.errors import GgrepError
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files as names
from ggrep.config.git import GitFailed, running_git, without_filters
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import SnapshotManifest, read_manifest
from ggrep.index.store.verify import Verifier
from ggrep.index.sync.record import retry_of
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import SkippedFile
from ggrep.model.sync import SyncFiles, SyncReport
from ggrep.parse.source.git_files import state_files
from ggrep.parse.source.git_listing import OTHERS
from ggrep.parse.source.stamps import Stamp, hold, stamp, stamps
from ggrep.parse.source.walk import root_identity

_VERSION = 4
"""1: the first. 2: by name go only files and directories of the walk, all else by
digests. 3: of trees outside git too. 4: with the files in directories of products."""


class Unchanged(Struct, frozen=True):
    """All that has to be as it was for a snapshot to be up to date.

    Attributes:
        settings: digest of the settings in force.
        user: effective user id; another may not be able to read what this one did.
        root: device and inode of the root.
        git: git listed the tree; where it did not, `tree` has all files of the walk.
        filters: configuration keys of the repository's filter programs.
        changed: digest of git's list of tracked files that are not as its index has them.
        others: digest of git's list of untracked files.
        files: digest of the stamps of git's own files and the store's, see `files_digest`.
        tree: stamps of directories, ignore files, and files of the walk that git does not watch
            for us, by path below the root.
        beside: digest of what else git told of, and its stamps. Its names may be of anything: an
            index can be another repository's.
        unchanged, chunks, segments, skipped, products: what the sync of an unchanged tree reports.
    """

    snapshot_id: str
    settings: str
    user: int
    root: tuple[int, int]
    git: bool
    filters: tuple[str, ...]
    changed: str
    others: str
    files: str
    tree: Mapping[str, Stamp | None]
    beside: str
    unchanged: int
    chunks: int
    segments: int
    skipped: tuple[SkippedFile, ...]
    products: tuple[str, ...] | None


def save(path: Path, record: Unchanged) -> None:
    """Write the record, unless it lies there already.

    Raises:
        OSError: it cannot be written.
        TypeError: it holds a name that is not UTF-8.
    """
    values = asdict(record) | {"version": _VERSION}
    body = stable_json.dumps(values)
    durable.replace_if_changed(path, _digest(body) + b"\n" + body)


def load(path: Path) -> Unchanged | None:
    """Return the record; None when it is missing, damaged or of another version.

    The digest stands for the types of what is read: nobody but `save` writes one that fits.
    """
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
        if digest != _digest(body):
            return None
        values = stable_json.loads(body)
        if values.pop("version") != _VERSION:
            return None
        values["root"] = tuple(values["root"])
        values["filters"] = tuple(values["filters"])
        values["tree"] = _stamps(values["tree"])
        values["skipped"] = tuple(SkippedFile(**skip) for skip in values["skipped"])
        if values["products"] is not None:
            values["products"] = tuple(values["products"])
        return Unchanged(**values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode("ascii")


def _stamps(values: Mapping[str, list[int] | None]) -> dict[str, Stamp | None]:
    return {path: None if found is None else _stamp(*found) for path, found in values.items()}


def _stamp(size: int, mtime_ns: int, ctime_ns: int, inode: int) -> Stamp:
    return size, mtime_ns, ctime_ns, inode


Stamps = dict[str, Stamp | None]
CHANGED = ("diff-files", "-z", "--name-only", "--ignore-submodules=dirty")
"""How git is asked for tracked files that are not as its index has them, by stat alone."""


def report_if_unchanged(target: SyncTarget) -> SyncReport | None:
    """Return what a sync would report that finds nothing to do; None when there may be more."""
    began_ms = target.clock.monotonic_ms()
    record = load(names.unchanged_file(target.store))
    try:
        manifest = None if record is None else _standing(target, record)
        if record is None or manifest is None or not _holds(target, record):
            return None
        retry_after_ms = retry_of(target).left_ms(target.clock.now())
    except (OSError, GitFailed, GgrepError):
        return None
    if retry_after_ms == 0:
        return None  # what the last sync left open is due
    return SyncReport(
        store_id=target.store_id,
        snapshot_id=record.snapshot_id,
        published=False,
        files=SyncFiles(0, 0, record.unchanged),
        chunks=record.chunks,
        segments=record.segments,
        merged_segments=0,
        vectors_encoded=0,
        vectors_reused=0,
        skipped=record.skipped,
        degraded=manifest.errors,
        warnings=(),
        duration_ms=round(target.clock.monotonic_ms() - began_ms),
        retry_after_ms=retry_after_ms,
        products=record.products,
    )


def settings_digest(target: SyncTarget) -> str:
    """Return what changes with any setting, whether or not it shapes the index."""
    return digest(repr(target.settings).encode())


def digest(data: bytes) -> str:
    """Return the SHA-256 of what git printed, in hex."""
    return hashlib.sha256(data).hexdigest()


def git_stamps(target: SyncTarget) -> Stamps | None:
    """Return the stamps of the files git keeps its state in; None when they are not known."""
    paths = state_files(target.root)
    try:
        return None if paths is None else stamps(paths)
    except OSError:
        return None


def files_digest(target: SyncTarget, snapshot_id: str, git_files: Stamps | None) -> str | None:
    """Return what changes with git's own files and the store's; None without the former.

    Raises:
        OSError: the file system would not tell.
    """
    if git_files is None:
        return None
    store_files = (
        names.manifest_file(target.store, SnapshotId(snapshot_id)),
        names.index_state_file(target.store),
    )
    return digest(repr(sorted((git_files | stamps(store_files)).items())).encode())


def paths_told(changed: bytes, others: bytes, *, within: Collection[str]) -> list[bytes] | None:
    """Return the paths that git tells of and whose stamps matter, in byte order.

    Args:
        changed: what git printed of tracked files that are not as its index has them.
        others: what it printed of untracked files. Of them count those right in a directory that
            was entered: elsewhere, and in nested repositories, it matters what there is, not what
            it holds.
        within: the directories that were entered, without trailing slashes, and whatever else.

    Returns:
        None when one of the paths may lead out of the root.
    """
    beside = {path.rstrip(b"/"): path for path in others.split(b"\0")}
    told = {*changed.split(b"\0")} - {b""}
    if any({b"", b".", b".."} & {*path.split(b"/")} for path in told | (beside.keys() - {b""})):
        return None
    files = (path for path in beside.values() if path and not path.endswith(b"/"))
    told.update(path for path in files if os.fsdecode(path.rpartition(b"/")[0]) in within)
    return sorted(told)


def stamps_below(target: SyncTarget, paths: Iterable[bytes]) -> list[tuple[bytes, Stamp | None]]:
    """Return paths below the root with their stamps.

    Raises:
        OSError: the file system would not tell.
    """
    base = os.fsencode(target.root) + b"/"
    return [(path, stamp(base + path)) for path in paths]


def digest_of_stamps(found: Iterable[tuple[bytes, Stamp | None]]) -> str:
    """Return what changes with any of the paths and stamps."""
    return digest(repr(list(found)).encode())


def _standing(target: SyncTarget, record: Unchanged) -> SnapshotManifest | None:
    """Return the snapshot's manifest if the record is about it, whole, and these circumstances."""
    active = read_active(target.store)
    if (
        active is None
        or record.snapshot_id != active
        or record.settings != settings_digest(target)
        or record.user != os.geteuid()
        or record.root != root_identity(target.root)
        or not _files_stand(target, record)
    ):
        return None
    verifier, manifest = Verifier(target.store), read_manifest(target.store, active)
    verifier.manifest(manifest, store_id=target.store_id)
    verifier.save()
    return manifest


def _holds(target: SyncTarget, record: Unchanged) -> bool:
    """Tell whether the tree is as it was.

    git's own files come last: an index that is written while git reads it would tell of files
    that were changed before, and added since, as of clean ones.
    """
    if not record.git:
        base = os.fsencode(target.root) + b"/"
        return hold(base, record.tree) and _files_stand(target, record)
    extra = without_filters([os.fsencode(key) for key in record.filters])
    with (
        running_git(target.root, *CHANGED, extra=extra) as changed,
        running_git(target.root, *OTHERS) as others,
    ):
        if not hold(os.fsencode(target.root) + b"/", record.tree):
            return False
        told, untracked = changed.output(), others.output()
    return (
        digest(told) == record.changed
        and digest(untracked) == record.others
        and _beside(target, record, told, untracked) == record.beside
        and _files_stand(target, record)
    )


def _files_stand(target: SyncTarget, record: Unchanged) -> bool:
    """Tell whether git's own files and the store's are as they were."""
    git_files = git_stamps(target) if record.git else {}
    return files_digest(target, record.snapshot_id, git_files) == record.files


def _beside(target: SyncTarget, record: Unchanged, changed: bytes, others: bytes) -> str | None:
    told = paths_told(changed, others, within=record.tree)
    if told is None:
        return None
    beside = (path for path in told if os.fsdecode(path) not in record.tree)
    return digest_of_stamps(stamps_below(target, beside))
