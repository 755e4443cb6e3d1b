"""The JSON of the workspace manifest; see `workspace_manifest.schema.json`.

It is for operators and shows absolute paths.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.published_state import SnapshotFacts
from ggrep.federation.workspace_manifest import MANIFEST_SCHEMA, RepoState, WorkspaceManifest
from ggrep.model.corpus import Corpus
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.model.schemas.workspace_manifest import (
        CorpusStateJson,
        ManifestCountsJson,
        ManifestDiagnosticJson,
        ManifestDiagnosticsJson,
        ManifestJson,
        ManifestRepoJson,
    )

_UNCOUNTED: Final[Mapping[Corpus, int]] = MappingProxyType({})


def manifest_json(
    manifest: WorkspaceManifest, cache_root: Path, generated_at: str
) -> "ManifestJson":
    """Return the document that is kept on disk.

    `generated_at` is RFC 3339 and enters no hash.
    """
    workspace = manifest.workspace
    return {
        "schemaVersion": MANIFEST_SCHEMA,
        "generatedAt": generated_at,
        "repoSetId": workspace.repo_set_id,
        "manifestHash": manifest.hash,
        "federationCacheRoot": str(cache_root),
        "workspace": {
            "workspacePath": str(workspace.workspace_path),
            "name": sanitise_line(workspace.name),
            "workspaceConfigHash": workspace.workspace_config_hash,
        },
        "repos": [repo_json(state) for state in manifest.repos],
        "diagnostics": diagnostics_json(manifest),
    }


def diagnostics_json(manifest: WorkspaceManifest) -> "ManifestDiagnosticsJson":
    """Return the warnings and errors of a manifest."""
    return {"warnings": _diagnostics(manifest.warnings), "errors": _diagnostics(manifest.errors)}


def repo_json(state: RepoState, counts: Mapping[Corpus, int] = _UNCOUNTED) -> "ManifestRepoJson":
    """Return one repository of the manifest.

    `counts` are chunks by corpus, which a daemon knows and the disk does not tell.
    """
    repo, index, facts = state.repo, state.index, state.index.facts
    git = facts.git if facts else None
    return {
        "repoId": repo.repo_id,
        "repoRootCanonical": str(repo.root_canonical),
        "alias": repo.alias,
        "tags": list(repo.tags),
        "enabled": repo.enabled,
        "priority": repo.priority,
        "storeId": state.store_id,
        "configFingerprint": state.config_fingerprint,
        "ignoreFingerprint": facts.ignore_fingerprint if facts else None,
        "snapshotId": index.snapshot_id,
        "headSha": git.head_sha if git else None,
        "dirty": git.dirty if git else None,
        "degraded": facts.degraded if facts else None,
        "partial": facts.partial if facts else None,
        "counts": _counts(facts),
        "pointer": {
            "exists": index.pointer.exists,
            "parseOk": index.pointer.parse_ok,
            "problem": _line(index.pointer.problem),
        },
        "perMode": {
            "code": _mode_json(state, Corpus.CODE, counts),
            "prose": _mode_json(state, Corpus.PROSE, counts),
            "extractedProse": _mode_json(state, Corpus.EXTRACTED_PROSE, counts),
            "records": _mode_json(state, Corpus.RECORDS, counts),
        },
    }


def diagnostic_json(item: Diagnostic) -> "ManifestDiagnosticJson":
    """Return one warning or error."""
    found: ManifestDiagnosticJson = {"code": item.code, "message": sanitise_line(item.message)}
    if item.repo_id is not None:
        found["repoId"] = item.repo_id
    if item.mode is not None:
        found["mode"] = item.mode
    return found


def _mode_json(state: RepoState, corpus: Corpus, counts: Mapping[Corpus, int]) -> "CorpusStateJson":
    known = state.keys if state.description() is not None else None
    return {
        "present": state.availability == "present",
        "rowCount": counts.get(corpus),
        "cohortKey": state.cohort_key(corpus),
        "embedSpaceKey": known.embed if known else None,
        "lexKey": known.lexical if known else None,
        "schemaKey": known.schema if known else None,
        "availabilityReason": state.availability,
    }


def _counts(facts: SnapshotFacts | None) -> "ManifestCountsJson | None":
    if facts is None:
        return None
    return {
        "filesIndexed": facts.counts.files_indexed,
        "filesEligible": facts.counts.files_eligible,
        "chunksVisible": facts.counts.chunks_visible,
    }


def _diagnostics(items: Iterable[Diagnostic]) -> "list[ManifestDiagnosticJson]":
    return [diagnostic_json(item) for item in items]


def _line(text: str | None) -> str | None:
    return None if text is None else sanitise_line(text)
