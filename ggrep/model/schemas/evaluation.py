"""Evaluation reports, the comparison of two, and results of committed checks."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, TypeAlias, TypedDict

from ggrep.model.constraints import (
    Count,
    DocumentJson,
    Figure,
    Held,
    Positive,
    Sha256,
    Share,
    held_to,
)
from ggrep.model.corpus import Mode

Interval: TypeAlias = Annotated[Sequence[float], Held(least=2, most=2)]
"""Lower and upper bound."""


class ComparedQueriesJson(TypedDict):
    """Queries, counted."""

    common: Positive
    """Those in both reports; the differences are over them."""
    only_before: Count
    """Those that the later report lacks."""
    only_after: Count
    """Those that the earlier report lacks."""


class DifferenceJson(TypedDict):
    """Later less earlier."""

    queries: Positive
    """Queries that have the measure in both."""
    change: Annotated[float, Held(least=-1, most=1)]
    """Mean of the differences."""
    interval: Interval | None
    """95 % interval of it, drawn by repository; null with fewer than three."""
    better: Count
    """Queries that gained."""
    worse: Count
    """Queries that lost."""


class SlateChangeJson(TypedDict):
    """What changed with slates that may take so many bytes."""

    max_bytes: Count
    """Bytes that slates may take; 0 for their level's own."""
    overall: Mapping[
        Annotated[str, ("places", "told", "files", "line_precision", "file_precision")],
        DifferenceJson,
    ]
    """Differences by measure."""
    bytes_before: Figure | None
    """Median of a slate of the earlier report; null when nothing was answered."""
    bytes_after: Figure | None
    """The same of the later one."""


class EvalComparisonJson(DocumentJson):
    """What changed between two evaluations, over the queries that both hold."""

    queries: ComparedQueriesJson
    overall: Mapping[Annotated[str, ("ndcg10", "mrr10", "recall10", "passed")], DifferenceJson]
    """Differences by measure; one that no query has in both reports is left out."""
    by_category: Mapping[str, DifferenceJson]
    """Differences of NDCG by category."""
    slates: NotRequired[Annotated[Sequence[SlateChangeJson], Held(least=1)]]
    """Differences of slates, by the bytes that both reports asked for."""


class SuiteJson(TypedDict):
    """What was run."""

    name: str
    """Of the file or folder."""
    form: Annotated[str, ("toml", "kit")]
    """How the suite is written."""
    task: Annotated[str, ("single", "federated", "mixed")]
    """Whether repositories are asked, workspaces, or both."""
    digest: Sha256
    """SHA-256 of what defines its cases."""


class FieldWeightsJson(TypedDict):
    """How one field of a chunk counts."""

    boost: NotRequired[Figure]
    """Factor of the field's frequencies."""
    b: NotRequired[Share]
    """How strongly the field's length counts."""


WeightsJson: TypeAlias = Mapping[str, float | Mapping[str, FieldWeightsJson]]
"""Weights of the ranking by name."""


class EvalSettingsJson(TypedDict):
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
    max_bytes: NotRequired[Sequence[Count]]
    """Bytes of the slates asked for."""
    weights: WeightsJson
    """Weights of the ranking that were not the usual ones."""


class MeanJson(TypedDict):
    """A mean over cases."""

    value: Share | None
    """The mean; null when no case has the figure."""
    interval: Interval | None
    """95 % interval of it, drawn by repository; null with fewer than three."""


class SlateScoreJson(TypedDict):
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


class SlateBlockJson(TypedDict):
    """What slates show of the places of some cases."""

    cases: Positive
    """Cases with places."""
    errors: Count
    """Of these, cases that nobody answered; they count as 0, and have no bytes."""
    places: MeanJson
    """Share of the places that are visible."""
    told: MeanJson
    """Share of the places that are told."""
    files: MeanJson
    """Share of the places whose file is named."""
    line_precision: MeanJson
    """Share of the lines shown that belong to a place."""
    file_precision: MeanJson
    """Share of the files named that hold a place."""
    bytes: Figure | None
    """Median of a slate; null when nothing was answered."""
    calls: Figure | None
    """Mean number of calls a case; null when nothing was answered."""


class SlateFiguresJson(TypedDict):
    """Figures of slates that may take so many bytes."""

    max_bytes: Count
    """Bytes that slates may take; 0 for their level's own."""
    overall: SlateBlockJson
    """All cases with places."""
    by_category: Mapping[str, SlateBlockJson]
    """By category; - where a case names none."""
    by_language: Mapping[str, SlateBlockJson]
    """By language; - where a case names none."""
    by_repo: Mapping[str, SlateBlockJson]
    """By repository."""
    by_workspace: Mapping[str, SlateBlockJson]
    """By workspace; empty where none was asked."""


class FigureBlockJson(TypedDict):
    """Figures of some cases."""

    cases: Positive
    """Cases that the figures are over."""
    errors: Count
    """Of these, cases that nobody answered; they count as 0."""
    ndcg10: Share | None
    """Mean NDCG over the first ten distinct files; null when no case has the figure."""
    ndcg10_interval: Interval | None
    """95 % interval of it, drawn by repository; null with fewer than three."""
    mrr10: Share | None
    """Mean of 1 / place of the first expected file, 0 behind the tenth; null when no case has the
    figure.
    """
    mrr10_interval: Interval | None
    """95 % interval of it, drawn by repository; null with fewer than three."""
    recall10: Share | None
    """Mean share of the relevant files among the first ten; null when no case has the figure."""
    recall10_interval: Interval | None
    """95 % interval of it, drawn by repository; null with fewer than three."""
    pass_rate: Share | None
    """Share of the cases that passed; null when no case has the figure."""
    pass_rate_interval: Interval | None
    """95 % interval of it, drawn by repository; null with fewer than three."""


class FiguresJson(TypedDict):
    """Figures of all cases, and by what they have in common."""

    overall: FigureBlockJson
    """All cases."""
    by_category: Mapping[str, FigureBlockJson]
    """By category; - where a case names none."""
    by_language: Mapping[str, FigureBlockJson]
    """By language; - where a case names none."""
    by_repo: Mapping[str, FigureBlockJson]
    """By repository."""
    by_workspace: Mapping[str, FigureBlockJson]
    """By workspace; empty where none was asked."""


class FailedQuestionJson(TypedDict):
    """What answered nothing."""

    name: str
    """Of the repository or workspace."""
    message: str
    """One line for people."""


class GateJson(TypedDict):
    """A bound and what came of it."""

    measure: Annotated[str, ("ndcg10", "mrr10", "pass_rate")]
    """The figure that is bounded."""
    least: float
    """What it must reach."""
    value: Share | None
    """What it reached."""
    holds: bool
    """It reached it."""


class EvalQueryJson(TypedDict):
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
    missing: Sequence[str]
    """What was expected and did not come."""
    confidence: str | None
    """As the answer states it; null where it states none."""
    files: Annotated[Sequence[str], Held(most=10)]
    """The first ten distinct files that came."""
    slates: NotRequired[Annotated[Sequence[SlateScoreJson], Held(least=1)]]
    """What slates show, by their bytes; of cases with places."""
    error: NotRequired[str]
    """Why the case was not answered; left out when it was."""


class EvalTimingsJson(TypedDict):
    """How long questions took; left out of a deterministic report."""

    queries: Count
    """Questions that were answered."""
    p50_ms: Figure | None
    """Half of them took no longer."""
    p95_ms: Figure | None
    """All but one in twenty took no longer."""


class EvalReportJson(DocumentJson):
    """How good the answers to a suite of questions were."""

    ggrep_version: str
    """Version of the program that wrote the report."""
    ranking_revision: str
    """Name of the ranking in force."""
    suite: SuiteJson
    settings: EvalSettingsJson
    figures: FiguresJson
    failures: Sequence[FailedQuestionJson]
    """Repositories and workspaces that answered nothing, by name."""
    gates: Sequence[GateJson]
    """Bounds in force."""
    queries: Annotated[Sequence[EvalQueryJson], Held(least=1)]
    """Every case, in the order of the suite."""
    slates: NotRequired[Annotated[Sequence[SlateFiguresJson], Held(least=1)]]
    """Figures of slates, by their bytes; left out where no case names places."""
    timings: NotRequired[EvalTimingsJson]


class CheckSummaryJson(TypedDict):
    """The checks, counted."""

    checks: Positive
    """All of them."""
    failed: Count
    """Those that do not hold."""
    allow_failures: Count
    """So many may fail."""


class MissJson(TypedDict):
    """An expectation that does not hold."""

    rule: Annotated[
        str,
        (
            "expect_any",
            "expect_all",
            "expect_none",
            "expect_first",
            "expect_within",
            "expect_order",
            "expect_section",
            "expect_symbol",
            "expect_confidence",
            "expect_min_hits",
            "expect_max_hits",
            "place",
            "section",
            "answer",
        ),
    ]
    """Which one: the key in the file, or answer when none came."""
    wanted: str
    """What was expected."""
    came: str
    """What came instead."""


@held_to(
    if_={"properties": {"holds": {"const": True}}},
    then={"properties": {"misses": {"maxItems": 0}}},
    else_={"properties": {"misses": {"minItems": 1}}},
)
class CheckJson(TypedDict):
    """One check."""

    id: str
    """Its name."""
    query: str
    """As it was put."""
    line: Positive
    """Line of its header in the file."""
    holds: bool
    """All that was expected came."""
    misses: Sequence[MissJson]
    """What does not hold; empty when all does."""
    files: Annotated[Sequence[str], Held(most=10)]
    """The first ten distinct files that came; of a check of a slate alone, its first ten."""
    confidence: str | None
    """As the answer states it; null where it states none."""


class CheckBaselineJson(TypedDict):
    """An earlier report that this one was held against."""

    excused: Sequence[str]
    """Checks that do not hold, and did not there."""
    max_drop: Count
    """So many others may fail."""


class CheckReportJson(DocumentJson):
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
    summary: CheckSummaryJson
    baseline: CheckBaselineJson | None
    """Null where none was given."""
    checks: Annotated[Sequence[CheckJson], Held(least=1)]
    """Every check, in the order of the file."""
