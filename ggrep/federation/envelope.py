"""The common part of all workspace answers: outcomes of the repositories, and the answer's JSON."""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import Busy, GgrepError, WorkspaceError
from ggrep.base.formats import FEDERATED_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import plain
from ggrep.federation.cohort import compatibility_key
from ggrep.federation.diagnostics import Diagnostic, redactor, sorted_diagnostics
from ggrep.federation.fanout import Skipped
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.repo_outcomes import (
    Coverage,
    RepoLimit,
    RepoReport,
    code_of,
    failure_diagnostics,
    first_failure,
    status_of,
)
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_state import described_entry, manifest_hash
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.response import Freshness, Provenance


class Envelope(Struct, frozen=True):
    """The common part of all workspace answers; each kind of answer adds its body.

    Attributes:
        coverage: effect of each repository on the answer, in the order of `reports`.
        elapsed_ms: time from request to answer; `repo_elapsed_ms` is the sum of a repository's
            calls.
    """

    workspace: Workspace
    request: FederatedRequest
    selection: Selection
    reports: tuple[RepoReport, ...]
    coverage: tuple[Coverage, ...]
    limits_hit: tuple[RepoLimit, ...]
    warnings: tuple[Diagnostic, ...]
    errors: tuple[Diagnostic, ...]
    error: GgrepError | None
    elapsed_ms: float
    repo_elapsed_ms: tuple[tuple[RepoId, float], ...]
    freshness: tuple[tuple[RepoId, Freshness], ...]
    from_memory: bool = False

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.error is None

    @property
    def exit_status(self) -> int:
        """Return the exit status of the process for the answer."""
        return 0 if self.error is None else self.error.exit_status

    @property
    def manifest_hash(self) -> str:
        """Return a digest of the index state of the selected repositories."""
        entries = [
            described_entry(report.repo.repo_id, report.description, report.snapshot_id)
            if report.description is not None and report.snapshot_id is not None
            else described_entry(report.repo.repo_id, None, None)
            for report in self.reports
        ]
        return manifest_hash(self.workspace.repo_set_id, entries)

    def shown(self) -> Iterable[RepoId]:
        """Return the repositories that appear in the body."""
        return ()

    def rules(self, listed: Container[RepoId]) -> dict[str, Any]:
        """Return the keys of `meta` about merging, limited to the listed repositories."""
        del listed
        return {}

    def body(self) -> dict[str, Any]:
        """Return the keys that this kind of answer adds to the envelope."""
        return {}

    def head(self) -> dict[str, Any]:
        """Return the keys of the answer that come before its body."""
        listed = shown_repos(self, self.shown())
        return {"schema_version": FEDERATED_SCHEMA, **envelope_json(self, listed)}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the answer, or of its error with the outcomes of the repositories."""
        if self.error is not None:
            return failed_json(self.head(), self.error, path_cleaner(self))
        return {**self.head(), "ok": True, **self.body()}


class RepoNotices(Struct, frozen=True):
    """Limits hit by one repository, and its warnings.

    Attributes:
        provenance: the snapshot that answered; None if the reply does not name it.
    """

    provenance: Provenance | None
    limits: tuple[RepoLimit, ...] = ()
    warnings: tuple[Notice, ...] = ()


def envelope_of(
    session: FanoutSession,
    notices_of: Mapping[RepoId, RepoNotices],
    *,
    diagnostics: Iterable[Diagnostic] = (),
    limits: Iterable[RepoLimit] = (),
    elapsed_ms: float,
) -> Envelope:
    """Return the envelope of an answer."""
    reports = tuple(_report(session, repo, notices_of.get(repo)) for repo in sorted(session.repos))
    answered = {} if session.is_over else notices_of
    warnings = [
        Diagnostic(notice.code, notice.message, repo_id=repo, file=notice.path_key)
        for repo, notices in answered.items()
        for notice in (*notices.warnings, *session.notices_of(repo))
    ]
    cuts = [limit for notices in answered.values() for limit in notices.limits]
    return Envelope(
        workspace=session.workspace,
        request=session.request,
        selection=session.selection,
        reports=reports,
        coverage=tuple(_coverage(report, answered) for report in reports),
        limits_hit=tuple(sorted({*cuts, *limits, *session.limits()}, key=RepoLimit.order)),
        warnings=sorted_diagnostics((*session.selection.warnings, *warnings, *diagnostics)),
        errors=failure_diagnostics(reports),
        error=None if answered else first_failure(item.error for item in reports),
        elapsed_ms=elapsed_ms,
        repo_elapsed_ms=tuple(sorted(session.elapsed_ms.items())),
        freshness=tuple(
            (repo, description.freshness)
            for repo, description in sorted(session.descriptions.items())
        ),
    )


def _report(session: FanoutSession, repo: RepoId, notices: RepoNotices | None) -> RepoReport:
    error = session.failures.get(repo)
    if error is None and session.is_over:
        error = Skipped("another repository failed first")
    description = session.descriptions.get(repo)
    origin = notices.provenance if notices and error is None else None
    known = origin or description
    return RepoReport(
        repo=session.repos[repo],
        status="ok" if error is None else status_of(error),
        corpora=(),
        error=error,
        snapshot_id=known.snapshot_id if known else None,
        degraded=known.degraded if known else None,
        partial_index=origin.partial if origin else None,
        description=description,
    )


def _coverage(report: RepoReport, answered: Collection[RepoId]) -> Coverage:
    repo_id, description = report.repo.repo_id, report.description
    if report.error is None and repo_id in answered:
        return Coverage(repo_id, answered=True, reason="it answered", could_change="no")
    if description is None:
        reason = "its content is unknown"
    elif description.counts and not any(count for _, count in description.counts):
        empty = "it has no match"
        return Coverage(repo_id, answered=False, reason=empty, could_change="no")
    else:
        reason = "it is unknown whether this repository contains the name"
    return Coverage(repo_id, answered=False, reason=reason, could_change="unknown")


Clean = Callable[[str], str]


LISTED_WHOLE: Final = 64
"""Maximum number of selected repositories that an answer lists without a condition. Larger answers
omit repositories that contribute nothing, so that their size stays bounded."""


_HARMLESS: Final = frozenset({"ok", "skipped"})
"""Statuses of repositories that are not listed if they cannot change the answer."""

_OF_THE_QUERY: Final = frozenset(
    {"max_query_terms", "max_query_characters", "max_query_per_file", "max_query_results"}
)
"""Limits on the query itself, which are the same in every repository."""

_OF_RESULTS: Final = frozenset({"max_results", "max_per_file"})
"""Limits on a repository's list; the removed hits might not have been in the answer."""


def shown_repos(response: Envelope, shown: Iterable[RepoId]) -> frozenset[RepoId]:
    """Return the repositories that an answer lists.

    All selected repositories are listed if the request asks for all, or if there are at most
    `LISTED_WHOLE`. Otherwise the list contains repositories that appear in the body, were selected
    by name, could have changed the answer, or have a diagnostic or a limit hit.
    """
    selected = frozenset(report.repo.repo_id for report in response.reports)
    if response.request.all_repos or len(selected) <= LISTED_WHOLE:
        return selected
    mentioned = {item.repo_id for item in (*response.warnings, *response.errors)}
    passed = _OF_THE_QUERY | _OF_RESULTS
    mentioned |= {cut.repo_id for cut in response.limits_hit if cut.limit.code not in passed}
    failed = {report.repo.repo_id for report in response.reports if report.status not in _HARMLESS}
    missed = {coverage.repo_id for coverage in response.coverage if coverage.could_change != "no"}
    return selected & {*shown, *response.selection.named, *mentioned, *failed, *missed}


def path_cleaner(response: Envelope) -> Clean:
    """Return the function that redacts messages of an answer."""
    if response.request.include_paths:
        return str
    return redactor(partial(known_paths, response.workspace))


def known_paths(workspace: Workspace) -> tuple[str, ...]:
    """Return the absolute paths that messages about a workspace can contain."""
    paths = {workspace.workspace_path, workspace.workspace_dir}
    paths |= {repo.root_canonical for repo in workspace.repos}
    paths |= {repo.root_abs for repo in workspace.repos}
    return tuple(sorted(str(path) for path in paths if len(path.parts) > 1))


def envelope_json(envelope: Envelope, listed: Container[RepoId]) -> dict[str, Any]:
    """Return the JSON of the envelope, limited to the listed repositories."""
    clean, workspace, selection = path_cleaner(envelope), envelope.workspace, envelope.selection
    with_paths = envelope.request.include_paths
    pairs = zip(envelope.reports, envelope.coverage, strict=True)
    rows = [pair for pair in pairs if pair[0].repo.repo_id in listed]
    path = {"workspacePath": str(workspace.workspace_path)} if with_paths else {}
    stats = {"stats": _stats(envelope, listed)} if envelope.request.stats else {}
    return {
        "backend": "federated",
        "meta": {
            "repoSetId": workspace.repo_set_id,
            "manifestHash": envelope.manifest_hash,
            "workspace": {"name": workspace.name, "workspaceId": workspace.repo_set_id, **path},
            "selection": {
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
            },
            "snapshots": {
                report.repo.repo_id: report.snapshot_id
                for report, _ in rows
                if report.snapshot_id is not None
            },
            "ruledOut": len(envelope.reports) - len(rows),
            **envelope.rules(listed),
        },
        "repos": [
            _row(report, coverage, clean, with_paths=with_paths) for report, coverage in rows
        ],
        "diagnostics": {
            "warnings": _diagnostics(envelope.warnings, clean),
            "errors": _diagnostics(envelope.errors, clean),
        },
        "limits_hit": _limits(envelope.limits_hit, listed),
        **stats,
    }


def failed_json(document: Mapping[str, Any], error: GgrepError, clean: Clean) -> dict[str, Any]:
    """Return the JSON of an error, with the outcomes of the repositories so far."""
    failed: dict[str, Any] = {**_failure(error, clean), "details": {}}
    if error.request_id:
        failed["request_id"] = error.request_id
    if error.snapshot_id:
        failed["snapshot_id"] = error.snapshot_id
    if isinstance(error, Busy):
        failed["details"] = {"retry_after_ms": error.retry_after_ms}
    if isinstance(error, WorkspaceError):
        failed["issues"] = [
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
    outcome = {"ok": False, **_failure(error, clean), "error": failed}
    return {"schema_version": FEDERATED_SCHEMA, **document, **outcome}


def _failure(error: GgrepError, clean: Clean) -> dict[str, str]:
    return {"code": code_of(error), "message": clean(str(error))}


def _limits(limits: Iterable[RepoLimit], listed: Container[RepoId]) -> list[dict[str, Any]]:
    """Return the JSON of the limits hit.

    Equal limits of unlisted repositories appear once without a repository; for limits of lists, the
    numbers of hits before the limit are added.
    """
    kept: dict[RepoLimit, None] = {}
    observed_of: Counter[tuple[str, int]] = Counter()
    for limit in limits:
        cut = limit.limit
        if limit.repo_id is None or limit.repo_id in listed:
            kept[limit] = None
        elif cut.code in _OF_RESULTS:
            observed_of[cut.code, cut.limit] += cut.observed or 0
        else:
            kept[replace(limit, repo_id=None)] = None
    kept |= {RepoLimit(LimitHit(*cut, observed)): None for cut, observed in observed_of.items()}
    return [
        {**plain(each.limit), **({} if each.repo_id is None else {"repoId": each.repo_id})}
        for each in sorted(kept, key=RepoLimit.order)
    ]


def _row(
    report: RepoReport, coverage: Coverage, clean: Clean, *, with_paths: bool
) -> dict[str, Any]:
    """Return the JSON of a repository's outcome."""
    repo, known = report.repo, report.description
    document: dict[str, Any] = {
        "repoId": repo.repo_id,
        "alias": repo.alias,
        "status": report.status,
        "perMode": {
            part.corpus.value: {
                "status": part.status,
                "count": part.count,
                **({} if part.error is None else {"error": _failure(part.error, clean)}),
            }
            for part in report.corpora
        },
        "snapshotId": report.snapshot_id,
        "degraded": report.degraded,
        "partialIndex": report.partial_index,
        "compatibilityKey": compatibility_key(known) if known else None,
    }
    if known is not None and known.profile:
        document["profile"] = known.profile
    if with_paths:
        document["repoRootCanonical"] = repo.place
    if report.error is not None:
        document["error"] = _failure(report.error, clean)
    if not coverage.answered:
        document["couldChange"] = {"verdict": coverage.could_change, "reason": coverage.reason}
    return document


def _diagnostics(items: Iterable[Diagnostic], clean: Clean) -> list[Any]:
    cleaned = [replace(item, message=clean(item.message)) for item in items]
    return [] if not cleaned else list(plain(cleaned))


def _stats(envelope: Envelope, listed: Container[RepoId]) -> dict[str, Any]:
    """Return the values that differ from run to run."""
    repos: dict[RepoId, dict[str, Any]] = {
        repo: {"elapsedMs": round(ms, 3)} for repo, ms in envelope.repo_elapsed_ms
    }
    for repo, freshness in envelope.freshness:
        repos.setdefault(repo, {"elapsedMs": 0})["freshness"] = freshness
    return {
        "elapsedMs": round(envelope.elapsed_ms, 3),
        "fromMemory": envelope.from_memory,
        "repos": {repo: figures for repo, figures in repos.items() if repo in listed},
    }
