"""The JSON of `ggrep workspace build`; see `workspace.schema.json`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ggrep.config.home import Home
from ggrep.federation.building import BuildResult
from ggrep.federation.manifest_file import manifest_path
from ggrep.federation.workspace_manifest import WorkspaceManifest
from ggrep.interfaces.cli.workspace_file import WORKSPACE_SCHEMA

if TYPE_CHECKING:
    from ggrep.model.schemas.workspace import BuiltRepoJson, WorkspaceBuildJson


def build_json(
    manifest: WorkspaceManifest, results: Sequence[BuildResult], home: Home
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


def _entry(result: BuildResult) -> "BuiltRepoJson":
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
