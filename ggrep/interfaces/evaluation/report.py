"""A run of a suite: every case's score, and the report (schema `eval_report`, version 1)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import UNSET, Struct, to_builtins
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.figures import (
    Scored,
    figures_of,
    percentile,
    slate_figures,
    slate_score,
)
from ggrep.interfaces.evaluation.measures import failed_score, score
from ggrep.interfaces.evaluation.questions import Answer
from ggrep.interfaces.evaluation.suite import Case, Overrides, Suite
from ggrep.interfaces.evaluation.suite_processes import Conditions, JobResult
from ggrep.interfaces.evaluation.visible_lines import seen
from ggrep.model.evaluation import (
    EvalQuery,
    EvalReport,
    EvalSettings,
    EvalTimings,
    EvaluatedSuite,
    FailedQuestion,
    FigureBlock,
    Figures,
    Gate,
    SlateFigures,
)

if TYPE_CHECKING:
    from ggrep.model.evaluation import Weights

SHOWN_FILES: Final = 10
_NOT_ANSWERED: Final = "the worker returned no answer"


class Run(Struct, frozen=True):
    """The result of a suite.

    Attributes:
        rows: scored cases, in the order of the suite.
        failures: jobs that failed.
        elapsed_ms: duration of each answered query; differs between runs.
        slates: metrics of slates for each size; empty if no case has expected line ranges.
    """

    suite: Suite
    rows: tuple[Scored, ...]
    figures: Figures
    failures: tuple[FailedQuestion, ...]
    elapsed_ms: tuple[float, ...]
    slates: tuple[SlateFigures, ...] = ()

    @property
    def searched(self) -> bool:
        """Return whether any case needs a search."""
        return any(row.case.question.searched for row in self.rows)

    @property
    def errors(self) -> int:
        """Return the number of cases without an answer."""
        return self.figures.overall.errors


class Setup(Struct, frozen=True):
    """The conditions of a run, for the report."""

    conditions: Conditions
    overrides: Overrides
    version: str
    ranking_revision: str


def scored_run(suite: Suite, outcomes: Sequence[JobResult]) -> Run:
    """Return the scored suite; a query without an answer scores 0."""
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
    failures = [FailedQuestion(o.job.name, o.error) for o in outcomes if o.error]
    answered = [row.answer.elapsed_ms for row in rows if not row.answer.error]
    return Run(suite, rows, figures_of(rows), tuple(failures), tuple(answered), slate_figures(rows))


def report_of(run: Run, setup: Setup, gates: Sequence[Gate], *, deterministic: bool) -> EvalReport:
    """Return the report; only `timings` has times, and a deterministic report omits it."""
    suite, conditions, overrides = run.suite, setup.conditions, setup.overrides
    return EvalReport(
        ggrep_version=setup.version,
        ranking_revision=setup.ranking_revision,
        suite=EvaluatedSuite(suite.name, suite.form, suite.task, suite.digest),
        settings=EvalSettings(
            encoder=conditions.encoder,
            k=overrides.limit,
            merge=conditions.merge,
            mode=overrides.mode,
            per_file=overrides.per_file,
            max_bytes=overrides.max_bytes or UNSET,
            weights=cast("Weights", conditions.weights),
        ),
        figures=run.figures,
        failures=run.failures,
        gates=tuple(gates),
        queries=tuple(map(_row, run.rows)),
        slates=run.slates or UNSET,
        timings=UNSET if deterministic else _timings(run.elapsed_ms),
    )


def queries_json(run: Run) -> list[dict[str, Any]]:
    """Return the report's rows, one for each case."""
    return [to_builtins(_row(row)) for row in run.rows]


def _scored(case: Case, answer: Answer | None, reason: str) -> Scored:
    sizes = case.question.slates
    if answer is None:
        answer = Answer(case.question.id, error=reason or _NOT_ANSWERED)
    if answer.error:
        none = tuple(slate_score(size, None) for size in sizes)
        return Scored(case, answer, failed_score(case.expected), none)
    scores = score(case.expected, answer.files, answer.confidence)
    slates = tuple(
        slate_score(size, seen(case.places, slate))
        for size, slate in zip(sizes, answer.slates, strict=True)
    )
    if answer.slates:
        hidden = [each for each in case.places if not answer.slates[0].shows(each)]
        missing = (*scores.missing, *(f"{' or '.join(map(str, each))} shown" for each in hidden))
        scores = replace(scores, passed=not missing, missing=missing)
    return Scored(case, answer, scores, slates)


def _row(row: Scored) -> EvalQuery:
    case, question, score = row.case, row.case.question, row.score
    return EvalQuery(
        id=question.id,
        query=question.query,
        repo=case.repo,
        workspace=case.workspace or None,
        category=case.category,
        language=case.language,
        mode=question.mode,
        k=question.limit,
        per_file=question.per_file,
        passed=score.passed,
        ndcg10=score.ndcg10,
        mrr10=score.mrr10,
        recall10=score.recall10,
        first_rank=score.first_rank,
        missing=score.missing,
        confidence=row.answer.confidence,
        files=row.answer.named[:SHOWN_FILES],
        slates=row.slates or UNSET,
        error=row.answer.error or UNSET,
    )


def _timings(elapsed_ms: Sequence[float]) -> EvalTimings:
    if not elapsed_ms:
        return EvalTimings(0, None, None)
    p50_ms, p95_ms = (round(percentile(elapsed_ms, share), 1) for share in (0.5, 0.95))
    return EvalTimings(len(elapsed_ms), p50_ms, p95_ms)


class Bound(Struct, frozen=True):
    """The bound of one measure.

    Attributes:
        least: required minimum; None without a minimum.
        max_drop: maximum decrease since the earlier report.
    """

    measure: str
    least: float | None
    max_drop: float


def stated_bound(measure: str, least: float | None, max_drop: float) -> Bound:
    """Return the bound of one measure from the values of its flags.

    Raises:
        UsageError: a value is not between 0 and 1.
    """
    flag = measure.removesuffix("10").replace("_", "-")
    for name, value in (("--fail-under", least), ("--max-drop", max_drop)):
        if value is not None and not 0.0 <= value <= 1.0:  # also true for NaN
            raise UsageError(f"{name}-{flag}: {value} must be from 0 to 1")
    return Bound(measure, least, max_drop)


def gates_of(
    overall: FigureBlock, bounds: tuple[Bound, ...], baseline: Mapping[str, Any] | None
) -> list[Gate]:
    """Return the gates of all measures with a bound.

    A gate requires the greater of the typed minimum and the minimum from the earlier report.
    """
    earlier = baseline["figures"]["overall"] if baseline is not None else {}
    gates = []
    for bound in bounds:
        asked = [] if bound.least is None else [bound.least]
        if earlier.get(bound.measure) is not None:
            asked.append(earlier[bound.measure] - bound.max_drop)
        if asked:
            # Rounded, so that a drop by exactly the allowed amount passes.
            least, value = round(max(asked), 9), getattr(overall, bound.measure)
            gates.append(Gate(bound.measure, least, value, value is not None and value >= least))
    return gates
