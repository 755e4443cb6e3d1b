"""A federated answer, and its JSON: the contract's full shape, and our additional keys.

Equal states give equal bytes. No absolute path stands in it unless the request asks, and what
differs from run to run stands in `stats` alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from ggrep.base.errors import Busy, GgrepError, WorkspaceError
from ggrep.base.formats import FEDERATED_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan, CorpusCohort, compatibility_key
from ggrep.federation.coverage import Coverage
from ggrep.federation.diagnostics import Diagnostic, redact, redactor
from ggrep.federation.federated_request import FederatedRequest, InForce
from ggrep.federation.merge import AlsoIn, MergedHit
from ggrep.federation.repo_outcomes import RepoLimit, RepoReport, code_of
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_manifest import described_entry, manifest_hash
from ggrep.model.confidence import Confidence
from ggrep.model.corpus import Corpus
from ggrep.model.response import Freshness
from ggrep.render.metadata_json import limit_json

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import (
        AskedJson,
        CorpusCohortJson,
        CorpusResultJson,
        DetailedFailureJson,
        DiagnosticJson,
        DiagnosticsJson,
        FederatedAnswerJson,
        FederatedErrorJson,
        FederatedHitJson,
        FederatedJson,
        FederatedLimitJson,
        FederatedMetaJson,
        FederatedRepoJson,
        FederatedStatsJson,
        MergeJson,
        NamedWorkspaceJson,
        RepoFailureJson,
        RepoPlaceJson,
        RepoStatsJson,
        SelectionJson,
        StatedJson,
    )

_Clean = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class FederatedResponse:
    """Everything one federated request returns.

    Attributes:
        in_force: the limits that applied and the strategy that was asked for.
        strategy: the one that was used.
        plan: who was asked for what.
        reports: one for each selected repository, by id.
        corpora: one merged list for each requested corpus.
        hits: the blended list, best first; a weak answer's lists are shortened.
        confidence: how well the best hits fit the query, judged on the merged list.
        statistics_repos: whose figures scores were measured against; empty but under `global`.
        coverage: what each repository means for the lists, in the order of `reports`.
        freshness: whether each repository's index holds its work tree, as far as is known.
        from_memory: the repositories gave their lists to an earlier question.
        error: None, or why there is no answer at all.
        elapsed_ms: from request to answer; `repo_elapsed_ms` sums each repository's calls.
    """

    workspace: Workspace
    request: FederatedRequest
    in_force: InForce
    strategy: str
    selection: Selection
    plan: CohortPlan
    reports: tuple[RepoReport, ...]
    corpora: tuple[tuple[Corpus, tuple[MergedHit, ...]], ...]
    hits: tuple[MergedHit, ...]
    confidence: Confidence
    limits_hit: tuple[RepoLimit, ...]
    warnings: tuple[Diagnostic, ...]
    errors: tuple[Diagnostic, ...]
    statistics_repos: tuple[RepoId, ...]
    error: GgrepError | None
    elapsed_ms: float
    repo_elapsed_ms: tuple[tuple[RepoId, float], ...]
    coverage: tuple[Coverage, ...]
    freshness: tuple[tuple[RepoId, Freshness], ...]
    from_memory: bool

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.error is None

    @property
    def exit_status(self) -> int:
        """Return the process status that goes with the answer."""
        return 0 if self.error is None else self.error.exit_status

    @property
    def merge_unsaid(self) -> bool:
        """Return whether several lists were merged by rank alone because nobody said how."""
        said = self.request.merge_strategy or self.workspace.merge.strategy
        # Who gives the constant of a strategy means that strategy.
        said_k = self.request.rrf_k or self.workspace.merge.rrf_k
        gave = sum(report.status in {"ok", "partial"} for report in self.reports)
        return said is None and said_k is None and gave > 1

    @property
    def manifest_hash(self) -> str:
        """Return the identity of the index state that the selected repositories are in."""
        entries = [
            described_entry(report.repo.repo_id, report.description, report.snapshot_id)
            for report in self.reports
        ]
        return manifest_hash(self.workspace.repo_set_id, entries)

    def to_json(self) -> "FederatedJson | FederatedErrorJson":
        """Return the contract's JSON object."""
        return federated_json(self)


def federated_json(response: FederatedResponse) -> "FederatedJson | FederatedErrorJson":
    """Return the answer, or its failure with all that is known of the repositories."""
    if response.error is not None:
        failed = _error(response.error, _cleaner(response))
        return {
            **_asked(response),
            **_figures(response),
            "ok": False,
            "code": failed["code"],
            "message": failed["message"],
            "error": failed,
        }
    lists = {corpus: [hit_json(merged) for merged in found] for corpus, found in response.corpora}
    return {
        **answered_json(response),
        "results": [hit_json(merged) for merged in response.hits],
        "code": lists.get(Corpus.CODE, []),
        "prose": lists.get(Corpus.PROSE, []),
        "extractedProse": lists.get(Corpus.EXTRACTED_PROSE, []),
        "records": lists.get(Corpus.RECORDS, []),
    }


def answered_json(response: FederatedResponse) -> "FederatedAnswerJson":
    """Return an answer without its lists.

    Requires: there is one; a failure has a shape of its own.
    """
    return {
        **_asked(response),
        **_figures(response),
        "ok": True,
        "confidence": response.confidence.value,
    }


def _asked(response: FederatedResponse) -> "AskedJson":
    clean = _cleaner(response)
    return {
        "schema_version": FEDERATED_SCHEMA,
        "backend": "federated",
        "meta": _meta(response, clean),
        "repos": [
            _repo(report, coverage, clean, show_root=response.request.include_paths)
            for report, coverage in zip(response.reports, response.coverage, strict=True)
        ],
        "diagnostics": _diagnostics(response.warnings, response.errors, clean),
        "limits_hit": [_limit(limit) for limit in response.limits_hit],
    }


def _figures(response: FederatedResponse) -> "StatedJson":
    return {"stats": _stats(response)} if response.request.stats else {}


def hit_json(merged: MergedHit) -> "FederatedHitJson":
    """Return a hit with the repository it came from; `file` is relative to that."""
    hit = merged.hit
    document: FederatedHitJson = {
        "id": hit.row_id,
        "globalId": merged.global_id,
        "repoId": merged.repo_id,
        "repoAlias": merged.repo_alias,
        "file": hit.path,
        "start": hit.start_line,
        "end": hit.end_line,
        "score": merged.score,
        "localScore": merged.local_score,
        "localRank": merged.local_rank,
        "lexicalScore": hit.lexical,
        "corpus": hit.corpus.value,
        "kind": hit.chunk_type,
        "name": hit.name,
        "qualifiedName": hit.qualified_name,
        "signature": hit.signature,
        "breadcrumb": list(hit.breadcrumb),
        "language": hit.language,
        "isAnchor": hit.is_anchor,
        "content": hit.content,
        "contentStart": hit.content_start_line,
        "hiddenLines": hit.hidden_lines,
    }
    if merged.also_in:
        document["alsoIn"] = [_copy(copy) for copy in merged.also_in]
    if hit.encoding:
        document["encoding"] = hit.encoding
    if hit.components:
        document["explain"] = dict(hit.components)
    return document


def _copy(copy: AlsoIn) -> "RepoPlaceJson":
    return {
        "repoId": copy.repo_id,
        "repoAlias": copy.repo_alias,
        "file": copy.file,
        "start": copy.start,
        "end": copy.end,
        "id": copy.row_id,
    }


def failure_json(error: GgrepError, *, include_paths: bool) -> "FederatedErrorJson":
    """Return the envelope of a request that came to nothing before any repository was asked.

    Absolute paths are for the caller's own terminal.
    """
    failed = _error(error, str if include_paths else _naming_files(error))
    return {
        "schema_version": FEDERATED_SCHEMA,
        "ok": False,
        "backend": "federated",
        "diagnostics": {"warnings": [], "errors": []},
        "code": failed["code"],
        "message": failed["message"],
        "error": failed,
    }


def _naming_files(error: GgrepError) -> _Clean:
    """Return the redaction that leaves a wrong file its name, so that it can be found."""
    issues = error.issues if isinstance(error, WorkspaceError) else ()
    files = sorted({issue.path for issue in issues if issue.path}, key=len, reverse=True)

    def clean(text: str) -> str:
        for file in files:
            text = text.replace(file, PurePath(file).name)
        return redact(text)

    return clean


def _cleaner(response: FederatedResponse) -> _Clean:
    if response.request.include_paths:
        return str
    return redactor(known_paths(response.workspace))


def known_paths(workspace: Workspace) -> tuple[str, ...]:
    """Return the absolute paths that messages about a workspace may hold."""
    paths = {workspace.workspace_path, workspace.workspace_dir}
    paths |= {repo.root_canonical for repo in workspace.repos}
    paths |= {repo.root_abs for repo in workspace.repos}
    return tuple(sorted(str(path) for path in paths if len(path.parts) > 1))


def _meta(response: FederatedResponse, clean: _Clean) -> "FederatedMetaJson":
    force, workspace = response.in_force, response.workspace
    merge: MergeJson = {
        "strategy": response.strategy,
        "rrfK": force.rrf_k,
        "fold": force.fold,
    }
    if response.strategy != force.strategy.name:
        merge["requested"] = force.strategy.name
    named: NamedWorkspaceJson = {"name": workspace.name, "workspaceId": workspace.repo_set_id}
    if response.request.include_paths:
        named["workspacePath"] = str(workspace.workspace_path)
    return {
        "repoSetId": workspace.repo_set_id,
        "manifestHash": response.manifest_hash,
        "workspace": named,
        "selection": _selection(response, clean),
        "merge": merge,
        "limits": {
            "top": force.top,
            "perRepoTop": force.per_repo_top,
            "concurrency": force.concurrency,
            "maxRepos": force.max_repos,
        },
        "cohort": {
            "policy": response.plan.policy,
            "byMode": {part.corpus.value: _cohort(part) for part in response.plan.corpora},
        },
        "snapshots": {
            report.repo.repo_id: report.snapshot_id
            for report in response.reports
            if report.snapshot_id is not None
        },
        "statistics": {"repoIds": list(response.statistics_repos)},
    }


def _selection(response: FederatedResponse, clean: _Clean) -> "SelectionJson":
    selection = response.selection
    return {
        "selectedRepoIds": list(selection.repo_ids),
        "selectedRepos": [
            {
                "repoId": repo.repo_id,
                "alias": repo.alias,
                "priority": repo.priority,
                "enabled": repo.enabled,
            }
            for repo in selection.repos
        ],
        "explicitSelects": [clean(token) for token in selection.explicit_selects],
        "tags": list(selection.tags),
        "repoFilter": [clean(pattern) for pattern in selection.repo_filter],
        "only": [clean(token) for token in selection.only],
        "includeDisabled": selection.include_disabled,
    }


def _cohort(part: CorpusCohort) -> "CorpusCohortJson":
    return {
        "cohortKey": part.key,
        "repoIds": list(part.admitted),
        "excludedRepoIds": list(part.excluded),
    }


def _repo(
    report: RepoReport, coverage: Coverage, clean: _Clean, *, show_root: bool
) -> "FederatedRepoJson":
    modes: dict[str, CorpusResultJson] = {}
    for part in report.corpora:
        entry: CorpusResultJson = {"status": part.status, "count": part.count}
        if part.error is not None:
            entry["error"] = _code_and_message(part.error, clean)
        modes[part.corpus.value] = entry
    document: FederatedRepoJson = {
        "repoId": report.repo.repo_id,
        "alias": report.repo.alias,
        "status": report.status,
        "perMode": modes,
        "snapshotId": report.snapshot_id,
        "degraded": report.degraded,
        "partialIndex": report.partial_index,
        "compatibilityKey": (compatibility_key(report.description) if report.description else None),
    }
    if show_root:
        document["repoRootCanonical"] = str(report.repo.root_canonical)
    if report.error is not None:
        document["error"] = _code_and_message(report.error, clean)
    if not coverage.answered:
        document["couldChange"] = {"verdict": coverage.could_change, "reason": coverage.reason}
    return document


def _code_and_message(error: GgrepError, clean: _Clean) -> "RepoFailureJson":
    return {"code": code_of(error), "message": clean(str(error))}


def _diagnostics(
    warnings: Sequence[Diagnostic], errors: Sequence[Diagnostic], clean: _Clean
) -> "DiagnosticsJson":
    return {
        "warnings": [_diagnostic(item, clean) for item in warnings],
        "errors": [_diagnostic(item, clean) for item in errors],
    }


def _diagnostic(item: Diagnostic, clean: _Clean) -> "DiagnosticJson":
    document: DiagnosticJson = {"code": item.code, "message": clean(item.message)}
    if item.repo_id is not None:
        document["repoId"] = item.repo_id
    if item.mode is not None:
        document["mode"] = item.mode
    if item.file is not None:
        document["file"] = item.file
    return document


def _limit(item: RepoLimit) -> "FederatedLimitJson":
    document = cast("FederatedLimitJson", limit_json(item.limit))
    if item.repo_id is not None:
        document["repoId"] = item.repo_id
    return document


def _error(error: GgrepError, clean: _Clean) -> "DetailedFailureJson":
    body: DetailedFailureJson = {
        "code": code_of(error),
        "message": clean(str(error)),
        "details": {},
    }
    if isinstance(error, Busy):
        body["details"] = {"retry_after_ms": error.retry_after_ms}
    if isinstance(error, WorkspaceError):
        body["issues"] = [
            {
                "code": issue.code,
                "message": clean(issue.message),
                "path": clean(issue.path),
                "field": issue.field,
                "reason": issue.reason,
                "hint": issue.hint,
            }
            for issue in error.issues
        ]
    return body


def _stats(response: FederatedResponse) -> "FederatedStatsJson":
    repos: dict[str, RepoStatsJson] = {
        repo: {"elapsedMs": round(ms, 3)} for repo, ms in response.repo_elapsed_ms
    }
    for repo, freshness in response.freshness:
        repos.setdefault(repo, {"elapsedMs": 0})["freshness"] = freshness
    return {
        "elapsedMs": round(response.elapsed_ms, 3),
        "fromMemory": response.from_memory,
        "repos": dict(repos),
    }
