"""`ggrep eval`: how good answers are, measured on a suite of questions."""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggrep import stable_json
from ggrep.cli.report_file import require_writable, write_report
from ggrep.cli.terminal import Terminal, open_terminal
from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import InvalidRequest, UsageError
from ggrep.federation.strategies import STRATEGIES
from ggrep.stable_json import Json

if TYPE_CHECKING:
    from ggrep.evaluation.gates import Bound
    from ggrep.evaluation.processes import Conditions, Outcome
    from ggrep.evaluation.suite import Narrowing, Overrides, Suite
    from ggrep.schemas.evaluation import EvalReportJson

DEFAULT_SUITE = Path(".ggrep-eval.toml")
_ReportOption = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--compare", help="Compare two reports, earlier and later; run nothing."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("eval")(evaluate)


def evaluate(
    suite: Annotated[
        Path, typer.Argument(help="A TOML file, or a folder with queries.jsonl.")
    ] = DEFAULT_SUITE,
    task: Annotated[
        str, typer.Option("--task", help="single or federated, for a folder.")
    ] = "single",
    whole: Annotated[
        bool, typer.Option("--whole", help="For a folder: ask all sources, tests and docs too.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only this case.")] = None,
    repo: Annotated[list[str] | None, typer.Option("--repo", help="Only cases of it.")] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Only cases of it.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option("--category", help="Only cases of it.")
    ] = None,
    workspace: Annotated[
        list[str] | None, typer.Option("--workspace", help="Only cases that ask it.")
    ] = None,
    mode: Annotated[str | None, typer.Option("--mode", help="Intent of every query.")] = None,
    limit: Annotated[
        int | None,
        typer.Option("-k", "--max", help="Hits asked for.", min=1, max=MAX_QUERY_RESULTS),
    ] = None,
    per_file: Annotated[
        int | None,
        typer.Option("--per-file", help="Most hits of one file.", min=0, max=MAX_QUERY_PER_FILE),
    ] = None,
    merge: Annotated[
        str | None, typer.Option("--merge", help=f"{', '.join(STRATEGIES)}; for workspaces.")
    ] = None,
    encoder: Annotated[
        str | None, typer.Option("--encoder", help="Encoder instead of the configured one.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="JSON file of weights to rank with.")
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Ask again with each part of the ranking off.")
    ] = False,
    no_sync: Annotated[
        bool, typer.Option("--no-sync", help="Ask the indexes as they are.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes at once.", min=1)] = 1,
    timeout_s: Annotated[
        float, typer.Option("--timeout-s", help="For one process, its sync included.", min=0.1)
    ] = 3600.0,
    out: Annotated[Path | None, typer.Option("--out", help="Write the report here.")] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="No timings: equal state, equal bytes.")
    ] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="An earlier report to hold against.")
    ] = None,
    max_drop_ndcg: Annotated[float, typer.Option("--max-drop-ndcg", help="Allowed.")] = 0.0,
    max_drop_mrr: Annotated[float, typer.Option("--max-drop-mrr", help="Allowed.")] = 0.0,
    max_drop_pass_rate: Annotated[
        float, typer.Option("--max-drop-pass-rate", help="Allowed.")
    ] = 0.0,
    fail_under_ndcg: Annotated[
        float | None, typer.Option("--fail-under-ndcg", help="Least NDCG@10.")
    ] = None,
    fail_under_mrr: Annotated[
        float | None, typer.Option("--fail-under-mrr", help="Least MRR@10.")
    ] = None,
    fail_under_pass_rate: Annotated[
        float | None, typer.Option("--fail-under-pass-rate", help="Least share that passes.")
    ] = None,
    reports: _ReportOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colour, no progress.")] = False,
) -> int:
    """Measure ranking on a suite of questions; exit status 1 when a bound is missed."""
    terminal = open_terminal(plain=plain)
    if reports is not None:
        return _compare(terminal, reports, json=json)
    from ggrep.evaluation.gates import stated_bound
    from ggrep.evaluation.processes import Conditions
    from ggrep.evaluation.suite import Narrowing, Overrides

    if not math.isfinite(timeout_s):
        raise UsageError(f"--timeout-s: {timeout_s} is no time")
    plan = _Plan(
        conditions=Conditions(
            sync=not no_sync,
            encoder=encoder,
            merge=merge,
            weights=_weights(weights),
            ablations=_ablations() if ablate else (),
            timeout_s=timeout_s,
        ),
        wanted=Narrowing(
            tuple(only or ()),
            tuple(repo or ()),
            tuple(language or ()),
            tuple(category or ()),
            tuple(workspace or ()),
        ),
        overrides=Overrides(_mode(mode), limit, per_file),
        bounds=(
            stated_bound("ndcg10", fail_under_ndcg, max_drop_ndcg),
            stated_bound("mrr10", fail_under_mrr, max_drop_mrr),
            stated_bound("pass_rate", fail_under_pass_rate, max_drop_pass_rate),
        ),
        baseline=baseline,
        at_once=jobs,
    )
    read = _read(suite, task, whole=whole)
    asked = (case.target.path for case in read.cases if case.target.is_workspace)
    files = (suite, *_suite_files(suite), weights, baseline, *asked)
    require_writable({"--out": out}, [file for file in files if file is not None])
    return _run(terminal, read, plan, _Output(out, json, deterministic))


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the suite is run and what its figures must reach."""

    conditions: "Conditions"
    wanted: "Narrowing"
    overrides: "Overrides"
    bounds: tuple["Bound", ...]
    baseline: Path | None
    at_once: int


@dataclass(frozen=True, slots=True)
class _Output:
    """Where the report goes."""

    file: Path | None
    json: bool
    deterministic: bool


def _run(terminal: Terminal, suite: "Suite", plan: _Plan, output: _Output) -> int:
    from ggrep import __version__
    from ggrep.evaluation.ablation import ablated, ablations_json
    from ggrep.evaluation.earlier_report import read_report
    from ggrep.evaluation.eval_text import render_ablations, render_run
    from ggrep.evaluation.gates import gate_json, gates_of
    from ggrep.evaluation.processes import Workers, in_a_process, run_jobs
    from ggrep.evaluation.report import Setup, report_json, scored_run
    from ggrep.evaluation.suite import jobs_of, narrowed, overridden
    from ggrep.query.weights import RANKING_REVISION

    earlier = read_report(plan.baseline) if plan.baseline is not None else None
    chosen = overridden(narrowed(suite, plan.wanted), plan.overrides)
    workers = Workers()
    outcomes = run_jobs(
        jobs_of(chosen.cases),
        partial(in_a_process, conditions=plan.conditions, workers=workers),
        at_once=plan.at_once,
        done=partial(_tell, terminal),
        stop=workers.kill,
    )
    run = scored_run(chosen, outcomes)
    parts = ablated(chosen, run, outcomes) if plan.conditions.ablations else ()
    gates = gates_of(run.figures.overall, plan.bounds, earlier)
    document = report_json(
        run,
        Setup(plan.conditions, plan.overrides, __version__, RANKING_REVISION),
        [gate_json(gate) for gate in gates],
        deterministic=output.deterministic,
    )
    if parts:
        document["ablations"] = ablations_json(parts)
    if output.file is not None:
        write_report("--out", output.file, stable_json.dumps_pretty(document))
    if output.json:
        terminal.write_json(document, pretty=True)
    else:
        terminal.write(render_run(run, gates, terminal.style))
        if parts:
            terminal.write(render_ablations(parts, terminal.style))
        terminal.note(_times(document))
    return 0 if all(gate.holds for gate in gates) and not run.errors else 1


def _suite_files(suite: Path) -> tuple[Path, ...]:
    """Return the files of a folder that is a suite."""
    from ggrep.evaluation.kit import FILES

    return tuple(suite / name for name in FILES) if suite.is_dir() else ()


def _read(path: Path, task: str, *, whole: bool) -> "Suite":
    from ggrep.evaluation.kit import is_kit, read_kit
    from ggrep.evaluation.suite_toml import read_suite

    if task not in {"single", "federated"}:
        raise UsageError(f"--task: unknown {task!r}; use single or federated")
    if path.is_dir():
        if not is_kit(path):
            raise UsageError(f"{path}: a folder without queries.jsonl and repos.json is no suite")
        if whole and task == "federated":
            raise UsageError("--whole: a workspace file says itself which roots it asks")
        return read_kit(path.resolve(), federated=task == "federated", whole=whole)
    if whole:
        raise UsageError("--whole: a TOML file says itself what each case asks")
    if task == "federated":
        raise UsageError("--task: a TOML file says itself what each case asks")
    return read_suite(path)


def _mode(word: str | None) -> str | None:
    from ggrep.evaluation.questions import mode_of

    return None if word is None else mode_of(word).value


def _weights(path: Path | None) -> dict[str, Json]:
    """Return the weights of a JSON file, once they were read as a worker will read them."""
    if path is None:
        return {}
    from ggrep.evaluation.other_weights import weights_from

    try:
        values = stable_json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"--weights: {path}: {error}") from error
    if not isinstance(values, dict):
        raise UsageError(f"--weights: {path}: no object of names and numbers")
    try:
        weights_from(values)
    except InvalidRequest as error:
        raise UsageError(f"--weights: {path}: {error}") from error
    return values


def _ablations() -> tuple[dict[str, Json], ...]:
    from ggrep.evaluation.ablation import ABLATIONS

    return tuple(dict(each.weights) for each in ABLATIONS)


def _tell(terminal: Terminal, outcome: "Outcome") -> None:
    if terminal.progress:
        what = outcome.error or f"{len(outcome.job.questions)} queries"
        terminal.tell(f"{outcome.job.name}: {what}")


def _times(document: "EvalReportJson") -> str:
    times = document.get("timings")
    if not isinstance(times, dict) or times["p50_ms"] is None:
        return ""
    return sanitise_line(f"a query took {times['p50_ms']} ms, p95 {times['p95_ms']} ms") + "\n"


def _compare(terminal: Terminal, reports: tuple[Path, Path], *, json: bool) -> int:
    from ggrep.evaluation.compare import compare, comparison_json
    from ggrep.evaluation.earlier_report import read_report
    from ggrep.evaluation.eval_text import render_comparison

    before, after = (read_report(path) for path in reports)
    found = compare(before, after)
    if json:
        terminal.write_json(comparison_json(found), pretty=True)
    else:
        terminal.write(render_comparison(found, terminal.style))
    return 0
