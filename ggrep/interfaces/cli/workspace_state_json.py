"""The JSON of `ggrep workspace manifest|status|catalog`; see `workspace.schema.json`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.live import LiveDaemon
from ggrep.federation.manifest_file import (
    KeptManifest,
    cache_root_of,
    manifest_path,
)
from ggrep.federation.manifest_json import diagnostics_json, repo_json
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from ggrep.interfaces.cli.workspace_file import WORKSPACE_SCHEMA
from ggrep.model.corpus import Corpus
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.model.schemas.workspace import (
        CatalogJson,
        KeptWorkspaceJson,
        WorkspaceStatusJson,
        WrittenManifestJson,
    )
    from ggrep.model.schemas.workspace_manifest import ManifestRepoJson, RepoDaemonJson

Daemons = Mapping[RepoId, LiveDaemon]


def written_json(
    manifest: WorkspaceManifest, home: Home, *, written: bool
) -> "WrittenManifestJson":
    """Return the document of `ggrep workspace manifest`."""
    return {
        **_named(manifest, home),
        "ok": not manifest.errors,
        "written": written,
        "warnings": len(manifest.warnings),
        "errors": len(manifest.errors),
    }


def status_json(manifest: WorkspaceManifest, daemons: Daemons, home: Home) -> "WorkspaceStatusJson":
    """Return the document of `ggrep workspace status`."""
    return {
        **_named(manifest, home),
        "name": sanitise_line(manifest.workspace.name),
        "diagnostics": diagnostics_json(manifest),
        "repos": [_live_json(state, daemons) for state in manifest.repos],
    }


def catalog_json(
    manifest: WorkspaceManifest, daemons: Daemons, home: Home, kept: KeptManifest | None
) -> "CatalogJson":
    """Return the document of `ggrep workspace catalog`; `kept` is the manifest on disk."""
    workspace = manifest.workspace
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "workspacePath": str(workspace.workspace_path),
        "name": sanitise_line(workspace.name),
        "repoSetId": workspace.repo_set_id,
        "workspaceConfigHash": workspace.workspace_config_hash,
        "cacheRoots": {
            "federationCacheRoot": str(cache_root_of(workspace, home)),
            "workspaceManifestPath": str(manifest_path(workspace, home)),
            "storesRoot": str(home.data),
        },
        "manifest": {
            "manifestHash": manifest.hash,
            "keptHash": kept.manifestHash if kept else None,
            "generatedAt": kept.generatedAt if kept else None,
            "diagnostics": diagnostics_json(manifest),
        },
        "repos": [_kept_json(state, daemons, home) for state in manifest.repos],
    }


def daemon_json(daemon: LiveDaemon) -> "RepoDaemonJson":
    """Return the state of a repository's daemon."""
    return {
        "running": daemon.running,
        "state": daemon.state,
        "pid": daemon.pid,
        "protocol": daemon.protocol,
        "freshness": daemon.description.freshness if daemon.description else None,
        "problem": sanitise_line(daemon.problem) if daemon.problem else None,
    }


def _named(manifest: WorkspaceManifest, home: Home) -> "KeptWorkspaceJson":
    workspace = manifest.workspace
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "workspacePath": str(workspace.workspace_path),
        "manifestPath": str(manifest_path(workspace, home)),
        "federationCacheRoot": str(cache_root_of(workspace, home)),
        "repoSetId": workspace.repo_set_id,
        "manifestHash": manifest.hash,
    }


def _live_json(state: RepoState, daemons: Daemons) -> "ManifestRepoJson":
    daemon = daemons.get(state.repo_id, LiveDaemon())
    document = repo_json(state, _counts(state, daemon))
    document["daemon"] = daemon_json(daemon)
    return document


def _kept_json(state: RepoState, daemons: Daemons, home: Home) -> "ManifestRepoJson":
    document = _live_json(state, daemons)
    document["storeDir"] = _store_dir(state, home)
    return document


def _counts(state: RepoState, daemon: LiveDaemon) -> Mapping[Corpus, int]:
    """Return the chunks by corpus, if the daemon reports on the snapshot on disk."""
    told = daemon.description
    if told is None or told.snapshot_id != state.index.snapshot_id:
        return {}
    return dict(told.counts)


def _store_dir(state: RepoState, home: Home) -> str | None:
    return None if state.store_id is None else str(home.data / state.store_id)
