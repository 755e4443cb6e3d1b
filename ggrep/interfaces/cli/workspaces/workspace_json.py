"""The JSON of workspace commands; see `workspace.schema.json`."""

from collections.abc import Mapping, Sequence
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
from ggrep.interfaces.cli.workspaces.workspace_file import WORKSPACE_SCHEMA
from ggrep.model.corpus import Corpus
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.federation.building import BuildResult
    from ggrep.federation.daemon_upkeep import Change
    from ggrep.federation.orphans import Orphan, OrphansReport
    from ggrep.federation.workspace import Workspace
    from ggrep.model.schemas.workspace import (
        BuiltRepoJson,
        CatalogJson,
        KeptWorkspaceJson,
        OrphanJson,
        WorkspaceBuildJson,
        WorkspaceCollectionJson,
        WorkspaceEventJson,
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


def build_json(
    manifest: WorkspaceManifest, results: "Sequence[BuildResult]", home: Home
) -> "WorkspaceBuildJson":
    """Return the outcome of each repository, by id, and the resulting manifest."""
    failed = sum(result.status == "failed" for result in results)
    skipped = sum(result.status == "skipped" for result in results)
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "ok": failed + skipped == 0,
        "workspacePath": str(manifest.workspace.workspace_path),
        "manifestPath": str(manifest_path(manifest.workspace, home)),
        "repoSetId": manifest.workspace.repo_set_id,
        "manifestHash": manifest.hash,
        "diagnostics": {
            "total": len(results),
            "failed": failed,
            "skipped": skipped,
            "entries": [_entry(result) for result in results],
        },
    }


def _entry(result: "BuildResult") -> "BuiltRepoJson":
    return {
        "repoId": result.repo.repo_id,
        "repoRootCanonical": str(result.repo.root_canonical),
        "alias": result.repo.alias,
        "status": result.status,
        "exitCode": result.exit_code,
        "signal": result.signal,
        "durationMs": result.duration_ms,
        "error": result.error,
    }


def orphans_json(report: "OrphansReport") -> "WorkspaceCollectionJson":
    """Return the document of `ggrep workspace gc`."""
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "dry_run": report.dry_run,
        "candidates": [_orphan(orphan) for orphan in report.candidates],
        "deleted": [_orphan(orphan) for orphan in report.deleted],
        "limit_reached": report.limit_reached,
    }


def _orphan(orphan: "Orphan") -> "OrphanJson":
    return {
        "path": sanitise_line(str(orphan.path)),
        "repoSetId": orphan.path.name,
        "reason": orphan.reason,
        "workspacePath": orphan.workspace_path and sanitise_line(orphan.workspace_path),
        "modifiedAt": orphan.modified_at,
        "files": orphan.files,
        "sizeBytes": orphan.size_bytes,
    }


def event_json(change: "Change", workspace: "Workspace") -> "WorkspaceEventJson":
    """Return one change as `ggrep workspace watch --json` prints it."""
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "event": change.kind,
        "repoId": change.repo_id,
        "alias": alias_of(change, workspace),
        "message": sanitise_line(change.message),
    }


def alias_of(change: "Change", workspace: "Workspace") -> str | None:
    """Return the alias of the changed repository; None without one."""
    found = (repo.alias for repo in workspace.repos if repo.repo_id == change.repo_id)
    return next(found, None)
