"""The JSON of what is told of a workspace's repositories, under every answer."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from ggrep.base.errors import Busy, GgrepError, WorkspaceError
from ggrep.federation.attendance import Attended
from ggrep.federation.cohort import compatibility_key
from ggrep.federation.coverage import Coverage
from ggrep.federation.diagnostics import Diagnostic, redactor
from ggrep.federation.repo_outcomes import RepoLimit, RepoReport, code_of
from ggrep.federation.workspace import Workspace
from ggrep.render.metadata_json import limit_json

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import (
        CorpusResultJson,
        DetailedFailureJson,
        DiagnosticJson,
        DiagnosticsJson,
        FederatedLimitJson,
        FederatedRepoJson,
        FederatedStatsJson,
        RepoFailureJson,
        RepoStatsJson,
        SelectionJson,
        StatedJson,
    )

Clean = Callable[[str], str]


def figures_json(response: Attended) -> "StatedJson":
    """Return the figures, where they were asked for."""
    return {"stats": stats_json(response)} if response.request.stats else {}


def cleaner(response: Attended) -> Clean:
    """Return what makes a message of an answer fit to be shown."""
    if response.request.include_paths:
        return str
    return redactor(known_paths(response.workspace))


def known_paths(workspace: Workspace) -> tuple[str, ...]:
    """Return the absolute paths that messages about a workspace may hold."""
    paths = {workspace.workspace_path, workspace.workspace_dir}
    paths |= {repo.root_canonical for repo in workspace.repos}
    paths |= {repo.root_abs for repo in workspace.repos}
    return tuple(sorted(str(path) for path in paths if len(path.parts) > 1))


def selection_json(response: Attended, clean: Clean) -> "SelectionJson":
    """Return which repositories were meant."""
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


def repo_json(
    report: RepoReport, coverage: Coverage, clean: Clean, *, show_root: bool
) -> "FederatedRepoJson":
    """Return what became of one repository."""
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
    if report.description is not None and report.description.profile:
        document["profile"] = report.description.profile
    if show_root:
        document["repoRootCanonical"] = str(report.repo.root_canonical)
    if report.error is not None:
        document["error"] = _code_and_message(report.error, clean)
    if not coverage.answered:
        document["couldChange"] = {"verdict": coverage.could_change, "reason": coverage.reason}
    return document


def _code_and_message(error: GgrepError, clean: Clean) -> "RepoFailureJson":
    return {"code": code_of(error), "message": clean(str(error))}


def diagnostics_json(
    warnings: Sequence[Diagnostic], errors: Sequence[Diagnostic], clean: Clean
) -> "DiagnosticsJson":
    """Return warnings and errors."""
    return {
        "warnings": [_diagnostic(item, clean) for item in warnings],
        "errors": [_diagnostic(item, clean) for item in errors],
    }


def _diagnostic(item: Diagnostic, clean: Clean) -> "DiagnosticJson":
    document: DiagnosticJson = {"code": item.code, "message": clean(item.message)}
    if item.repo_id is not None:
        document["repoId"] = item.repo_id
    if item.mode is not None:
        document["mode"] = item.mode
    if item.file is not None:
        document["file"] = item.file
    return document


def limit_of_repo_json(item: RepoLimit) -> "FederatedLimitJson":
    """Return a cut."""
    document = cast("FederatedLimitJson", limit_json(item.limit))
    if item.repo_id is not None:
        document["repoId"] = item.repo_id
    return document


def error_json(error: GgrepError, clean: Clean) -> "DetailedFailureJson":
    """Return a failure with all that is known of it."""
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


def stats_json(response: Attended) -> "FederatedStatsJson":
    """Return what differs from run to run."""
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
