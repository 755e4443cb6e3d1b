"""The workspace manifest, the index state of every repository of a workspace, and its JSON."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json
from ggrep.federation.cohort import cohort_key, compatibility_key
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.published_state import NOTHING, Availability, IndexState, SnapshotFacts
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.response import RepoDescription
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

MANIFEST_SCHEMA: Final = 1


class RepoKeys(Struct, frozen=True):
    """Keys that must be equal for lists to be merged, see `RepoDescription`."""

    embed: str
    lexical: str
    schema: str


class RepoState(Struct, frozen=True):
    """One repository of the manifest.

    Attributes:
        store_id: under its present settings; None when `error` says that they cannot be read.
    """

    repo: WorkspaceRepo
    store_id: str | None = None
    config_fingerprint: str | None = None
    keys: RepoKeys | None = None
    index: IndexState = NOTHING
    error: GgrepError | None = None

    @property
    def repo_id(self) -> RepoId:
        """Return the repository's id."""
        return self.repo.repo_id

    @property
    def availability(self) -> Availability:
        """Return whether the repository can be searched, or why not."""
        return self.index.reason

    def description(self) -> RepoDescription | None:
        """Return a coordinator's description without counts; None without a snapshot."""
        facts = self.index.facts
        if facts is None or self.keys is None or self.index.reason != "present":
            return None
        return RepoDescription(
            store_id=self.store_id or "",
            config_fingerprint=self.config_fingerprint or "",
            ignore_fingerprint=facts.ignore_fingerprint,
            snapshot_id=facts.snapshot_id,
            degraded=facts.degraded,
            embed_key=self.keys.embed,
            lexical_key=self.keys.lexical,
            schema_key=self.keys.schema,
            counts=(),
        )

    def cohort_key(self, corpus: Corpus) -> str | None:
        """Return the cohort key of one corpus."""
        description = self.description()
        return None if description is None else cohort_key(description, corpus)

    def compatibility_key(self) -> str | None:
        """Return the cohort key over all corpora."""
        description = self.description()
        return None if description is None else compatibility_key(description)


class WorkspaceManifest(Struct, frozen=True):
    """The state of a workspace's indexes."""

    workspace: Workspace
    repos: tuple[RepoState, ...]

    @property
    def hash(self) -> str:
        """Return a digest that changes exactly when an index changes."""
        return manifest_hash(self.workspace.repo_set_id, [entry_of(state) for state in self.repos])

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return the warnings, by repository, corpus, code and message."""
        return sorted_diagnostics(
            diagnostic for state in self.repos for diagnostic in _warnings(state)
        )

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Return the repositories that are missing or have wrong settings."""
        return sorted_diagnostics(
            Diagnostic(state.error.code, str(state.error), repo_id=state.repo_id)
            for state in self.repos
            if state.error is not None
        )


def manifest_hash(repo_set_id: str, entries: Sequence[Mapping[str, Json]]) -> str:
    """Return the identity of the index state of some repositories, in whatever order they come."""
    ordered = sorted(entries, key=lambda entry: str(entry["repoId"]))
    payload: Json = {
        "v": 1,
        "schemaVersion": MANIFEST_SCHEMA,
        "repoSetId": repo_set_id,
        "repos": [dict(entry) for entry in ordered],
    }
    return "wm1-" + hashlib.sha256(stable_json.dumps(payload)).hexdigest()


def described_entry(
    repo_id: RepoId, description: RepoDescription | None, snapshot_id: str | None
) -> dict[str, Json]:
    """Return the part of the hash that a repository's description gives.

    `description` is None for a repository that did not describe itself. `snapshot_id` is the one
    that answered, which may be newer than the one described.
    """
    if description is None or snapshot_id is None:
        return _entry(repo_id, "missing-index-dir")
    return {
        **_entry(repo_id, "present", snapshot_id),
        "storeId": description.store_id,
        "configFingerprint": description.config_fingerprint,
        "ignoreFingerprint": description.ignore_fingerprint,
        "cohortKeys": {corpus.value: cohort_key(description, corpus) for corpus in CORPORA},
    }


def entry_of(state: RepoState) -> dict[str, Json]:
    """Return a repository's part of the hash.

    Without a snapshot it hangs on nothing but that: a setting that was edited before anything was
    indexed changes no index.
    """
    description = state.description()
    if description is not None:
        return described_entry(state.repo_id, description, description.snapshot_id)
    return _entry(state.repo_id, state.availability, state.index.snapshot_id)


def _entry(
    repo_id: RepoId, availability: Availability, snapshot_id: str | None = None
) -> dict[str, Json]:
    """Return the entry of a repository whose index is not described."""
    return {
        "repoId": repo_id,
        "storeId": None,
        "configFingerprint": None,
        "ignoreFingerprint": None,
        "snapshotId": snapshot_id,
        "availabilityReason": availability,
        "cohortKeys": {},
    }


def _warnings(state: RepoState) -> list[Diagnostic]:
    problem = state.index.pointer.problem or ""
    match state.availability:
        case "invalid-pointer":
            code = "WARN_WORKSPACE_INVALID_BUILD_POINTER"
            return [Diagnostic(code, problem, repo_id=state.repo_id)]
        case "missing-required-artifacts":
            code = "WARN_WORKSPACE_INDEX_STATE_PARSE_FAILED"
            return [Diagnostic(code, problem, repo_id=state.repo_id)]
        case "compat-key-missing":
            code = "WARN_WORKSPACE_COMPAT_KEY_MISSING"
            return [
                Diagnostic(code, problem, repo_id=state.repo_id, mode=corpus.value)
                for corpus in CORPORA
            ]
        case "present" | "missing-root" | "missing-index-dir":
            return []


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
    document: ManifestDiagnosticJson = {"code": item.code, "message": sanitise_line(item.message)}
    if item.repo_id is not None:
        document["repoId"] = item.repo_id
    if item.mode is not None:
        document["mode"] = item.mode
    return document


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
