"""Records, after a full sync, the evidence by which a later one proves that nothing changed.

It is written only where the tree is known: nothing is in doubt but files that the snapshot names
as problems, everything that is watched was last touched before the sync began, and git's files have
been the same since before the walk. What may do better is tried again when its time comes
(`index_state.Retry`), and else nothing is.
"""

import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.confined import read_small
from ggrep.config.declarations import MAX_IGNORE_FILE_BYTES
from ggrep.config.git import (
    GitFailed,
    config_keys,
    filter_keys,
    running_git,
    without_filters,
)
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.sync.stat_cache import RACY_NS, Known
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.unchanged import (
    CHANGED,
    Stamps,
    Unchanged,
    digest,
    digest_of_stamps,
    files_digest,
    git_stamps,
    paths_told,
    save,
    settings_digest,
    stamps_below,
)
from ggrep.model.files import SkippedFile
from ggrep.model.sync import SyncReport
from ggrep.parse.source.git_files import index_file
from ggrep.parse.source.git_listing import OTHERS
from ggrep.parse.source.ignore_rules import GIT_FILE, OWN_FILES
from ggrep.parse.source.stamps import Stamp, is_older, stamp, stamp_of
from ggrep.parse.source.walk import Walk

_SECOND = 1_000_000_000
_INDEX_REST_NS = 2 * _SECOND
"""More than the second that git compares by."""
_UNFIT_CONFIG = r"^(include\.|includeif\.|core\.sparsecheckout$)"
"""Configuration from files that nobody watches, or that has git overlook files."""
_UNSURE = frozenset({"unreadable", "read_failed", "unstable"})


class Synced(Struct, frozen=True):
    """What a sync found and did.

    Attributes:
        known: what is known of the files of the walk, by path.
        git_files: `git_stamps` from before the walk.
        read_at_ns: when the sync began.
    """

    tree: Walk
    known: Mapping[PathKey, Known]
    manifest: SnapshotManifest
    report: SyncReport
    git_files: Stamps | None
    read_at_ns: int


class _Said(Struct, frozen=True):
    """What git printed: configuration keys of filters, changed files, untracked files."""

    filters: tuple[bytes, ...] = ()
    changed: bytes = b""
    others: bytes = b""


_NOT_ASKED = _Said()


def remember(target: SyncTarget, synced: Synced) -> None:
    """Write down what the next sync may prove that nothing changed by, if it can be proved.

    Requires: the caller holds the writer lease, and all else is written.
    """
    try:
        record = _record(target, synced) if _is_settled(target, synced) else None
        if record is not None:
            save(store_files.unchanged_file(target.store), record)
    except (OSError, GitFailed, TypeError):
        return  # an older record stays; it proves what it proved before


def _is_settled(target: SyncTarget, synced: Synced) -> bool:
    """Tell whether a sync left nothing open, and git's files stood still since before it."""
    settings = target.settings
    if not _is_complete(synced) or settings.max_store_bytes or settings.shared_store:
        return False
    if not synced.tree.git:
        # A `.git` that is none yet may become one, and nothing that is watched would tell.
        return not os.path.lexists(target.root / ".git")
    before, index = synced.git_files, _index_stamp(target, synced)
    return (
        before is not None
        and index is not None
        and before == git_stamps(target)
        and _are_older(before.values(), synced.read_at_ns - RACY_NS)
        and is_older(index, synced.read_at_ns - _INDEX_REST_NS)
    )


def _is_complete(synced: Synced) -> bool:
    """Tell whether a sync knows of each file of a tree what it is to it."""
    tree, report, manifest = synced.tree, synced.report, synced.manifest
    doubts = (
        *tree.unknown,
        *tree.inner,
        *report.warnings,
        *(rule for rule, _ in tree.excluded if rule == "own_home"),
        *(skip for skip in report.skipped if skip.reason in _UNSURE or _is_ignore_file(skip)),
    )
    settled = synced.known.keys() | {problem.path_key for problem in manifest.errors}
    return (
        tree.git == (manifest.git is not None)
        and not doubts
        and not manifest.partial
        and all(file.path_key in settled for file in tree.files)
    )


def _is_ignore_file(skip: SkippedFile) -> bool:
    """Tell whether it is one that had no say and has no stamp; an edit may give it one."""
    return skip.path_key.rpartition("/")[2] in {GIT_FILE, *OWN_FILES}


def _record(target: SyncTarget, synced: Synced) -> Unchanged | None:
    """Return the record of a settled sync; None when the tree is not settled, or odd."""
    said = _asked(target, synced) if synced.tree.git else _NOT_ASKED
    files = files_digest(target, synced.manifest.snapshot_id, synced.git_files or {})
    if said is None or files is None:
        return None
    tree, beside = _watched(target, synced, said) or (None, ())
    youngest_ns = synced.read_at_ns - RACY_NS
    if tree is None or not _are_older((*tree.values(), *(held for _, held in beside)), youngest_ns):
        return None
    report = synced.report
    return Unchanged(
        snapshot_id=report.snapshot_id,
        settings=settings_digest(target),
        user=os.geteuid(),
        root=synced.tree.root,
        git=synced.tree.git,
        filters=tuple(os.fsdecode(key) for key in said.filters),
        changed=digest(said.changed),
        others=digest(said.others),
        files=files,
        tree=tree,
        beside=digest_of_stamps(beside),
        unchanged=report.files.unchanged + report.files.indexed,
        chunks=report.chunks,
        segments=report.segments,
        skipped=report.skipped,
        products=report.products,
    )


def _asked(target: SyncTarget, synced: Synced) -> "_Said | None":
    """Return what git says of the tree; None when it was told to overlook files."""
    root = target.root
    if config_keys(root, _UNFIT_CONFIG):
        return None
    filters = tuple(filter_keys(root))
    with (
        running_git(root, *CHANGED, extra=without_filters(filters)) as changing,
        running_git(root, "ls-files", "-z", "-v") as marking,
    ):
        changed, marks = changing.output(), marking.output()
    if any(entry and not entry.startswith(b"H ") for entry in marks.split(b"\0")):
        return None  # git was told not to look at a file
    others = synced.tree.others
    if others is None:
        with running_git(root, *OTHERS) as listing:
            others = listing.output()
    return _Said(filters, changed, others)


def _entered(synced: Synced) -> Stamps:
    return {os.fsdecode(name.rstrip(b"/")): held for name, held in synced.tree.directories}


def _watched(
    target: SyncTarget, synced: Synced, said: _Said
) -> tuple[Stamps, Sequence[tuple[bytes, Stamp | None]]] | None:
    """Return the stamps of what git does not vouch for, as of when the sync looked at it.

    Args:
        target: what is synced.
        synced: what came of it.
        said: by git.

    Returns:
        Stamps of what the walk found, and of what else git told of. None when git tells of
        paths outside, an ignore file changed since, or a file that git calls clean is younger
        than its index: then one of the two is of another clock.
    """
    tree, known = synced.tree, synced.known
    told = paths_told(said.changed, said.others, within=_entered(synced))
    if told is None:
        return None
    found = _entered(synced)
    for key, data in tree.ignore_files:
        found[key] = stamp(target.root / key)
        if read_small(target.root, key, cap_bytes=MAX_IGNORE_FILE_BYTES) != data:
            return None
    if not tree.git:
        found |= {skip.path_key: stamp(target.root / skip.path_key) for skip in tree.skipped}
        found |= {file.path_key: stamp_of(file) for file in (*tree.files, *tree.no_texts)}
        found |= {key: stamp_of(held.file) for key, held in known.items() if key in found}
        return found, ()
    for name in (PathKey(os.fsdecode(path)) for path in told):
        if name in known:
            found[name] = stamp_of(known[name].file)
    beside = stamps_below(target, (path for path in told if os.fsdecode(path) not in found))
    clean = (file for file in tree.files if file.path_key not in found)
    index = _index_stamp(target, synced)
    if index is None or any(file.ctime_ns // _SECOND > index[1] // _SECOND for file in clean):
        return None
    return found, beside


def _index_stamp(target: SyncTarget, synced: Synced) -> Stamp | None:
    path = index_file(target.root)
    return (synced.git_files or {}).get(str(path)) if path else None


def _are_older(found: Iterable[Stamp | None], moment_ns: int) -> bool:
    return all(is_older(each, moment_ns) for each in found)
