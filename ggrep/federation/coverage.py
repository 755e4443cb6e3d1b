"""Tells whether a repository that did not answer could have changed the lists.

Pure, and careful: `no` is only said where the answer with that repository is known to be the same,
hit for hit and score for score. There are two ways to know it. The repository holds no chunk of
the corpora in question; or its term statistics show none of the query's terms, no vectors take
part, and the query spells no path, which would find files by where they lie. Where scores are
measured against the sum of all statistics, its own must be in that sum besides: otherwise they
would have moved everybody's scores, even if it holds nothing that fits.

Of those that were counted and shown nothing of, because the request limits their number, it is
known from their scores (`ggrep.search.engine.joint_reach`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct, field

from ggrep.base.ids import RepoId
from ggrep.federation.repo_outcomes import RepoReport
from ggrep.model.corpus import Corpus
from ggrep.model.response import RepoDescription
from ggrep.model.statistics import CollectionStatistics

CouldChange: TypeAlias = Literal["no", "yes", "unknown"]

_PATH_SIGNS: Final = frozenset("/\\.")
"""A query without any of them spells no path and no file name."""

_BY_SCORES: Final[Mapping[bool, tuple[CouldChange, str]]] = {
    True: ("yes", "its hits score high enough"),
    False: ("no", "no hit scores high enough"),
}


class Coverage(Struct, frozen=True):
    """What one repository contributes, or could have contributed, to the lists.

    Attributes:
        answered: all that it was asked for is in the lists.
        reason: why it could have changed them or not; one of a few fixed texts.
        could_change: `unknown` for one of which nothing is known.
    """

    repo_id: RepoId
    answered: bool
    reason: str
    could_change: CouldChange


class Known(Struct, frozen=True):
    """What is known about the repositories besides their reports.

    Attributes:
        query: as it was asked.
        figures: statistics of the query's terms, of each repository that gave them.
        summed: scores depend on the statistics of all repositories.
        counted: whose were in it; read only when `summed`.
        by_words: hits hold words of the query whole; else its words say nothing of who has any.
        verdicts: of those whose rows were scored and not shown, whether one would have mattered.
    """

    query: str
    figures: Mapping[RepoId, CollectionStatistics]
    summed: bool
    counted: Collection[RepoId]
    by_words: bool = True
    verdicts: Mapping[RepoId, bool] = field(default_factory=dict)

    def is_settled(self, repo_id: RepoId) -> bool:
        """Return whether the other repositories' scores are the same without this one."""
        return not self.summed or repo_id in self.counted


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
        _verdict(repo_id, report.description, missing, known)
        if reaches is None
        else _BY_SCORES[reaches]
    )
    return Coverage(repo_id, answered=False, reason=reason, could_change=could_change)


def _verdict(
    repo_id: RepoId,
    description: RepoDescription | None,
    missing: Collection[Corpus],
    known: Known,
) -> tuple[CouldChange, str]:
    figures = known.figures.get(repo_id)
    if description is None:
        return "unknown", "its content is unknown"
    if not known.is_settled(repo_id):
        return "unknown", "its term statistics were not used for the scores"
    if _holds_none(description, figures, missing):
        return "no", "it has no match"
    if not known.by_words:
        return "unknown", "words alone cannot show whether it has a match"
    return _by_words(figures, description, known.query)


def _by_words(
    figures: CollectionStatistics | None, description: RepoDescription, query: str
) -> tuple[CouldChange, str]:
    if figures is None:
        return "unknown", "it did not report which words of the query it contains"
    if any(entry.chunks or entry.files for entry in figures.terms):
        return "yes", "it contains words of the query"
    if description.has_vectors:
        return "yes", "its chunks are compared with the query's meaning"
    if _PATH_SIGNS & set(query):
        return "unknown", "the query may name one of its files"
    return "no", "it contains no word of the query"


def _holds_none(
    description: RepoDescription,
    figures: CollectionStatistics | None,
    missing: Collection[Corpus],
) -> bool:
    if figures is not None and not figures.chunks:
        return True
    counts = dict(description.counts)
    return all(counts.get(corpus, 1) == 0 for corpus in missing)
