"""Builds the manifest of a workspace from disk: settings and pointers, nothing else.

No daemon is asked, no store opened and no git run.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.base.formats import SCHEMA_KEY
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.published_state import NO_ROOT, NOTHING, IndexState, Pointer, read_index_state
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_manifest import RepoKeys, RepoState, WorkspaceManifest
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange

_FOREIGN: Final = "the manifest describes another store"


def survey(
    workspace: Workspace,
    home: Home,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, object] = MappingProxyType({}),
) -> WorkspaceManifest:
    """Return the state of every repository of a workspace, disabled ones too."""
    ordered = sorted(workspace.repos, key=lambda repo: (repo.repo_id, str(repo.root_canonical)))
    states = (survey_repo(repo, home, environ, flags=flags) for repo in ordered)
    return WorkspaceManifest(workspace, tuple(states))


def survey_repo(
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
    found: dict[RepoId, int] = {}
    for state in manifest.repos:
        begin = f"{state.repo_id}-"
        others = sum(name.startswith(begin) and name != state.store_id for name in names)
        if others:
            found[state.repo_id] = others
    return found
