"""The proof that nothing changed since the last sync: git's, and a few stamps of our own.

git compares the tracked files with its index, by stat and on several cores, faster than a walk
does. It compares whole seconds, so the proof stands only over an index that had been written a
while before the last sync began: whatever is touched later has a later second in its ctime, and
every file that git calls clean was last touched before its index was written. What git calls
changed or untracked, the directories of the walk and the ignore files are compared by stamps of
our own. Nothing is written, no lease is taken, and any doubt means the walk.
"""

import hashlib
import os

from ggrep.errors import GgrepError
from ggrep.identity.git import GitFailed, running_git, without_filters
from ggrep.layout import names
from ggrep.source.listing import OTHERS
from ggrep.source.stamps import hold
from ggrep.source.walk import root_identity
from ggrep.store.active import read_active
from ggrep.store.manifest import read_manifest
from ggrep.store.verify import Verifier
from ggrep.sync.report import SyncReport
from ggrep.sync.target import SyncTarget
from ggrep.sync.unchanged_file import Unchanged, load

CHANGED = ("diff-files", "-z", "--name-only", "--ignore-submodules=dirty")
"""How git is asked for tracked files that are not as its index has them, by stat alone."""


def report_if_unchanged(target: SyncTarget) -> SyncReport | None:
    """Return what a sync would report that finds nothing to do; None when there may be more."""
    began_ms = target.clock.monotonic_ms()
    record = load(names.unchanged_file(target.store))
    try:
        if record is None or not (_stands(target, record) and _holds(target, record)):
            return None
    except (OSError, GitFailed, GgrepError):
        return None
    return SyncReport(
        snapshot_id=record.snapshot_id,
        published=False,
        indexed=0,
        deleted=0,
        unchanged=record.unchanged,
        chunks=record.chunks,
        segments=record.segments,
        merged_segments=0,
        vectors_encoded=0,
        vectors_reused=0,
        skipped=record.skipped,
        degraded=(),
        notices=(),
        duration_ms=round(target.clock.monotonic_ms() - began_ms),
    )


def settings_digest(target: SyncTarget) -> str:
    """Return what changes with any setting, whether or not it shapes the index."""
    return digest(repr(target.settings).encode())


def digest(data: bytes) -> str:
    """Return the SHA-256 of what git printed, in hex."""
    return hashlib.sha256(data).hexdigest()


def _stands(target: SyncTarget, record: Unchanged) -> bool:
    """Tell whether the record is about this snapshot, whole, and these circumstances."""
    active = read_active(target.store)
    if (
        active is None
        or record.snapshot_id != active
        or record.settings != settings_digest(target)
        or record.user != os.geteuid()
        or record.root != root_identity(target.root)
        or not hold(b"", record.files)
    ):
        return False
    verifier = Verifier(target.store)
    verifier.manifest(read_manifest(target.store, active), store_id=target.store_id)
    verifier.save()
    return True


def _holds(target: SyncTarget, record: Unchanged) -> bool:
    """Tell whether the tree is as it was.

    git's own files come last: an index that is written while git reads it would tell of files
    that were changed before, and added since, as of clean ones.
    """
    extra = without_filters([os.fsencode(key) for key in record.filters])
    with (
        running_git(target.root, *CHANGED, extra=extra) as changed,
        running_git(target.root, *OTHERS) as others,
    ):
        return (
            hold(os.fsencode(target.root) + b"/", record.tree)
            and digest(changed.output()) == record.changed
            and digest(others.output()) == record.others
            and hold(b"", record.files)
        )
