"""Takes over the index of a repository that was moved to a new directory.

A repository counts as moved if the root that a snapshot names no longer exists, and the snapshot's
commit is in the history of the new root. A sync then compares every file, so an index that was
taken over by mistake causes no wrong answer.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.config.fingerprints import parse_store_id
from ggrep.config.git import GitFailed, is_git_marker, run_git
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.clone import clone_store
from ggrep.index.repo_identity import RepoIdentity
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest


def take_over(identity: RepoIdentity, home: Home, settings: Settings) -> str:
    """Copy the index of the repository's former root; return the former store's name, or "".

    The files are hard-linked. The old store stays until it is collected.

    Requires: the repository has no store.
    """
    config = parse_store_id(identity.store_id).config
    with suppress(OSError):
        stores = [path for path in home.data.iterdir() if _config(path) == config]
        moved = max(
            _moved(stores, identity.root), key=lambda manifest: manifest.created_at, default=None
        )
        if moved is not None:
            with suppress(GgrepError):  # the caller then builds an index
                clone_store(home, moved.store_id, identity.store_id, settings)
                return moved.store_id
    return ""


def was_moved(home: Home, old: RepoId, root: Path) -> bool:
    """Return whether the repository of the missing root `old` is now at `root`."""
    with suppress(OSError):
        return any(_moved(home.data.glob(f"{old}-*"), root))
    return False


def _moved(stores: Iterable[Path], root: Path) -> Iterator[SnapshotManifest]:
    """Yield the active manifests of stores whose missing root was probably moved to `root`."""
    if not is_git_marker(root / ".git"):
        return
    for store in stores:
        with suppress(GgrepError, OSError, GitFailed):
            manifest = read_active_manifest(store)
            if manifest and _is_gone(manifest) and _has_commit(root, manifest):
                yield manifest


def _is_gone(manifest: SnapshotManifest) -> bool:
    return bool(manifest.canonical_root) and not Path(manifest.canonical_root).exists()


def _has_commit(root: Path, manifest: SnapshotManifest) -> bool:
    if manifest.git is None or not manifest.git.head_sha:
        return False
    commit = f"{manifest.git.head_sha}^{{commit}}"
    return run_git(root, "cat-file", "-e", commit, accept=(0, 1, 128))[0] == 0


def _config(store: Path) -> str | None:
    with suppress(GgrepError):
        return parse_store_id(store.name).config
    return None
