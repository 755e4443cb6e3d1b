"""Builds the manifest of a workspace from disk, and writes its file."""

import os
import stat
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable, stable_json
from ggrep.base.clock import rfc3339
from ggrep.base.errors import GgrepError
from ggrep.base.formats import SCHEMA_KEY
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.home import Home
from ggrep.federation.published_state import (
    MAX_BYTES,
    NO_ROOT,
    NOTHING,
    IndexState,
    Pointer,
    read_index_state,
)
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_manifest import (
    RepoKeys,
    RepoState,
    WorkspaceManifest,
    manifest_json,
)
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange

_FOREIGN: Final = "the manifest describes another store"


def build_manifest(
    workspace: Workspace,
    home: Home,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, object] = MappingProxyType({}),
) -> WorkspaceManifest:
    """Return the state of every repository of a workspace, disabled ones too."""
    ordered = sorted(workspace.repos, key=lambda repo: (repo.repo_id, str(repo.root_canonical)))
    states = (build_repo_state(repo, home, environ, flags=flags) for repo in ordered)
    return WorkspaceManifest(workspace, tuple(states))


def build_repo_state(
    repo: WorkspaceRepo,
    home: Home,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, object] = MappingProxyType({}),
) -> RepoState:
    """Return the state of one repository; a missing root or wrong settings become part of it."""
    if repo.failure is not None:
        return RepoState(repo, index=NO_ROOT, error=repo.failure)
    try:
        address = arrange(repo.root_canonical, home, environ=environ, flags=flags)
    except GgrepError as error:
        return RepoState(repo, error=error)
    return _state(repo, address)


def _state(repo: WorkspaceRepo, address: DaemonAddress) -> RepoState:
    identity = address.identity
    encoder = identity.encoder
    return RepoState(
        repo,
        store_id=identity.store_id,
        config_fingerprint=identity.config_fingerprint,
        keys=RepoKeys(encoder.key, LEXICAL_LAYOUT, SCHEMA_KEY),
        index=_of_this_store(read_index_state(identity.store), identity.store_id),
    )


def _of_this_store(index: IndexState, store_id: str) -> IndexState:
    """Return the state read, unless it was copied from another store."""
    if index.facts is None or index.facts.store_id == store_id:
        return index
    pointer = Pointer(exists=True, parse_ok=True, problem=_FOREIGN)
    return replace(NOTHING, pointer=pointer, reason="invalid-pointer")


def other_stores(manifest: WorkspaceManifest, home: Home) -> dict[RepoId, int]:
    """Return how many stores each repository has besides those of its present settings."""
    try:
        names = [entry.name for entry in os.scandir(home.data) if entry.is_dir()]
    except FileNotFoundError:
        return {}
    counts: dict[RepoId, int] = {}
    for state in manifest.repos:
        begin = f"{state.repo_id}-"
        others = sum(name.startswith(begin) and name != state.store_id for name in names)
        if others:
            counts[state.repo_id] = others
    return counts


FOLDER: Final = "federation"
FILE: Final = "workspace_manifest.json"


class WorkspaceRef(Struct, frozen=True):
    """The workspace that a manifest was made for."""

    workspacePath: str  # noqa: N815 - a key of the file


class StoredManifest(Struct, frozen=True):
    """The part of a stored manifest that is read."""

    manifestHash: str  # noqa: N815 - a key of the file
    repoSetId: str  # noqa: N815 - a key of the file
    generatedAt: str  # noqa: N815 - a key of the file
    workspace: WorkspaceRef


def cache_root_of(workspace: Workspace, home: Home) -> Path:
    """Return the directory of the federation's artifacts: cacheRoot, else in the home."""
    return workspace.cache_root or home.cache


def directory_of(workspace: Workspace, home: Home) -> Path:
    """Return the directory of a workspace's artifacts; it depends only on its repositories."""
    return cache_root_of(workspace, home) / FOLDER / workspace.repo_set_id


def manifest_path(workspace: Workspace, home: Home) -> Path:
    """Return where the manifest of a workspace is kept."""
    return directory_of(workspace, home) / FILE


def read_stored(path: Path) -> StoredManifest | None:
    """Return the stored manifest; None if there is none that can be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return None
        return decode(StoredManifest, stable_json.loads(data))
    except (OSError, ValueError, DecodeError):
        return None


def store_manifest(manifest: WorkspaceManifest, home: Home, now: datetime) -> bool:
    """Write a manifest if the stored one differs; return whether it was written.

    A file that moved with its workspace is written again too: the collection of orphans reads its
    path.
    """
    workspace = manifest.workspace
    path = manifest_path(workspace, home)
    kept = read_stored(path)
    if kept is not None and kept.manifestHash == manifest.hash:
        claimed = kept.workspace.workspacePath
        if claimed == str(workspace.workspace_path) or os.path.lexists(claimed):
            return False
    document = manifest_json(manifest, cache_root_of(workspace, home), rfc3339(now))
    durable.make_directory(path.parent)
    durable.replace_file(path, stable_json.dumps_pretty(document))
    return True
