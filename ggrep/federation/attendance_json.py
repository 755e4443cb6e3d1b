"""The JSON of what is told of a workspace's repositories, under every answer."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from msgspec.structs import replace

from ggrep.base.errors import Busy, GgrepError, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import plain
from ggrep.federation.attendance import Attended
from ggrep.federation.cohort import compatibility_key
from ggrep.federation.coverage import Coverage
from ggrep.federation.diagnostics import Diagnostic, redactor
from ggrep.federation.repo_outcomes import RepoLimit, RepoReport, code_of
from ggrep.federation.workspace import Workspace
from ggrep.model.limits import LimitHit

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


LISTED_WHOLE: Final = 64
"""Most selected repositories of which all are listed: an answer must not grow with those that
nothing comes of."""


_HARMLESS: Final = frozenset({"ok", "skipped"})
"""What became of repositories that need no look, if the answer is the same with them."""

_OF_THE_QUERY: Final = frozenset(
    {"max_query_terms", "max_query_characters", "max_query_per_file", "max_query_results"}
)
"""Cuts of the question, which every repository makes alike."""

_OF_WHAT_WAS_FOUND: Final = frozenset({"max_results", "max_per_file"})
"""Cuts of a repository's list, of which nothing need have had a place in the answer."""


def listed_repos(response: Attended, shown: Iterable[RepoId]) -> frozenset[RepoId]:
    """Return the repositories that an answer lists.

    All of a few, or where that is wished. Else those that something of is shown, that were selected
    by name, that could have changed the answer, or of which something is to be said.
    """
    everybody = frozenset(report.repo.repo_id for report in response.reports)
    if response.request.all_repos or len(everybody) <= LISTED_WHOLE:
        return everybody
    told = {item.repo_id for item in (*response.warnings, *response.errors)}
    passed = _OF_THE_QUERY | _OF_WHAT_WAS_FOUND
    told |= {cut.repo_id for cut in response.limits_hit if cut.limit.code not in passed}
    failed = {report.repo.repo_id for report in response.reports if report.status not in _HARMLESS}
    missed = {one.repo_id for one in response.coverage if one.could_change != "no"}
    return everybody & {*shown, *response.selection.named, *told, *failed, *missed}


def figures_json(response: Attended, listed: Container[RepoId]) -> "StatedJson":
    """Return the figures, where they were asked for."""
    return {"stats": stats_json(response, listed)} if response.request.stats else {}


def cleaner(response: Attended) -> Clean:
    """Return what makes a message of an answer fit to be shown."""
    if response.request.include_paths:
        return str
    return redactor(partial(known_paths, response.workspace))


def known_paths(workspace: Workspace) -> tuple[str, ...]:
    """Return the absolute paths that messages about a workspace may hold."""
    paths = {workspace.workspace_path, workspace.workspace_dir}
    paths |= {repo.root_canonical for repo in workspace.repos}
    paths |= {repo.root_abs for repo in workspace.repos}
    return tuple(sorted(str(path) for path in paths if len(path.parts) > 1))


def selection_json(response: Attended, clean: Clean, listed: Container[RepoId]) -> "SelectionJson":
    """Return which repositories were meant, of those that are listed."""
    selection = response.selection
    return {
        "selectedRepoIds": [repo for repo in selection.repo_ids if repo in listed],
        "selectedRepos": [
            {
                "repoId": repo.repo_id,
                "alias": repo.alias,
                "priority": repo.priority,
                "enabled": repo.enabled,
            }
            for repo in selection.repos
            if repo.repo_id in listed
        ],
        "explicitSelects": [clean(token) for token in selection.explicit_selects],
        "tags": list(selection.tags),
        "repoFilter": [clean(pattern) for pattern in selection.repo_filter],
        "only": [clean(token) for token in selection.only],
        "includeDisabled": selection.include_disabled,
    }


def repos_json(
    response: Attended, clean: Clean, listed: Container[RepoId]
) -> "list[FederatedRepoJson]":
    """Return what became of the repositories that are listed."""
    return [
        repo_json(report, coverage, clean, show_root=response.request.include_paths)
        for report, coverage in zip(response.reports, response.coverage, strict=True)
        if report.repo.repo_id in listed
    ]


def limits_json(
    limits: Iterable[RepoLimit], listed: Container[RepoId]
) -> "list[FederatedLimitJson]":
    """Return the cuts.

    Those that all repositories that are not listed made alike are nobody's, as is how much was
    found in them together.
    """
    kept: dict[RepoLimit, None] = {}
    found: Counter[tuple[str, int]] = Counter()
    for limit in limits:
        cut = limit.limit
        if limit.repo_id is None or limit.repo_id in listed:
            kept[limit] = None
        elif cut.code in _OF_WHAT_WAS_FOUND:
            found[cut.code, cut.limit] += cut.observed or 0
        else:
            kept[replace(limit, repo_id=None)] = None
    kept |= {RepoLimit(LimitHit(*cut, observed)): None for cut, observed in found.items()}
    return [limit_of_repo_json(limit) for limit in sorted(kept, key=RepoLimit.order)]


def snapshots_json(response: Attended, listed: Container[RepoId]) -> dict[str, str]:
    """Return the snapshots of the repositories that are listed."""
    return {
        report.repo.repo_id: report.snapshot_id
        for report in response.reports
        if report.snapshot_id is not None and report.repo.repo_id in listed
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
    document = cast("FederatedLimitJson", plain(item.limit))
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
    if error.request_id:
        body["request_id"] = error.request_id
    if error.snapshot_id:
        body["snapshot_id"] = error.snapshot_id
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


def stats_json(response: Attended, listed: Container[RepoId]) -> "FederatedStatsJson":
    """Return what differs from run to run."""
    repos: dict[str, RepoStatsJson] = {
        repo: {"elapsedMs": round(ms, 3)} for repo, ms in response.repo_elapsed_ms
    }
    for repo, freshness in response.freshness:
        repos.setdefault(repo, {"elapsedMs": 0})["freshness"] = freshness
    return {
        "elapsedMs": round(response.elapsed_ms, 3),
        "fromMemory": response.from_memory,
        "repos": {repo: own for repo, own in repos.items() if repo in listed},
    }
