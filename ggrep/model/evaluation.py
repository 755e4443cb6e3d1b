"""Evaluation reports, the comparison of two, and results of committed checks."""

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from ggrep.model.constraints import (
    Count,
    Figure,
    Held,
    Positive,
    Sha256,
    Share,
    Versioned,
    held_to,
    named,
)
from ggrep.model.corpus import Mode

MEASURES: Final = ("ndcg10", "mrr10", "recall10", "passed")
"""Figures of one query."""
SHARES: Final = ("places", "told", "files", "line_precision", "file_precision")
"""Figures of one slate that are shares."""
BOUNDED: Final = ("ndcg10", "mrr10", "pass_rate")
"""Figures of a run that a gate can bound."""

Interval: TypeAlias = tuple[float, float]
"""Lower and upper bound."""
DrawnInterval: TypeAlias = Annotated[
    Interval | None, "95 % interval of it, drawn by repository; null with fewer than three."
]


class ComparedQueries(Struct, frozen=True):
    """Queries, counted."""

    common: Positive
    """Those in both reports; the differences are over them."""
    only_before: Count
    """Those that the later report lacks."""
    only_after: Count
    """Those that the earlier report lacks."""


class Difference(Struct, frozen=True):
    """Later less earlier."""

    queries: Positive
    """Queries that have the measure in both."""
    change: Annotated[float, Held(least=-1, most=1)]
    """Mean of the differences."""
    interval: DrawnInterval
    better: Count
    """Queries that gained."""
    worse: Count
    """Queries that lost."""

    @property
    def is_certain(self) -> bool:
        """Return whether the interval leaves out zero."""
        return self.interval is not None and not self.interval[0] <= 0.0 <= self.interval[1]


class SlateChange(Struct, frozen=True):
    """What changed with slates that may take so many bytes."""

    max_bytes: Count
    """Bytes that slates may take; 0 for their level's own."""
    overall: Mapping[Annotated[str, SHARES], Difference]
    """Differences by measure."""
    bytes_before: Figure | None
    """Median of a slate of the earlier report; null when nothing was answered."""
    bytes_after: Figure | None
    """The same of the later one."""


class Comparison(Versioned, frozen=True, kw_only=True):
    """What changed between two evaluations, over the queries that both hold."""

    queries: ComparedQueries
    overall: Mapping[Annotated[str, MEASURES], Difference]
    """Differences by measure; one that no query has in both reports is left out."""
    by_category: Mapping[str, Difference]
    """Differences of NDCG by category."""
    slates: Annotated[tuple[SlateChange, ...], Held(least=1)] | UnsetType = UNSET
    """Differences of slates, by the bytes that both reports asked for."""


@named("suite")
class EvaluatedSuite(Struct, frozen=True):
    """What was run."""

    name: str
    """Of the file or folder."""
    form: Annotated[str, ("toml", "kit")]
    """How the suite is written."""
    task: Annotated[str, ("single", "federated", "mixed")]
    """Whether repositories are asked, workspaces, or both."""
    digest: Sha256
    """SHA-256 of what defines its cases."""


class FieldWeights(Struct, frozen=True):
    """How one field of a chunk counts."""

    boost: Figure | UnsetType = UNSET
    """Factor of the field's frequencies."""
    b: Share | UnsetType = UNSET
    """How strongly the field's length counts."""


Weights: TypeAlias = Mapping[str, float | Mapping[str, FieldWeights]]
"""Weights of the ranking by name."""


class EvalSettings(Struct, frozen=True, kw_only=True):
    """What flags changed; null for what they left alone."""

    encoder: str | None
    """Encoder instead of the configured one."""
    k: Positive | None
    """Hits asked for."""
    merge: str | None
    """How workspaces were merged."""
    mode: str | None
    """Intent of every query."""
    per_file: Count | None
    """Most hits of one file."""
    max_bytes: tuple[Count, ...] | UnsetType = UNSET
    """Bytes of the slates asked for."""
    weights: Weights
    """Weights of the ranking that were not the usual ones."""


class Mean(Struct, frozen=True):
    """A mean over cases."""

    value: Share | None
    """The mean; null when no case has the figure."""
    interval: DrawnInterval


class SlateScore(Struct, frozen=True):
    """What a slate shows of the places of a case."""

    max_bytes: Count
    """Bytes that it may take; 0 for its level's own."""
    places: Share
    """Share of the places that are visible: half of their lines are shown, at least."""
    told: Share
    """Share of the places that are visible, or lie in a range of at most 80 lines that is named."""
    files: Share
    """Share of the places whose file is named."""
    line_precision: Share
    """Share of the lines shown that belong to a place."""
    file_precision: Share
    """Share of the files named that hold a place."""
    bytes: Count | None
    """Of the slate, as JSON; null when nobody answered."""
    calls: Count
    """Calls of the program that it took; 0 when nobody answered."""


class SlateBlock(Struct, frozen=True):
    """What slates show of the places of some cases."""

    cases: Positive
    """Cases with places."""
    errors: Count
    """Of these, cases that nobody answered; they count as 0, and have no bytes."""
    places: Mean
    """Share of the places that are visible."""
    told: Mean
    """Share of the places that are told."""
    files: Mean
    """Share of the places whose file is named."""
    line_precision: Mean
    """Share of the lines shown that belong to a place."""
    file_precision: Mean
    """Share of the files named that hold a place."""
    bytes: Figure | None
    """Median of a slate; null when nothing was answered."""
    calls: Figure | None
    """Mean number of calls a case; null when nothing was answered."""


class SlateFigures(Struct, frozen=True):
    """Figures of slates that may take so many bytes."""

    max_bytes: Count
    """Bytes that slates may take; 0 for their level's own."""
    overall: SlateBlock
    """All cases with places."""
    by_category: Mapping[str, SlateBlock]
    """By category; - where a case names none."""
    by_language: Mapping[str, SlateBlock]
    """By language; - where a case names none."""
    by_repo: Mapping[str, SlateBlock]
    """By repository."""
    by_workspace: Mapping[str, SlateBlock]
    """By workspace; empty where none was asked."""


class FigureBlock(Struct, frozen=True):
    """Figures of some cases."""

    cases: Positive
    """Cases that the figures are over."""
    errors: Count
    """Of these, cases that nobody answered; they count as 0."""
    ndcg10: Share | None
    """Mean NDCG over the first ten distinct files; null when no case has the figure."""
    ndcg10_interval: DrawnInterval
    mrr10: Share | None
    """Mean of 1 / place of the first expected file, 0 behind the tenth; null when no case has the
    figure.
    """
    mrr10_interval: DrawnInterval
    recall10: Share | None
    """Mean share of the relevant files among the first ten; null when no case has the figure."""
    recall10_interval: DrawnInterval
    pass_rate: Share | None
    """Share of the cases that passed; null when no case has the figure."""
    pass_rate_interval: DrawnInterval


class Figures(Struct, frozen=True):
    """Figures of all cases, and by what they have in common."""

    overall: FigureBlock
    """All cases."""
    by_category: Mapping[str, FigureBlock]
    """By category; - where a case names none."""
    by_language: Mapping[str, FigureBlock]
    """By language; - where a case names none."""
    by_repo: Mapping[str, FigureBlock]
    """By repository."""
    by_workspace: Mapping[str, FigureBlock]
    """By workspace; empty where none was asked."""


class FailedQuestion(Struct, frozen=True):
    """What answered nothing."""

    name: str
    """Of the repository or workspace."""
    message: str
    """One line for people."""


class Gate(Struct, frozen=True):
    """A bound and what came of it."""

    measure: Annotated[str, BOUNDED]
    """The figure that is bounded."""
    least: float
    """What it must reach."""
    value: Share | None
    """What it reached."""
    holds: bool
    """It reached it."""


class EvalQuery(Struct, frozen=True):
    """One case."""

    id: str
    """Name of the case."""
    query: str
    """As it was put."""
    repo: str
    """The repository that holds the answer."""
    workspace: str | None
    """The workspace that was asked; null for the repository itself."""
    category: str
    """As the suite says."""
    language: str
    """As the suite says."""
    mode: Annotated[str, Mode]
    """Intent it was put with."""
    k: Positive
    """Hits asked for."""
    per_file: Count
    """Most hits of one file."""
    passed: bool
    """All that was expected came."""
    ndcg10: Share | None
    """NDCG over the first ten distinct files; null without relevant files."""
    mrr10: Share | None
    """1 / place of the first expected file, 0 behind the tenth; null where no file is expected."""
    recall10: Share | None
    """Share of the relevant files among the first ten; null without relevant files."""
    first_rank: Count | None
    """0-based rank of the first expected file, however deep; null when none came."""
    missing: tuple[str, ...]
    """What was expected and did not come."""
    confidence: str | None
    """As the answer states it; null where it states none."""
    files: Annotated[tuple[str, ...], Held(most=10)]
    """The first ten distinct files that came."""
    slates: Annotated[tuple[SlateScore, ...], Held(least=1)] | UnsetType = UNSET
    """What slates show, by their bytes; of cases with places."""
    error: str | UnsetType = UNSET
    """Why the case was not answered; left out when it was."""


class EvalTimings(Struct, frozen=True):
    """How long questions took; left out of a deterministic report."""

    queries: Count
    """Questions that were answered."""
    p50_ms: Figure | None
    """Half of them took no longer."""
    p95_ms: Figure | None
    """All but one in twenty took no longer."""


class EvalReport(Versioned, frozen=True, kw_only=True):
    """How good the answers to a suite of questions were."""

    ggrep_version: str
    """Version of the program that wrote the report."""
    ranking_revision: str
    """Name of the ranking in force."""
    suite: EvaluatedSuite
    settings: EvalSettings
    figures: Figures
    failures: tuple[FailedQuestion, ...]
    """Repositories and workspaces that answered nothing, by name."""
    gates: tuple[Gate, ...]
    """Bounds in force."""
    queries: Annotated[tuple[EvalQuery, ...], Held(least=1)]
    """Every case, in the order of the suite."""
    slates: Annotated[tuple[SlateFigures, ...], Held(least=1)] | UnsetType = UNSET
    """Figures of slates, by their bytes; left out where no case names places."""
    timings: EvalTimings | UnsetType = UNSET


RULES: Final = {
    "expect_any": "one of some paths is among the hits",
    "expect_all": "each of some paths is among the hits",
    "expect_none": "none of some paths is among the hits",
    "expect_first": "a path comes before all others",
    "expect_within": "a path is among the first files",
    "expect_order": "a path comes before another",
    "expect_section": "a hit lies in a section",
    "expect_symbol": "a hit defines a name",
    "expect_confidence": "the answer states a confidence",
    "expect_min_hits": "the answer holds enough hits",
    "expect_max_hits": "the answer holds no more hits",
    "place": "the slate shows half of some lines at least",
    "section": "a file stands in a section of the slate",
    "answer": "the query is answered",
}
"""Every rule, and what it says when it holds."""


class CheckSummary(Struct, frozen=True):
    """The checks, counted."""

    checks: Positive
    """All of them."""
    failed: Count
    """Those that do not hold."""
    allow_failures: Count
    """So many may fail."""


class Miss(Struct, frozen=True):
    """An expectation that does not hold."""

    rule: Annotated[str, tuple(RULES)]
    """Which one: the key in the file, or answer when none came."""
    wanted: str
    """What was expected."""
    came: str
    """What came instead."""


@named("check")
@held_to(
    if_={"properties": {"holds": {"const": True}}},
    then={"properties": {"misses": {"maxItems": 0}}},
    else_={"properties": {"misses": {"minItems": 1}}},
)
class CheckedQuery(Struct, frozen=True):
    """One check."""

    id: str
    """Its name."""
    query: str
    """As it was put."""
    line: Positive
    """Line of its header in the file."""
    holds: bool
    """All that was expected came."""
    misses: tuple[Miss, ...]
    """What does not hold; empty when all does."""
    files: Annotated[tuple[str, ...], Held(most=10)]
    """The first ten distinct files that came; of a check of a slate alone, its first ten."""
    confidence: str | None
    """As the answer states it; null where it states none."""


class CheckBaseline(Struct, frozen=True):
    """An earlier report that this one was held against."""

    excused: tuple[str, ...]
    """Checks that do not hold, and did not there."""
    max_drop: Count
    """So many others may fail."""


class CheckReport(Versioned, frozen=True, kw_only=True):
    """Whether committed expectations of answers hold."""

    ggrep_version: str
    """Version of the program that wrote the report."""
    file: str
    """The file of checks, as it was named."""
    digest: Sha256
    """SHA-256 of its bytes."""
    ok: bool
    """No more checks failed than the file allows; with a baseline, than `max_drop` beside those
    that it excuses.
    """
    summary: CheckSummary
    baseline: CheckBaseline | None
    """Null where none was given."""
    checks: Annotated[tuple[CheckedQuery, ...], Held(least=1)]
    """Every check, in the order of the file."""
