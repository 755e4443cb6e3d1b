"""The envelope of every federated answer: each repository, its outcome, and their JSON."""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, cast

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
from ggrep.model.workspace_state import Diagnostics

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import (
        AttendedJson,
        CorpusResultJson,
        DetailedFailureJson,
        FederatedErrorJson,
        FederatedLimitJson,
        FederatedRepoJson,
        FederatedStatsJson,
        NamedWorkspaceJson,
        RepoFailureJson,
        RepoStatsJson,
        SelectionJson,
    )


class Envelope(Struct, frozen=True):
    """Repositories of a workspace and their outcomes, part of every answer.

    Attributes:
        coverage: effect of each repository on the answer, in the order of `reports`.
        elapsed_ms: from request to answer; `repo_elapsed_ms` sums each repository's calls.
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
        """Return the process status that goes with the answer."""
        return 0 if self.error is None else self.error.exit_status

    @property
    def manifest_hash(self) -> str:
        """Return the identity of the index state that the selected repositories are in."""
        entries = [
            described_entry(report.repo.repo_id, report.description, report.snapshot_id)
            if report.description is not None and report.snapshot_id is not None
            else described_entry(report.repo.repo_id, None, None)
            for report in self.reports
        ]
        return manifest_hash(self.workspace.repo_set_id, entries)


class WorkspaceAnswer(Struct, frozen=True):
    """An answer over a workspace, with the outcome of each repository."""

    attendance: Envelope

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.attendance.ok

    @property
    def exit_status(self) -> int:
        """Return the process status that goes with the answer."""
        return self.attendance.exit_status


class RepoNotices(Struct, frozen=True):
    """Cuts and warnings of one repository.

    Attributes:
        provenance: snapshot that answered; None where only the described one is known.
    """

    provenance: Provenance | None
    limits: tuple[RepoLimit, ...] = ()
    warnings: tuple[Notice, ...] = ()


def envelope_of(
    session: FanoutSession,
    notices_of: Mapping[RepoId, RepoNotices],
    *,
    own: Iterable[Diagnostic] = (),
    limits: Iterable[RepoLimit] = (),
    elapsed_ms: float,
) -> Envelope:
    """Return the envelope of an answer."""
    reports = tuple(_report(session, repo, notices_of.get(repo)) for repo in sorted(session.repos))
    answered = {} if session.is_over else notices_of
    warnings = [
        Diagnostic(notice.code, notice.message, repo_id=repo, file=notice.path_key)
        for repo, notices in answered.items()
        for notice in (*notices.warnings, *session.said_of(repo))
    ]
    cuts = [limit for notices in answered.values() for limit in notices.limits]
    return Envelope(
        workspace=session.workspace,
        request=session.request,
        selection=session.selection,
        reports=reports,
        coverage=tuple(_coverage(report, answered) for report in reports),
        limits_hit=tuple(sorted({*cuts, *limits, *session.limits()}, key=RepoLimit.order)),
        warnings=sorted_diagnostics((*session.selection.warnings, *warnings, *own)),
        errors=failure_diagnostics(reports),
        error=None if answered else first_failure(reports),
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
        reason = "it did not report whether it contains the name"
    return Coverage(repo_id, answered=False, reason=reason, could_change="unknown")


Clean = Callable[[str], str]


LISTED_WHOLE: Final = 64
"""Most selected repositories that are all listed: an answer must not grow with repositories that
contribute nothing."""


_HARMLESS: Final = frozenset({"ok", "skipped"})
"""Statuses of repositories that are not listed if they cannot change the answer."""

_OF_THE_QUERY: Final = frozenset(
    {"max_query_terms", "max_query_characters", "max_query_per_file", "max_query_results"}
)
"""Cuts of the question, which every repository makes alike."""

_OF_WHAT_WAS_FOUND: Final = frozenset({"max_results", "max_per_file"})
"""Cuts of a repository's list, of which nothing need have had a place in the answer."""


def shown_repos(response: Envelope, shown: Iterable[RepoId]) -> frozenset[RepoId]:
    """Return the repositories that an answer lists.

    All of a few, or where that is wished. Else those that something of is shown, that were selected
    by name, that could have changed the answer, or of which something is to be said.
    """
    selected = frozenset(report.repo.repo_id for report in response.reports)
    if response.request.all_repos or len(selected) <= LISTED_WHOLE:
        return selected
    mentioned = {item.repo_id for item in (*response.warnings, *response.errors)}
    passed = _OF_THE_QUERY | _OF_WHAT_WAS_FOUND
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
    """Return the absolute paths that messages about a workspace may hold."""
    paths = {workspace.workspace_path, workspace.workspace_dir}
    paths |= {repo.root_canonical for repo in workspace.repos}
    paths |= {repo.root_abs for repo in workspace.repos}
    return tuple(sorted(str(path) for path in paths if len(path.parts) > 1))


def envelope_json(envelope: Envelope, listed: Container[RepoId]) -> "AttendedJson":
    """Return the part of every answer about its repositories, limited to the listed ones."""
    clean, workspace = path_cleaner(envelope), envelope.workspace
    named: NamedWorkspaceJson = {"name": workspace.name, "workspaceId": workspace.repo_set_id}
    if envelope.request.include_paths:
        named["workspacePath"] = str(workspace.workspace_path)
    shown = [report for report in envelope.reports if report.repo.repo_id in listed]
    document: AttendedJson = {
        "backend": "federated",
        "meta": {
            "repoSetId": workspace.repo_set_id,
            "manifestHash": envelope.manifest_hash,
            "workspace": named,
            "selection": selection_json(envelope, clean, listed),
            "snapshots": {
                report.repo.repo_id: report.snapshot_id
                for report in shown
                if report.snapshot_id is not None
            },
            "ruledOut": len(envelope.reports) - len(shown),
        },
        "repos": [
            repo_json(report, coverage, clean, show_root=envelope.request.include_paths)
            for report, coverage in zip(envelope.reports, envelope.coverage, strict=True)
            if report.repo.repo_id in listed
        ],
        "diagnostics": plain(
            Diagnostics(_cleaned(envelope.warnings, clean), _cleaned(envelope.errors, clean))
        ),
        "limits_hit": limits_json(envelope.limits_hit, listed),
    }
    if envelope.request.stats:
        document["stats"] = stats_json(envelope, listed)
    return document


def failed_json(
    document: Mapping[str, object], error: GgrepError, clean: Clean
) -> "FederatedErrorJson":
    """Return the failure, with all that is known of the repositories."""
    failed = error_json(error, clean)
    outcome = {"ok": False, "code": failed["code"], "message": failed["message"], "error": failed}
    return cast("FederatedErrorJson", {**document, "schema_version": FEDERATED_SCHEMA, **outcome})


def selection_json(response: Envelope, clean: Clean, listed: Container[RepoId]) -> "SelectionJson":
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


def limits_json(
    limits: Iterable[RepoLimit], listed: Container[RepoId]
) -> "list[FederatedLimitJson]":
    """Return the cuts.

    Equal cuts of unlisted repositories appear once, without a repository; their numbers of hits
    are added up.
    """
    kept: dict[RepoLimit, None] = {}
    observed_of: Counter[tuple[str, int]] = Counter()
    for limit in limits:
        cut = limit.limit
        if limit.repo_id is None or limit.repo_id in listed:
            kept[limit] = None
        elif cut.code in _OF_WHAT_WAS_FOUND:
            observed_of[cut.code, cut.limit] += cut.observed or 0
        else:
            kept[replace(limit, repo_id=None)] = None
    kept |= {RepoLimit(LimitHit(*cut, observed)): None for cut, observed in observed_of.items()}
    return [limit_of_repo_json(limit) for limit in sorted(kept, key=RepoLimit.order)]


def repo_json(
    report: RepoReport, coverage: Coverage, clean: Clean, *, show_root: bool
) -> "FederatedRepoJson":
    """Return the outcome of one repository."""
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


def _cleaned(items: Sequence[Diagnostic], clean: Clean) -> tuple[Diagnostic, ...]:
    return tuple(replace(item, message=clean(item.message)) for item in items)


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


def stats_json(response: Envelope, listed: Container[RepoId]) -> "FederatedStatsJson":
    """Return the values that differ from run to run."""
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
