"""Detects by stamps (stats of files) that nothing has changed since the last sync.

A full sync records the stamps of all its inputs: the files of the walk, the walked directories, the
ignore files, git's files and the store's files. If no stamp has changed, the next sync neither
writes nor takes the lease. In case of doubt, the sync walks the tree.

The record is written only if these conditions hold: the snapshot lists every file whose state is
unknown as a problem, all recorded files were last modified before the sync began, and git's files
have not changed since the walk began. Files with problems are tried again at the time in
`index_state.Retry`.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import durable, stable_json
from ggrep.base.errors import GgrepError
from ggrep.base.ids import PathKey, SnapshotId
from ggrep.config import store_files as names
from ggrep.config.confined import read_small
from ggrep.config.declarations import MAX_IGNORE_FILE_BYTES
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import SnapshotManifest, read_manifest
from ggrep.index.store.verify import Verifier
from ggrep.index.sync.record import retry_of
from ggrep.index.sync.stat_cache import RACY_NS, Known
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import SkippedFile
from ggrep.model.sync import SyncFiles, SyncReport
from ggrep.parse.source.git_files import state_files
from ggrep.parse.source.ignore_rules import GIT_FILE, OWN_FILES
from ggrep.parse.source.stamps import Stamp, hold, is_older, stamp, stamp_of, stamps
from ggrep.parse.source.walk import Walk, root_identity

Stamps = dict[str, Stamp | None]

_VERSION: Final = 5
"""Version of the record. 2: digests except for files and directories of the walk. 3: also for trees
outside git. 4: with files in directories of products. 5: only stamps."""
_UNSURE: Final = frozenset({"unreadable", "read_failed", "unstable"})
_MOST_UNLISTED: Final = 1_000
"""Maximum number of directories without files that git lists; if exceeded, no record is written."""


class Unchanged(Struct, frozen=True):
    """The record of stamps: if no stamp has changed, the snapshot is up to date.

    Attributes:
        settings: digest of all settings.
        user: effective user id, because other users may be unable to read some files.
        root: device and inode of the root.
        git: whether git listed the files of the tree.
        files: digest of the stamps of git's files and the store's files, see `_files_digest`.
        tree: all other stamps, by path below the root.
        unchanged, chunks, segments, skipped, products: fields of the report of a sync without
            changes.
    """

    version: int
    snapshot_id: SnapshotId
    settings: str
    user: int
    root: tuple[int, int]
    git: bool
    files: str
    tree: Stamps
    unchanged: int
    chunks: int
    segments: int
    skipped: tuple[SkippedFile, ...]
    products: tuple[str, ...] | None


_decode: Final = msgspec.json.Decoder(Unchanged).decode


class Synced(Struct, frozen=True):
    """The tree that a sync walked, and the stamps that it took.

    Attributes:
        known: the records of the files of the walk, by path.
        git_files: stamps of git's files before the walk; None if they are unknown.
        read_at_ns: when the sync began.
    """

    tree: Walk
    known: Mapping[PathKey, Known]
    manifest: SnapshotManifest
    report: SyncReport
    git_files: Stamps | None
    read_at_ns: int


def report_if_unchanged(target: SyncTarget) -> SyncReport | None:
    """Return the report of a sync without changes; None if there may be changes."""
    began_ms = target.clock.monotonic_ms()
    record = _load(names.unchanged_file(target.store))
    try:
        if record is None or not _holds(target, record):
            return None
        verifier = Verifier(target.store)
        manifest = read_manifest(target.store, record.snapshot_id)
        verifier.manifest(manifest, store_id=target.store_id)
        verifier.save()
        retry_after_ms = retry_of(target).left_ms(target.clock.now())
    except (OSError, GgrepError):
        return None
    if retry_after_ms == 0:
        return None  # files that the last sync left unfinished are due
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


def remember(target: SyncTarget, synced: Synced) -> None:
    """Record the stamps for the next sync, unless some of them are uncertain.

    Requires: the caller holds the writer lease, and has written all other files.
    """
    try:
        if _is_complete(target, synced) and (record := _record(target, synced)) is not None:
            body = stable_json.dumps(asdict(record))
            data = _digest(body).encode("ascii") + b"\n" + body
            durable.replace_if_changed(names.unchanged_file(target.store), data)
    except (OSError, TypeError):  # a path that is not UTF-8 cannot be written as JSON
        return  # an older record stays valid


def _load(path: Path) -> Unchanged | None:
    """Return the record; None if it is missing, damaged or of another version."""
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
        record = _decode(body) if digest == _digest(body).encode("ascii") else None
    except (OSError, msgspec.DecodeError):
        return None
    return record if record is not None and record.version == _VERSION else None


def _holds(target: SyncTarget, record: Unchanged) -> bool:
    """Return whether store, settings, user and tree are unchanged."""
    return (
        record.snapshot_id == read_active(target.store)
        and record.settings == _settings_digest(target)
        and record.user == os.geteuid()
        and record.root == root_identity(target.root)
        and hold(os.fsencode(target.root) + b"/", record.tree)
        and record.files == _files_digest(target, record.snapshot_id, git=record.git)
    )


def _is_complete(target: SyncTarget, synced: Synced) -> bool:
    """Return whether a sync left no file unfinished and no state unknown."""
    settings, tree, manifest = target.settings, synced.tree, synced.manifest
    if settings.max_store_bytes or settings.shared_store:
        return False
    # If `.git` is not a repository yet, it can become a repository without a change of any stamp.
    may_become_one = not tree.git and os.path.lexists(target.root / ".git")
    doubts = (
        *tree.unknown,
        *tree.inner,
        *synced.report.warnings,
        *(rule for rule, _ in tree.excluded if rule == "own_home"),
        *(skip for skip in synced.report.skipped if skip.reason in _UNSURE or _is_ignoring(skip)),
    )
    settled = synced.known.keys() | {problem.path_key for problem in manifest.errors}
    return (
        tree.git == (manifest.git is not None)
        and not (doubts or may_become_one or manifest.partial)
        and all(file.path_key in settled for file in tree.files)
    )


def _is_ignoring(skip: SkippedFile) -> bool:
    """Return whether a skipped file is named like an ignore file, so edits can change the walk."""
    return skip.path_key.rpartition("/")[2] in {GIT_FILE, *OWN_FILES}


def _record(target: SyncTarget, synced: Synced) -> Unchanged | None:
    """Return the record of a complete sync; None if something changed since the sync began."""
    before = (synced.git_files or {}) if synced.tree.git else {}
    tree = _stamps_of_tree(target, synced)
    files = _files_digest(target, synced.manifest.snapshot_id, git=synced.tree.git)
    youngest_ns = synced.read_at_ns - RACY_NS
    if (
        tree is None
        or files is None
        or files != _digest_of(target, synced.manifest.snapshot_id, before)
        or not all(is_older(each, youngest_ns) for each in (*before.values(), *tree.values()))
    ):
        return None
    report = synced.report
    return Unchanged(
        version=_VERSION,
        snapshot_id=synced.manifest.snapshot_id,
        settings=_settings_digest(target),
        user=os.geteuid(),
        root=synced.tree.root,
        git=synced.tree.git,
        files=files,
        tree=tree,
        unchanged=report.files.unchanged + report.files.indexed,
        chunks=report.chunks,
        segments=report.segments,
        skipped=report.skipped,
        products=report.products,
    )


def _stamps_of_tree(target: SyncTarget, synced: Synced) -> Stamps | None:
    """Return the stamps of a tree at the time of the sync's walk.

    Returns:
        None if an ignore file has changed since, or if there are too many directories.
    """
    tree, known = synced.tree, synced.known
    watched = {os.fsdecode(name.rstrip(b"/")): entered for name, entered in tree.directories}
    watched |= {skip.path_key: stamp(target.root / skip.path_key) for skip in tree.skipped}
    for file in (*tree.files, *tree.beside):
        read = known.get(file.path_key)
        watched[file.path_key] = stamp_of(read.file if read else file)
    for key, data in tree.ignore_files:
        watched[key] = stamp(target.root / key)
        if read_small(target.root, key, cap_bytes=MAX_IGNORE_FILE_BYTES) != data:
            return None
    unlisted = tree.unlisted if target.settings.include_untracked else ()
    for number, path in enumerate(_below(target.root, unlisted)):
        if number == _MOST_UNLISTED:
            return None
        watched[os.fsdecode(path)] = stamp(os.fsencode(target.root) + b"/" + path)
    return watched


def _below(root: Path, directories: Iterable[bytes]) -> Iterator[bytes]:
    """Yield directories with their subdirectories, and their `.gitignore` and `.git` entries.

    A nested repository is not entered, but its directory and `.git` are yielded.
    """
    base = os.fsencode(root) + b"/"
    for top in directories:
        for whole, below, files in os.walk(base + top):
            path = whole.removeprefix(base)
            yield path
            if b".git" in below:
                below[:] = [b".git"] if not path.endswith(b"/.git") else []
            elif path.endswith(b"/.git"):
                below.clear()
            yield from (path + b"/" + name for name in files if name in _MARKERS)


_MARKERS: Final = frozenset({GIT_FILE.encode(), b".git"})


def _settings_digest(target: SyncTarget) -> str:
    """Return a digest of all settings, including settings that do not affect the index."""
    return _digest(repr(target.settings).encode())


def _files_digest(target: SyncTarget, snapshot_id: SnapshotId, *, git: bool) -> str | None:
    """Return a digest of the stamps of git's and the store's files; None if git's are unknown."""
    paths = state_files(target.root) if git else ()
    return None if paths is None else _digest_of(target, snapshot_id, stamps(paths))


def _digest_of(target: SyncTarget, snapshot_id: SnapshotId, git_files: Stamps) -> str:
    store_files = (
        names.manifest_file(target.store, snapshot_id),
        names.index_state_file(target.store),
    )
    return _digest(repr(sorted((git_files | stamps(store_files)).items())).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
