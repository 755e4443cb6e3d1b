"""Evaluation reports, comparisons of two reports, and results of committed checks."""

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

CHECK_FILE: Final = ".ggrep-check.toml"
"""Name of the file of a repository's committed checks."""
MEASURES: Final = ("ndcg10", "mrr10", "recall10", "passed")
"""Names of the figures of a query."""
SHARES: Final = ("places", "told", "files", "line_precision", "file_precision")
"""Names of a slate's figures that are shares."""
BOUNDED: Final = ("ndcg10", "mrr10", "pass_rate")
"""Names of a run's figures that a gate can bound."""

Interval: TypeAlias = tuple[float, float]
"""Lower and upper bound of a confidence interval."""
DrawnInterval: TypeAlias = Annotated[
    Interval | None,
    "95 % interval of the figure, resampled by repository; null with fewer than three.",
]


class ComparedQueries(Struct, frozen=True):
    """Numbers of queries."""

    common: Positive
    """Queries in both reports; the differences are over them."""
    only_before: Count
    """Queries missing from the later report."""
    only_after: Count
    """Queries missing from the earlier report."""


class Difference(Struct, frozen=True):
    """Difference of a figure: later report minus earlier report."""

    queries: Positive
    """Number of queries that have the figure in both reports."""
    change: Annotated[float, Held(least=-1, most=1)]
    """Mean of the differences."""
    interval: DrawnInterval
    better: Count
    """Number of queries whose figure is higher in the later report."""
    worse: Count
    """Number of queries whose figure is lower in the later report."""

    @property
    def is_certain(self) -> bool:
        """Return whether the interval excludes zero."""
        return self.interval is not None and not self.interval[0] <= 0.0 <= self.interval[1]


class SlateChange(Struct, frozen=True):
    """Differences between slates with the same byte budget."""

    max_bytes: Count
    """Byte budget of a slate; 0 for the default of the slate's level."""
    overall: Mapping[Annotated[str, SHARES], Difference]
    """Differences by measure."""
    bytes_before: Figure | None
    """Median bytes of a slate of the earlier report; null if there was no answer."""
    bytes_after: Figure | None
    """Median bytes of a slate of the later report; null if there was no answer."""


class Comparison(Versioned, frozen=True, kw_only=True):
    """The differences between two evaluations, over the queries in both."""

    queries: ComparedQueries
    overall: Mapping[Annotated[str, MEASURES], Difference]
    """Differences by measure; measures that no query has in both reports are omitted."""
    by_category: Mapping[str, Difference]
    """Differences of NDCG by category."""
    slates: Annotated[tuple[SlateChange, ...], Held(least=1)] | UnsetType = UNSET
    """Differences of slates, by the byte budgets of both reports."""


@named("suite")
class EvaluatedSuite(Struct, frozen=True):
    """The evaluated suite."""

    name: str
    """Name of the file or folder."""
    form: Annotated[str, ("toml", "kit")]
    """Format of the suite."""
    task: Annotated[str, ("single", "federated", "mixed")]
    """Targets of its queries: repositories, workspaces, or both."""
    digest: Sha256
    """SHA-256 of the content that defines its cases."""


class FieldWeights(Struct, frozen=True):
    """Weights of one field of a chunk."""

    boost: Figure | UnsetType = UNSET
    """Factor of the field's frequencies."""
    b: Share | UnsetType = UNSET
    """Strength of the normalisation by the field's length."""


Weights: TypeAlias = Mapping[str, float | Mapping[str, FieldWeights]]
"""Weights of the ranking by name."""


class EvalSettings(Struct, frozen=True, kw_only=True):
    """Settings that flags changed; an unchanged setting is null."""

    encoder: str | None
    """Encoder, if it is not the configured encoder."""
    k: Positive | None
    """Requested hits."""
    merge: str | None
    """Merge strategy of workspaces."""
    mode: str | None
    """Intent of every query."""
    per_file: Count | None
    """Maximum number of hits in a file."""
    max_bytes: tuple[Count, ...] | UnsetType = UNSET
    """Byte budgets of the requested slates."""
    weights: Weights
    """Weights of the ranking that differ from the defaults."""


class Mean(Struct, frozen=True):
    """A mean over cases."""

    value: Share | None
    """The mean; null when no case has the figure."""
    interval: DrawnInterval


class SlateScore(Struct, frozen=True):
    """Visibility of a case's expected locations in a slate."""

    max_bytes: Count
    """Byte budget of a slate; 0 for the default of the slate's level."""
    places: Share
    """Share of the expected places that are visible: at least half of the lines are shown."""
    told: Share
    """Share of the places that are visible, or in a listed range of at most 80 lines."""
    files: Share
    """Share of the places whose file is listed."""
    line_precision: Share
    """Share of the shown lines that belong to an expected place."""
    file_precision: Share
    """Share of the listed files that contain a place."""
    bytes: Count | None
    """Bytes of the slate as JSON; null when the case has no answer."""
    calls: Count
    """Calls of the program for the slate; 0 when the case has no answer."""


class SlateBlock(Struct, frozen=True):
    """Visibility of the expected locations of several cases."""

    cases: Positive
    """Cases with expected places."""
    errors: Count
    """Cases without an answer, among `cases`; they count as 0, and have no bytes."""
    places: Mean
    """Share of the expected places that are visible: at least half of the lines are shown."""
    told: Mean
    """Share of the places that are visible, or in a listed range of at most 80 lines."""
    files: Mean
    """Share of the places whose file is listed."""
    line_precision: Mean
    """Share of the shown lines that belong to an expected place."""
    file_precision: Mean
    """Share of the listed files that contain a place."""
    bytes: Figure | None
    """Median bytes of a slate; null if there was no answer."""
    calls: Figure | None
    """Mean number of calls per case; null when nothing was answered."""


class SlateFigures(Struct, frozen=True):
    """Figures of slates with the same byte budget."""

    max_bytes: Count
    """Byte budget of a slate; 0 for the default of the slate's level."""
    overall: SlateBlock
    """Figures of all cases with expected places."""
    by_category: Mapping[str, SlateBlock]
    """Figures by category; `-` for cases without a category."""
    by_language: Mapping[str, SlateBlock]
    """Figures by language; `-` for cases without a language."""
    by_repo: Mapping[str, SlateBlock]
    """Figures by repository."""
    by_workspace: Mapping[str, SlateBlock]
    """Figures by workspace; empty when none was queried."""


class FigureBlock(Struct, frozen=True):
    """Figures of some cases."""

    cases: Positive
    """Cases that the figures are over."""
    errors: Count
    """Cases without an answer, among `cases`; they count as 0."""
    ndcg10: Share | None
    """Mean NDCG over the first ten distinct files; null when no case has the figure."""
    ndcg10_interval: DrawnInterval
    mrr10: Share | None
    """Mean of 1 / rank of the first expected file, 0 after the tenth; null when no case has the
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
    """Figures of all cases, and by category, language, repository and workspace."""

    overall: FigureBlock
    """Figures of all cases."""
    by_category: Mapping[str, FigureBlock]
    """Figures by category; `-` for cases without a category."""
    by_language: Mapping[str, FigureBlock]
    """Figures by language; `-` for cases without a language."""
    by_repo: Mapping[str, FigureBlock]
    """Figures by repository."""
    by_workspace: Mapping[str, FigureBlock]
    """Figures by workspace; empty when none was queried."""


class FailedQuestion(Struct, frozen=True):
    """A repository or workspace without any answer."""

    name: str
    """Name of the repository or workspace."""
    message: str
    """Text on a single line."""


class Gate(Struct, frozen=True):
    """A bound of a figure, and whether the figure reaches it."""

    measure: Annotated[str, BOUNDED]
    """Name of the bounded figure."""
    least: float
    """Smallest value that passes."""
    value: Share | None
    """Value of the figure."""
    holds: bool
    """Whether the value reaches the bound."""


class EvalQuery(Struct, frozen=True):
    """The scores of one case of a suite."""

    id: str
    """Name of the case."""
    query: str
    """Text of the query."""
    repo: str
    """The repository that contains the answer."""
    workspace: str | None
    """Queried workspace; null when the repository itself was queried."""
    category: str
    """Category from the suite."""
    language: str
    """Language from the suite."""
    mode: Annotated[str, Mode]
    """Intent of the query."""
    k: Positive
    """Requested hits."""
    per_file: Count
    """Maximum number of hits in a file."""
    passed: bool
    """Whether all expectations hold."""
    ndcg10: Share | None
    """NDCG over the first ten distinct files; null without relevant files."""
    mrr10: Share | None
    """1 / rank of the first expected file, 0 after the tenth; null when no file is expected."""
    recall10: Share | None
    """Share of the relevant files among the first ten; null without relevant files."""
    first_rank: Count | None
    """0-based rank of the first expected file; null when no expected file was returned."""
    missing: tuple[str, ...]
    """Expectations that are not met."""
    confidence: str | None
    """Confidence that the answer states; null when it states none."""
    files: Annotated[tuple[str, ...], Held(most=10)]
    """First ten distinct files of the answer."""
    slates: Annotated[tuple[SlateScore, ...], Held(least=1)] | UnsetType = UNSET
    """Scores of slates by byte budget; only for cases with expected places."""
    error: str | UnsetType = UNSET
    """Reason why the case has no answer; absent when it has one."""


class EvalTimings(Struct, frozen=True):
    """Durations of queries; absent from a deterministic report."""

    queries: Count
    """Number of answered queries."""
    p50_ms: Figure | None
    """Median duration, milliseconds."""
    p95_ms: Figure | None
    """95th percentile of the durations, milliseconds."""


class EvalReport(Versioned, frozen=True, kw_only=True):
    """Quality of the answers to a suite of queries."""

    ggrep_version: str
    """Version of the program that wrote the report."""
    ranking_revision: str
    """Name of the ranking that was used."""
    suite: EvaluatedSuite
    settings: EvalSettings
    figures: Figures
    failures: tuple[FailedQuestion, ...]
    """Repositories and workspaces without any answer, by name."""
    gates: tuple[Gate, ...]
    """Bounds of figures."""
    queries: Annotated[tuple[EvalQuery, ...], Held(least=1)]
    """Every case, in the order of the suite."""
    slates: Annotated[tuple[SlateFigures, ...], Held(least=1)] | UnsetType = UNSET
    """Figures of slates by byte budget; absent if no case has expected places."""
    timings: EvalTimings | UnsetType = UNSET


RULES: Final = {
    "expect_any": "at least one expected path is among the hits",
    "expect_all": "all expected paths are among the hits",
    "expect_none": "no excluded path is among the hits",
    "expect_first": "a path comes before all others",
    "expect_within": "a path is among the first files",
    "expect_order": "a path comes before another",
    "expect_section": "a hit lies in a section",
    "expect_symbol": "a hit defines a name",
    "expect_confidence": "the answer states a confidence",
    "expect_min_hits": "the answer has enough hits",
    "expect_max_hits": "the answer has at most as many hits",
    "place": "the slate shows at least half of the expected lines",
    "section": "a file is in a section of the slate",
    "answer": "the query is answered",
}
"""Every rule, with a sentence that describes when it holds."""


class CheckSummary(Struct, frozen=True):
    """Numbers of checks."""

    checks: Positive
    """Number of checks."""
    failed: Count
    """Number of checks that do not hold."""
    allow_failures: Count
    """Number of checks that may fail."""


class Miss(Struct, frozen=True):
    """An expectation that an answer does not fulfil."""

    rule: Annotated[str, tuple(RULES)]
    """Name of the rule: the key in the file, or `answer` if there was no answer."""
    wanted: str
    """Expected result."""
    came: str
    """Actual result."""


@named("check")
@held_to(
    if_={"properties": {"holds": {"const": True}}},
    then={"properties": {"misses": {"maxItems": 0}}},
    else_={"properties": {"misses": {"minItems": 1}}},
)
class CheckedQuery(Struct, frozen=True):
    """The result of one check."""

    id: str
    """Name of the check."""
    query: str
    """Text of the query."""
    line: Positive
    """Line of the check's header in the file."""
    holds: bool
    """Whether all expectations hold."""
    misses: tuple[Miss, ...]
    """Expectations that are not met; empty when all are met."""
    files: Annotated[tuple[str, ...], Held(most=10)]
    """First ten distinct files of the answer, or of the slate when only a slate is checked."""
    confidence: str | None
    """Confidence that the answer states; null when it states none."""


class CheckBaseline(Struct, frozen=True):
    """The earlier report for comparison."""

    excused: tuple[str, ...]
    """Checks that fail in both reports."""
    max_drop: Count
    """Number of other checks that may fail."""


class CheckReport(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep check`."""

    ggrep_version: str
    """Version of the program that wrote the report."""
    file: str
    """File of checks, as typed."""
    digest: Sha256
    """SHA-256 of the file's bytes."""
    ok: bool
    """Whether at most as many checks failed as the file allows; with a baseline, at most `max_drop`
    checks apart from excused ones."""
    summary: CheckSummary
    baseline: CheckBaseline | None
    """Earlier report to compare with; null without one."""
    checks: Annotated[tuple[CheckedQuery, ...], Held(least=1)]
    """Every check, in the order of the file."""
