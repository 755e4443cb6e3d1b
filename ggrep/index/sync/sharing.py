"""Checks the state of git before a sync publishes to a store that several users share."""

from collections.abc import Iterable

from msgspec.structs import replace

from ggrep.base.errors import SyncRefused
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.sync.target import SyncTarget
from ggrep.model.limits import Notice
from ggrep.model.response import GitState
from ggrep.parse.source.git_state import git_state

_CLEAN = "shared_store_clean"


def require_clean(target: SyncTarget, git: GitState | None) -> None:
    """Raise if a shared store requires a clean work tree and the work tree is not clean.

    Raises:
        SyncRefused: the work tree differs from its commit, or git cannot compare them.
    """
    settings = target.settings
    if not (settings.shared_store and settings.shared_store_clean):
        return
    if git is None or git.dirty is None:
        raise SyncRefused((f"{_CLEAN}: git cannot determine whether the work tree is clean",))
    if git.head_sha is None:
        raise SyncRefused((f"{_CLEAN}: the repository has no commit yet",))
    if git.dirty is not False:
        raise SyncRefused((f"{_CLEAN}: the work tree differs from its commit",))


def state_to_publish(target: SyncTarget, git: GitState | None) -> GitState | None:
    """Return git's state for the manifest of a shared store.

    Files can change after `git` was read and before their content is read. The tree therefore
    counts as clean only if it was clean when `git` was read, and is clean now.

    Raises:
        SyncRefused: the settings require a clean tree, but it is no longer clean or has another
            commit.
    """
    if not target.settings.shared_store or git is None:
        return git
    now = git_state(target.root, untracked_included=git.untracked_included)
    require_clean(target, now)
    if now == git:
        return git
    if now is None:
        return replace(git, dirty=git.dirty or None)
    if target.settings.shared_store_clean:
        raise SyncRefused((f"{_CLEAN}: another commit was checked out during the sync",))
    return replace(git, dirty=True)


def notices(target: SyncTarget, manifest: SnapshotManifest) -> Iterable[Notice]:
    """Yield a warning if a shared store contains uncommitted text."""
    git = manifest.git
    if target.settings.shared_store and git is not None and git.dirty is not False:
        too = ", untracked files included" if git.untracked_included else ""
        yield Notice(
            "shared_dirty",
            f"this shared store contains uncommitted changes{too}: all its users see them",
        )
