"""Who was asked in a workspace and what became of each, whatever was asked."""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.coverage import Coverage
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import Skipped
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.repo_outcomes import (
    RepoLimit,
    RepoReport,
    code_of,
    first_failure,
    status_of,
)
from ggrep.federation.repo_requests import RepoRequests
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_manifest import described_entry, manifest_hash
from ggrep.model.limits import Notice
from ggrep.model.response import Freshness, Provenance


class Attendance(Struct, frozen=True):
    """What an answer of a workspace says of its repositories.

    Attributes:
        reports: one for each selected repository, by id.
        coverage: what each means for the answer, in the order of `reports`.
        error: None, or why there is no answer at all.
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
            for report in self.reports
        ]
        return manifest_hash(self.workspace.repo_set_id, entries)


class Attended(Protocol):
    """What is told of the repositories under every answer of a workspace."""

    @property
    def workspace(self) -> Workspace:
        """Return the workspace."""
        ...

    @property
    def request(self) -> FederatedRequest:
        """Return what was asked."""
        ...

    @property
    def selection(self) -> Selection:
        """Return the repositories that were meant."""
        ...

    @property
    def reports(self) -> tuple[RepoReport, ...]:
        """Return what became of each."""
        ...

    @property
    def coverage(self) -> tuple[Coverage, ...]:
        """Return what each means for the answer."""
        ...

    @property
    def limits_hit(self) -> tuple[RepoLimit, ...]:
        """Return the cuts."""
        ...

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return what the reader should know."""
        ...

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Return the failures of repositories."""
        ...

    @property
    def error(self) -> GgrepError | None:
        """Return why there is no answer."""
        ...

    @property
    def elapsed_ms(self) -> float:
        """Return the time from request to answer."""
        ...

    @property
    def repo_elapsed_ms(self) -> tuple[tuple[RepoId, float], ...]:
        """Return the time of each repository's calls."""
        ...

    @property
    def freshness(self) -> tuple[tuple[RepoId, Freshness], ...]:
        """Return whether indexes hold their work trees."""
        ...

    @property
    def from_memory(self) -> bool:
        """Return whether an earlier question was given the same."""
        ...

    @property
    def manifest_hash(self) -> str:
        """Return the identity of the index state."""
        ...


class Said(Struct, frozen=True):
    """What one repository said under its answers: its cuts and warnings.

    Attributes:
        provenance: which snapshot; None where that of its description is all that is known.
    """

    provenance: Provenance | None
    limits: tuple[RepoLimit, ...] = ()
    warnings: tuple[Notice, ...] = ()


def attendance_of(
    asking: RepoRequests,
    said: Mapping[RepoId, Said],
    *,
    own: Iterable[Diagnostic] = (),
    limits: Iterable[RepoLimit] = (),
    elapsed_ms: float,
) -> Attendance:
    """Return what became of each selected repository.

    Args:
        asking: what was asked.
        said: by those who answered.
        own: the coordinator's own warnings.
        limits: its own cuts.
        elapsed_ms: from request to answer.
    """
    reports = tuple(_report(asking, repo, said.get(repo)) for repo in sorted(asking.repos))
    answered = {} if asking.is_over else said
    told = [
        Diagnostic(notice.code, notice.message, repo_id=repo, file=notice.path_key)
        for repo, one in answered.items()
        for notice in (*one.warnings, *asking.said_of(repo))
    ]
    cuts = [limit for one in answered.values() for limit in one.limits]
    return Attendance(
        workspace=asking.workspace,
        request=asking.request,
        selection=asking.selection,
        reports=reports,
        coverage=tuple(_coverage(report, answered) for report in reports),
        limits_hit=tuple(sorted({*cuts, *limits, *asking.limits()}, key=RepoLimit.order)),
        warnings=sorted_diagnostics((*asking.selection.warnings, *told, *own)),
        errors=sorted_diagnostics(
            Diagnostic(code_of(item.error), str(item.error), repo_id=item.repo.repo_id)
            for item in reports
            if item.error is not None
        ),
        error=None if answered else first_failure(reports),
        elapsed_ms=elapsed_ms,
        repo_elapsed_ms=tuple(sorted(asking.elapsed_ms.items())),
        freshness=tuple(
            (repo, description.freshness)
            for repo, description in sorted(asking.descriptions.items())
        ),
    )


def _report(asking: RepoRequests, repo: RepoId, said: Said | None) -> RepoReport:
    error = asking.failures.get(repo)
    if error is None and asking.is_over:
        error = Skipped("another repository failed first")
    description = asking.descriptions.get(repo)
    origin = said.provenance if said and error is None else None
    known = description.snapshot_id if description else None
    degraded = description.degraded if description else None
    return RepoReport(
        repo=asking.repos[repo],
        status="ok" if error is None else status_of(error),
        corpora=(),
        error=error,
        snapshot_id=origin.snapshot_id if origin else known,
        degraded=origin.degraded if origin else degraded,
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
