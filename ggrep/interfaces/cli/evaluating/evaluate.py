"""`ggrep eval`: measures ranking quality on a suite of questions."""

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.base.stable_json import Json
from ggrep.config.declarations import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.interfaces.cli.parsing.flags import Argument, EncoderFlag, Flag, Output, either
from ggrep.interfaces.cli.queries.search_options import DeterministicFlag
from ggrep.interfaces.cli.report_file import require_writable, write_report
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.corpus import Mode

if TYPE_CHECKING:
    from msgspec import UnsetType

    from ggrep.interfaces.evaluation.report import Bound
    from ggrep.interfaces.evaluation.suite import Narrowing, Overrides, Suite
    from ggrep.interfaces.evaluation.suite_processes import Conditions, JobResult
    from ggrep.model.evaluation import EvalTimings

_MODES: Final = tuple(mode.value for mode in Mode)


class Cases(Struct, frozen=True):
    """Selection of the suite's cases."""

    title: ClassVar = "Cases"

    task: Annotated[
        str,
        Flag(
            "--task",
            "Cases of a suite folder: single (one repository) or federated (workspaces).",
            words=("single", "federated"),
        ),
    ] = "single"
    whole: Annotated[
        bool,
        Flag(
            "--whole",
            "With a suite folder: search whole repositories, including tests and documents.",
        ),
    ] = False
    only: Annotated[tuple[str, ...], Flag("--only", "Run only this case; repeatable.")] = ()
    repos: Annotated[
        tuple[str, ...], Flag("--repo", "Run only cases of this repository; repeatable.")
    ] = ()
    languages: Annotated[
        tuple[str, ...], Flag("--language", "Run only cases in this language; repeatable.")
    ] = ()
    categories: Annotated[
        tuple[str, ...], Flag("--category", "Run only cases of this category; repeatable.")
    ] = ()
    workspaces: Annotated[
        tuple[str, ...],
        Flag("--workspace", "Run only cases that search this workspace; repeatable."),
    ] = ()


class Questions(Struct, frozen=True):
    """Values that override the options of every query; None keeps an option."""

    title: ClassVar = "Questions"

    mode: Annotated[
        str | None, Flag("--mode", f"Search with this intent: {either(_MODES)}.", words=_MODES)
    ] = None
    limit: Annotated[
        int | None, Flag("-k --max", "Request this many hits.", least=1, most=MAX_QUERY_RESULTS)
    ] = None
    per_file: Annotated[
        int | None,
        Flag("--per-file", "Maximum number of hits per file.", least=0, most=MAX_QUERY_PER_FILE),
    ] = None
    max_bytes: Annotated[
        tuple[int, ...],
        Flag(
            "--max-bytes",
            "For cases that name expected lines: also request a slate of this many bytes;"
            " repeatable.",
        ),
    ] = ()
    merge: Annotated[
        str | None,
        Flag("--merge", f"Merge strategy for workspaces: {either(STRATEGIES)}.", words=STRATEGIES),
    ] = None
    encoder: EncoderFlag = None
    weights: Annotated[
        Path | None, Flag("--weights", "Rank with the weights of this JSON file.")
    ] = None


class Running(Struct, frozen=True):
    """Options of running the cases."""

    title: ClassVar = "Running"

    sync: Annotated[bool, Flag("--no-sync", "Do not update the index before queries.")] = True
    jobs: Annotated[int, Flag("--jobs", "Run this many processes in parallel.", least=1)] = 1
    timeout_s: Annotated[
        float,
        Flag("--timeout-s", "Kill a process after this many seconds, syncs included.", least=0.1),
    ] = 3600.0


class Demands(Struct, frozen=True):
    """Lower bounds of the metrics, from 0 to 1."""

    title: ClassVar = "Bounds"

    baseline: Annotated[Path | None, Flag("--baseline", "Compare with this earlier report.")] = None
    max_drop_ndcg: Annotated[
        float, Flag("--max-drop-ndcg", "Largest allowed drop of NDCG@10 below the baseline.")
    ] = 0.0
    max_drop_mrr: Annotated[
        float, Flag("--max-drop-mrr", "Largest allowed drop of MRR@10 below the baseline.")
    ] = 0.0
    max_drop_pass_rate: Annotated[
        float,
        Flag("--max-drop-pass-rate", "Largest allowed drop of the pass rate below the baseline."),
    ] = 0.0
    fail_under_ndcg: Annotated[
        float | None, Flag("--fail-under-ndcg", "Fail when NDCG@10 is below this value.")
    ] = None
    fail_under_mrr: Annotated[
        float | None, Flag("--fail-under-mrr", "Fail when MRR@10 is below this value.")
    ] = None
    fail_under_pass_rate: Annotated[
        float | None,
        Flag("--fail-under-pass-rate", "Fail when the share of passing cases is below this value."),
    ] = None


class Report(Struct, frozen=True):
    """Output and comparison of reports."""

    title: ClassVar = "Report"

    out: Annotated[Path | None, Flag("--out", "Write the report to this file.")] = None
    deterministic: DeterministicFlag = False
    compare: Annotated[
        tuple[Path, Path] | None,
        Flag("--compare", "Run no queries; compare two existing reports, the earlier one first."),
    ] = None


DEFAULT_SUITE = Path(".ggrep-eval.toml")


def evaluate(
    cases: Cases,
    questions: Questions,
    running: Running,
    demands: Demands,
    report: Report,
    output: Output,
    suite: Annotated[
        Path, Argument("A TOML file, or a folder with queries.jsonl.")
    ] = DEFAULT_SUITE,
) -> int:
    """Measure ranking quality on a suite of questions; exit with 1 if a metric is too low."""
    from ggrep.interfaces.evaluation.suite import FILES

    terminal = open_terminal(plain=output.plain)
    if report.compare is not None:
        return _compare(terminal, report.compare, json=output.json)
    plan = _plan_of(cases, questions, running, demands)
    read = _read(suite, cases.task, whole=cases.whole)
    asked = (case.target.path for case in read.cases if case.target.is_workspace)
    parts = (suite / name for name in FILES if suite.is_dir())
    files = (suite, *parts, questions.weights, demands.baseline, *asked)
    require_writable({"--out": report.out}, [file for file in files if file is not None])
    return _run(terminal, read, plan, report, json=output.json)


def _plan_of(cases: Cases, questions: Questions, running: Running, demands: Demands) -> "_Plan":
    from ggrep.interfaces.evaluation.report import stated_bound
    from ggrep.interfaces.evaluation.suite import Narrowing, Overrides
    from ggrep.interfaces.evaluation.suite_processes import Conditions

    if not math.isfinite(running.timeout_s):
        raise UsageError(f"--timeout-s: {running.timeout_s} must be more than 0")
    return _Plan(
        conditions=Conditions(
            sync=running.sync,
            encoder=questions.encoder,
            merge=questions.merge,
            weights=_weights(questions.weights),
            timeout_s=running.timeout_s,
        ),
        wanted=Narrowing(
            cases.only, cases.repos, cases.languages, cases.categories, cases.workspaces
        ),
        overrides=Overrides(
            questions.mode,
            questions.limit,
            questions.per_file,
            _sizes(questions.max_bytes),
        ),
        bounds=(
            stated_bound("ndcg10", demands.fail_under_ndcg, demands.max_drop_ndcg),
            stated_bound("mrr10", demands.fail_under_mrr, demands.max_drop_mrr),
            stated_bound("pass_rate", demands.fail_under_pass_rate, demands.max_drop_pass_rate),
        ),
        baseline=demands.baseline,
        at_once=running.jobs,
    )


class _Plan(Struct, frozen=True):
    """Conditions of the evaluation, and the bounds of its metrics."""

    conditions: "Conditions"
    wanted: "Narrowing"
    overrides: "Overrides"
    bounds: tuple["Bound", ...]
    baseline: Path | None
    at_once: int


def _run(terminal: Terminal, suite: "Suite", plan: _Plan, report: Report, *, json: bool) -> int:
    from ggrep import __version__
    from ggrep.interfaces.evaluation.compare import read_report
    from ggrep.interfaces.evaluation.eval_text import render_run
    from ggrep.interfaces.evaluation.report import (
        Setup,
        gates_of,
        report_of,
        scored_run,
    )
    from ggrep.interfaces.evaluation.suite import jobs_of, narrowed, overridden
    from ggrep.interfaces.evaluation.suite_processes import Workers, in_a_process, run_jobs
    from ggrep.search.query.weights import RANKING_REVISION

    earlier = read_report(plan.baseline) if plan.baseline is not None else None
    chosen = overridden(narrowed(suite, plan.wanted), plan.overrides)
    workers = Workers()

    def done(outcome: "JobResult") -> None:
        if terminal.progress:
            what = outcome.error or f"{len(outcome.job.questions)} queries"
            terminal.tell(f"{outcome.job.name}: {what}")

    outcomes = run_jobs(
        jobs_of(chosen.cases),
        partial(in_a_process, conditions=plan.conditions, workers=workers),
        at_once=plan.at_once,
        done=done,
        stop=workers.kill,
    )
    run = scored_run(chosen, outcomes)
    gates = gates_of(run.figures.overall, plan.bounds, earlier)
    setup = Setup(plan.conditions, plan.overrides, __version__, RANKING_REVISION)
    result = report_of(run, setup, gates, deterministic=report.deterministic)
    document = result.to_dict()
    if report.out is not None:
        write_report("--out", report.out, stable_json.dumps_pretty(document))
    terminal.show(document, render_run(run, gates, terminal.style), json=json)
    if not json:
        terminal.note(_times(result.timings))
    return 0 if all(gate.holds for gate in gates) and not run.errors else 1


def _read(path: Path, task: str, *, whole: bool) -> "Suite":
    from ggrep.interfaces.evaluation.suite import is_kit, read_kit, read_suite

    if path.is_dir():
        if not is_kit(path):
            raise UsageError(f"{path}: a suite folder must contain queries.jsonl and repos.json")
        if whole and task == "federated":
            raise UsageError("--whole: not allowed with a workspace, whose file sets the roots")
        return read_kit(path.resolve(), federated=task == "federated", whole=whole)
    if whole:
        raise UsageError("--whole: not allowed with a TOML suite, which sets it for each case")
    if task == "federated":
        raise UsageError("--task: not allowed with a TOML suite, which sets it for each case")
    return read_suite(path)


def _sizes(given: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the byte budgets of slates, largest first; None if no budget is typed."""
    from ggrep.search.slate.levels import MAX_SLATE_BYTES, MIN_SLATE_BYTES

    for size in given:
        if not MIN_SLATE_BYTES <= size <= MAX_SLATE_BYTES:
            raise UsageError(
                f"--max-bytes: {size} must be from {MIN_SLATE_BYTES} to {MAX_SLATE_BYTES}"
            )
    return tuple(sorted(set(given), reverse=True)) or None


def _weights(path: Path | None) -> dict[str, Json]:
    """Return the ranking weights in a JSON file; raise if they are not valid."""
    if path is None:
        return {}
    from ggrep.interfaces.evaluation.ranking_weights import weights_from

    try:
        values = stable_json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"--weights: {path}: {error}") from error
    if not isinstance(values, dict):
        raise UsageError(f"--weights: {path}: must contain a JSON object of names and numbers")
    try:
        weights_from(values)
    except InvalidRequest as error:
        raise UsageError(f"--weights: {path}: {error}") from error
    return values


def _times(times: "EvalTimings | UnsetType") -> str:
    if not times or times.p50_ms is None:
        return ""
    return f"a query took {times.p50_ms} ms, p95 {times.p95_ms} ms\n"


def _compare(terminal: Terminal, reports: tuple[Path, Path], *, json: bool) -> int:
    from ggrep.interfaces.evaluation.compare import compare, read_report
    from ggrep.interfaces.evaluation.eval_text import render_comparison

    before, after = (read_report(path) for path in reports)
    result = compare(before, after)
    terminal.show(result.to_dict(), render_comparison(result, terminal.style), json=json)
    return 0
