"""The profiles of a repository, and the store that each answers from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ggrep.base.errors import GgrepError
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config.home import Home
from ggrep.config.profile_file import load_profiles
from ggrep.config.profiles import Profile
from ggrep.config.settings import load_settings, without_profile
from ggrep.index.repo_identity import identify
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import SnapshotManifest, read_manifest

StoreState = Literal["indexed", "no_index", "unreadable"]


class ProfileState(Struct, frozen=True):
    """A profile and its store.

    Attributes:
        profile: the one without a name where a repository is searched under none.
        in_force: questions are asked under it here and now.
        files: visible ones; 0 without an index.
        chunks: likewise.
        degraded: the snapshot left something out.
    """

    profile: Profile
    in_force: bool
    store_id: StoreId
    state: StoreState
    snapshot_id: SnapshotId | None = None
    files: int = 0
    chunks: int = 0
    degraded: bool = False


def list_profiles(
    root: Path, home: Home, environ: Mapping[str, str], flags: Mapping[str, object]
) -> tuple[ProfileState, ...]:
    """Return the profiles of a canonical root by name; nothing is opened or written.

    The nameless one comes first where the repository's file chooses none.

    Raises:
        InvalidRequest: a settings file or variable is wrong, or names no profile there is.
    """
    found = load_profiles(root)
    in_force = load_settings(home, root, environ=environ, flags=flags).settings.profile
    base = () if found.default else (Profile(""),)
    others = without_profile(environ)
    states = []
    for profile in (*base, *found.profiles):
        named = {**flags, "profile": profile.name or None}
        settings = load_settings(home, root, environ=others, flags=named).settings
        identity = identify(root, home, settings)
        current = profile.name == in_force
        states.append(_state(profile, identity.store_id, identity.store, in_force=current))
    return tuple(states)


def _state(profile: Profile, store_id: StoreId, store: Path, *, in_force: bool) -> ProfileState:
    try:
        snapshot_id, manifest = _active(store)
    except GgrepError:
        return ProfileState(profile, in_force, store_id, "unreadable")
    if snapshot_id is None or manifest is None:
        return ProfileState(profile, in_force, store_id, "no_index")
    return ProfileState(
        profile,
        in_force,
        store_id,
        "indexed",
        snapshot_id=snapshot_id,
        files=manifest.counts.files_indexed,
        chunks=manifest.counts.chunks_visible,
        degraded=bool(manifest.errors),
    )


def _active(store: Path) -> tuple[SnapshotId | None, SnapshotManifest | None]:
    snapshot_id = read_active(store)
    return snapshot_id, None if snapshot_id is None else read_manifest(store, snapshot_id)
