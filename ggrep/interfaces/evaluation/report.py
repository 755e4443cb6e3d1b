"""A run of a suite: every case's score and the report. Schema `eval_report`, version 1."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.figures import (
    Block,
    Figures,
    Scored,
    SlateFigures,
    figures_json,
    figures_of,
    percentile,
    slate_figures,
    slate_figures_json,
    slate_score_json,
)
from ggrep.interfaces.evaluation.measures import SlateScore, failed_score, score
from ggrep.interfaces.evaluation.questions import Answer
from ggrep.interfaces.evaluation.suite import Case, Overrides, Suite
from ggrep.interfaces.evaluation.suite_processes import Conditions, JobResult
from ggrep.interfaces.evaluation.visible_lines import NOTHING_SEEN, seen

if TYPE_CHECKING:
    from ggrep.model.schemas.evaluation import (
        EvalQueryJson,
        EvalReportJson,
        EvalTimingsJson,
        GateJson,
        WeightsJson,
    )

EVAL_SCHEMA: Final = 1
SHOWN_FILES: Final = 10
_NOT_ANSWERED: Final = "the worker gave no answer"


class Failure(Struct, frozen=True):
    """A repository or workspace that answered nothing."""

    name: str
    message: str


class Run(Struct, frozen=True):
    """What became of a suite.

    Attributes:
        rows: in the order of the suite's cases.
        failures: by name.
        elapsed_ms: of each answered question; volatile.
        slates: figures of slates by their bytes; none where no case names a place.
    """

    suite: Suite
    rows: tuple[Scored, ...]
    figures: Figures
    failures: tuple[Failure, ...]
    elapsed_ms: tuple[float, ...]
    slates: tuple[SlateFigures, ...] = ()

    @property
    def searched(self) -> bool:
        """Return whether any case asked for a search."""
        return any(row.case.question.searched for row in self.rows)

    @property
    def errors(self) -> int:
        """Return how many cases nobody answered."""
        return self.figures.overall.errors


class Setup(Struct, frozen=True):
    """Under which conditions a run took place, as the report names them."""

    conditions: Conditions
    overrides: Overrides
    version: str
    ranking_revision: str


def scored_run(suite: Suite, outcomes: Sequence[JobResult]) -> Run:
    """Return the scored suite. What failed is scored 0 and named; nothing else suffers for it."""
    answers: dict[tuple[str, object], Answer] = {}
    reasons: dict[object, str] = {}
    for outcome in outcomes:
        reasons[outcome.job.target] = outcome.error
        for answer in outcome.answers:
            answers[answer.id, outcome.job.target] = answer
    rows = tuple(
        _scored(case, answers.get((case.question.id, case.target)), reasons[case.target])
        for case in suite.cases
    )
    failures = [Failure(o.job.name, o.error) for o in outcomes if o.error]
    answered = [row.answer.elapsed_ms for row in rows if not row.answer.error]
    return Run(suite, rows, figures_of(rows), tuple(failures), tuple(answered), slate_figures(rows))


def report_json(
    run: Run, setup: Setup, gates: "Sequence[GateJson]", *, deterministic: bool
) -> "EvalReportJson":
    """Return the report; times stand in `timings` alone, and nowhere in a deterministic one."""
    suite, conditions, overrides = run.suite, setup.conditions, setup.overrides
    document: EvalReportJson = {
        "schema_version": EVAL_SCHEMA,
        "ggrep_version": setup.version,
        "ranking_revision": setup.ranking_revision,
        "suite": {
            "name": suite.name,
            "form": suite.form,
            "task": suite.task,
            "digest": suite.digest,
        },
        "settings": {
            "encoder": conditions.encoder,
            "k": overrides.limit,
            "merge": conditions.merge,
            "mode": overrides.mode,
            "per_file": overrides.per_file,
            "weights": cast("WeightsJson", dict(sorted(conditions.weights.items()))),
        },
        "figures": figures_json(run.figures),
        "failures": [{"name": each.name, "message": each.message} for each in run.failures],
        "gates": list(gates),
        "queries": queries_json(run),
    }
    if overrides.max_bytes:
        document["settings"]["max_bytes"] = list(overrides.max_bytes)
    if run.slates:
        document["slates"] = slate_figures_json(run.slates)
    if not deterministic:
        document["timings"] = _timings(run.elapsed_ms)
    return document


def queries_json(run: Run) -> "list[EvalQueryJson]":
    """Return every case as a report holds it."""
    return [_row_json(row) for row in run.rows]


def _scored(case: Case, answer: Answer | None, reason: str) -> Scored:
    sizes = case.question.slates
    if answer is None:
        answer = Answer(case.question.id, error=reason or _NOT_ANSWERED)
    if answer.error:
        none = tuple(SlateScore(size, NOTHING_SEEN, answered=False) for size in sizes)
        return Scored(case, answer, failed_score(case.expected), none)
    found = score(case.expected, answer.files, answer.confidence)
    slates = tuple(
        SlateScore(size, seen(case.places, slate))
        for size, slate in zip(sizes, answer.slates, strict=True)
    )
    if answer.slates:
        hidden = [each for each in case.places if not answer.slates[0].shows(each)]
        missing = (*found.missing, *(f"{' or '.join(map(str, each))} shown" for each in hidden))
        found = replace(found, passed=not missing, missing=missing)
    return Scored(case, answer, found, slates)


def _row_json(row: Scored) -> "EvalQueryJson":
    case, question, found = row.case, row.case.question, row.score
    document: EvalQueryJson = {
        "id": question.id,
        "query": question.query,
        "repo": case.repo,
        "workspace": case.workspace or None,
        "category": case.category,
        "language": case.language,
        "mode": question.mode,
        "k": question.limit,
        "per_file": question.per_file,
        "passed": found.passed,
        "ndcg10": found.ndcg10,
        "mrr10": found.mrr10,
        "recall10": found.recall10,
        "first_rank": found.first_rank,
        "missing": list(found.missing),
        "confidence": row.answer.confidence,
        "files": list(row.answer.named[:SHOWN_FILES]),
    }
    if row.slates:
        document["slates"] = [slate_score_json(each) for each in row.slates]
    if row.answer.error:
        document["error"] = row.answer.error
    return document


def _timings(elapsed_ms: Sequence[float]) -> "EvalTimingsJson":
    if not elapsed_ms:
        return {"queries": 0, "p50_ms": None, "p95_ms": None}
    return {
        "queries": len(elapsed_ms),
        "p50_ms": round(percentile(elapsed_ms, 0.5), 1),
        "p95_ms": round(percentile(elapsed_ms, 0.95), 1),
    }


MEASURES: Final = ("ndcg10", "mrr10", "pass_rate")
_FLAGS: Final = {"ndcg10": "ndcg", "mrr10": "mrr", "pass_rate": "pass-rate"}
"""How each measure is called in names of flags."""


class Bound(Struct, frozen=True):
    """What one measure must reach.

    Attributes:
        least: stated; None where nothing was.
        max_drop: allowed below the earlier report's figure.
    """

    measure: str
    least: float | None
    max_drop: float


class Gate(Struct, frozen=True):
    """A bound in force, and what came of it.

    Attributes:
        least: the greater of what was stated and what the earlier report allows.
        value: None when no case has the figure; such a gate is missed.
    """

    measure: str
    least: float
    value: float | None

    @property
    def holds(self) -> bool:
        """Return whether the figure reaches the bound."""
        return self.value is not None and self.value >= self.least


def stated_bound(measure: str, least: float | None, max_drop: float) -> Bound:
    """Return the bound of one measure as its flags state it.

    Raises:
        UsageError: a figure lies outside 0 to 1, where no figure can.
    """
    for flag, value in (("--fail-under", least), ("--max-drop", max_drop)):
        if value is not None and not 0.0 <= value <= 1.0:  # which a NaN does not either
            raise UsageError(f"{flag}-{_FLAGS[measure]}: {value} does not lie between 0 and 1")
    return Bound(measure, least, max_drop)


def gates_of(
    overall: Block, bounds: tuple[Bound, ...], baseline: Mapping[str, Any] | None
) -> list[Gate]:
    """Return the gates in force: measures without a bound of any kind have none."""
    values = {
        "ndcg10": overall.ndcg10.value,
        "mrr10": overall.mrr10.value,
        "pass_rate": overall.pass_rate.value,
    }
    earlier = baseline["figures"]["overall"] if baseline is not None else {}
    gates = []
    for bound in bounds:
        asked = [] if bound.least is None else [bound.least]
        if earlier.get(bound.measure) is not None:
            asked.append(earlier[bound.measure] - bound.max_drop)
        if asked:
            # Rounded, so that a drop of just what is allowed is allowed.
            gates.append(Gate(bound.measure, round(max(asked), 9), values[bound.measure]))
    return gates


def gate_json(gate: Gate) -> "GateJson":
    """Return the gate as reports hold it."""
    return {
        "measure": gate.measure,
        "least": gate.least,
        "value": gate.value,
        "holds": gate.holds,
    }
