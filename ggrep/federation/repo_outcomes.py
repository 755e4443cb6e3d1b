"""Outcomes of the selected repositories: did they answer, could they have changed the lists?"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct, field

from ggrep.base.errors import DeadlineExceeded, GgrepError, Incompatible, MissingRoot, NoIndex
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import Skipped
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.corpus import Corpus
from ggrep.model.limits import LimitHit
from ggrep.model.request import CollectionStatistics
from ggrep.model.response import PoolResponse, RepoDescription

Status: TypeAlias = Literal[
    "ok", "partial", "missing_root", "missing_index", "incompatible", "error", "timeout", "skipped"
]

NO_INDEX = "NO_INDEX"
"""Error code for a repository without a published index."""

_WORDS: Final[tuple[tuple[type[GgrepError], Status], ...]] = (
    (MissingRoot, "missing_root"),
    (NoIndex, "missing_index"),
    (Incompatible, "incompatible"),
    (Skipped, "skipped"),
)
"""Statuses of specific failures; other failures are timeouts or errors."""

_EXCLUDED = Incompatible("its scores are not comparable with those of the queried cohort")


class CorpusReport(Struct, frozen=True):
    """The outcome of a corpus in a repository."""

    corpus: Corpus
    status: Status
    count: int
    error: GgrepError | None


class RepoReport(Struct, frozen=True):
    """The outcome of one repository.

    Attributes:
        status: outcome of all corpora; `partial` if their outcomes differ.
        snapshot_id: the snapshot that answered, else the snapshot in `description`; None if
            unknown.
        degraded: whether the snapshot lacks files; None if unknown.
        partial_index: whether the first index is still being built; None if unknown.
    """

    repo: WorkspaceRepo
    status: Status
    corpora: tuple[CorpusReport, ...]
    error: GgrepError | None
    snapshot_id: str | None
    degraded: bool | None
    partial_index: bool | None
    description: RepoDescription | None


class RepoLimit(Struct, frozen=True):
    """A limit that changed the answer; `repo_id` is None for the coordinator's own limits."""

    limit: LimitHit
    repo_id: RepoId | None = None

    def order(self) -> tuple[str, str, str]:
        """Return the sort key of limits in an answer."""
        return self.repo_id or "", self.limit.code, self.limit.path_key or ""


class Answers(Struct, frozen=True):
    """All replies of the selected repositories.

    Attributes:
        failures: errors by repository; a failed repository is in neither `pools` nor a merged list.
        shown: number of shown hits by repository and corpus; zero counts are omitted.
    """

    descriptions: Mapping[RepoId, RepoDescription]
    failures: Mapping[RepoId, GgrepError]
    pools: Mapping[RepoId, PoolResponse]
    shown: Mapping[tuple[RepoId, Corpus], int]


def report(
    selection: Selection, corpora: tuple[Corpus, ...], plan: CohortPlan, answers: Answers
) -> tuple[RepoReport, ...]:
    """Return a report for each selected repository, sorted by id."""
    ordered = sorted(selection.repos, key=lambda repo: repo.repo_id)
    return tuple(_report(repo, corpora, plan, answers) for repo in ordered)


def status_of(error: GgrepError) -> Status:
    """Return the status of a repository with an error."""
    other: Status = "timeout" if error.code == DeadlineExceeded.code else "error"
    return next((word for kind, word in _WORDS if isinstance(error, kind)), other)


def code_of(error: GgrepError) -> str:
    """Return the error code that an answer reports for a failure."""
    return NO_INDEX if isinstance(error, NoIndex) else error.code


def failure_diagnostics(reports: Iterable[RepoReport]) -> tuple[Diagnostic, ...]:
    """Return the failures of repositories, sorted."""
    return sorted_diagnostics(
        Diagnostic(code_of(report.error), str(report.error), repo_id=report.repo.repo_id)
        for report in reports
        if report.error is not None
    )


def first_failure(errors: Iterable[GgrepError | None]) -> GgrepError | None:
    """Return the request's error: the first by repository id, but missing indexes last."""
    relevant = [error for error in errors if error and not isinstance(error, Skipped)]
    hard = [error for error in relevant if not isinstance(error, NoIndex)]
    return next(iter([*hard, *relevant]), None)


def _report(
    repo: WorkspaceRepo, corpora: tuple[Corpus, ...], plan: CohortPlan, answers: Answers
) -> RepoReport:
    failure = answers.failures.get(repo.repo_id)
    pool = answers.pools.get(repo.repo_id)
    admitted = plan.corpora_of(repo.repo_id)
    excluded = repo.repo_id in answers.descriptions and bool(plan.corpora)
    parts = []
    for corpus in corpora:
        error = _EXCLUDED if excluded and corpus not in admitted else failure
        if error is not None:
            parts.append(CorpusReport(corpus, status_of(error), 0, error))
        else:
            count = answers.shown.get((repo.repo_id, corpus), 0)
            parts.append(CorpusReport(corpus, "ok", count, None))
    statuses = {part.status for part in parts}
    description = answers.descriptions.get(repo.repo_id)
    known = description if pool is None else pool.provenance
    return RepoReport(
        repo=repo,
        status=parts[0].status if len(statuses) == 1 else "partial",
        corpora=tuple(parts),
        error=failure,
        snapshot_id=known.snapshot_id if known else None,
        degraded=known.degraded if known else None,
        partial_index=pool.provenance.partial if pool else None,
        description=description,
    )


CouldChange: TypeAlias = Literal["no", "yes", "unknown"]

_PATH_SIGNS: Final = frozenset("/\\.")
"""A query without these characters contains no path and no file name."""

_BY_SCORES: Final[Mapping[bool, tuple[CouldChange, str]]] = {
    True: ("yes", "its hits score high enough"),
    False: ("no", "no hit scores high enough"),
}


class Coverage(Struct, frozen=True):
    """Whether a repository contributed to the lists, or could have changed them.

    Attributes:
        answered: whether the lists include all replies of the repository.
        reason: reason for `could_change`, from a fixed set of texts.
        could_change: `unknown` if nothing is known about the repository.
    """

    repo_id: RepoId
    answered: bool
    reason: str
    could_change: CouldChange


class Known(Struct, frozen=True):
    """Facts about the repositories that their reports do not contain.

    Attributes:
        summed: whether scores depend on the statistics of all repositories.
        counted: repositories whose statistics are in the sum; used only if `summed`.
        by_words: whether each hit contains whole words of the query. If False, word statistics do
            not show which repositories have hits.
        verdicts: for repositories that were scored but returned no lists, whether a hit could have
            been shown.
    """

    query: str
    figures: Mapping[RepoId, CollectionStatistics]
    summed: bool
    counted: Collection[RepoId]
    by_words: bool = True
    verdicts: Mapping[RepoId, bool] = field(default_factory=dict)


def coverage_of(reports: Sequence[RepoReport], known: Known) -> tuple[Coverage, ...]:
    """Return each repository's coverage, in the order of the reports."""
    return tuple(_coverage(report, known) for report in reports)


def _coverage(report: RepoReport, known: Known) -> Coverage:
    repo_id = report.repo.repo_id
    missing = [part.corpus for part in report.corpora if part.status != "ok"]
    if not missing:
        return Coverage(repo_id, answered=True, reason="it answered", could_change="no")
    reaches = known.verdicts.get(repo_id)
    could_change, reason = (
        _verdict(report, missing, known) if reaches is None else _BY_SCORES[reaches]
    )
    return Coverage(repo_id, answered=False, reason=reason, could_change=could_change)


def _verdict(
    report: RepoReport, missing: Collection[Corpus], known: Known
) -> tuple[CouldChange, str]:
    repo_id, description = report.repo.repo_id, report.description
    figures = known.figures.get(repo_id)
    if description is None:
        return "unknown", "its content is unknown"
    if known.summed and repo_id not in known.counted:
        return "unknown", "its term statistics were not used for the scores"
    counts = dict(description.counts)
    is_empty = figures is not None and not figures.chunks
    if is_empty or all(counts.get(corpus, 1) == 0 for corpus in missing):
        return "no", "it has no match"
    if not known.by_words:
        return "unknown", "words alone cannot show whether it has a match"
    return _by_words(figures, description, known.query)


def _by_words(
    figures: CollectionStatistics | None, description: RepoDescription, query: str
) -> tuple[CouldChange, str]:
    if figures is None:
        return "unknown", "it is unknown which words of the query this repository contains"
    if any(entry.chunks or entry.files for entry in figures.terms):
        return "yes", "it contains words of the query"
    if description.has_vectors:
        return "yes", "its chunks are compared with the query's meaning"
    if _PATH_SIGNS & set(query):
        return "unknown", "the query may name one of its files"
    return "no", "it contains no word of the query"
