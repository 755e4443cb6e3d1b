"""Suites, checks and answers that nobody had to search for."""

from pathlib import Path
from typing import Any

from ggrep.index.sync.sync_report import Progress
from ggrep.interfaces.evaluation.check_file import read_checks
from ggrep.interfaces.evaluation.check_reports import check_report
from ggrep.interfaces.evaluation.check_rules import CheckResult as CheckOutcome
from ggrep.interfaces.evaluation.check_rules import run_checks
from ggrep.interfaces.evaluation.compare import compare
from ggrep.interfaces.evaluation.measures import Expectation
from ggrep.interfaces.evaluation.questions import Answer, CaseHit, CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.report import (
    Bound,
    Run,
    Setup,
    gates_of,
    report_of,
    scored_run,
)
from ggrep.interfaces.evaluation.suite import Case, Overrides, Suite, jobs_of
from ggrep.interfaces.evaluation.suite_processes import Conditions, Job, JobResult, RunJob, run_jobs

CHECKS = """\
version = 1

[[checks]]
id = "holds"
query = "where is b"
expect_any = ["b.py"]

[[checks]]
id = "fails"
query = "where is <c> & d"
expect_all = ["c.py"]
expect_none = ["*.py"]
"""


def found(file: str, *, section: str = "code", name: str = "") -> CaseHit:
    """Return a hit in a file."""
    return CaseHit(file, 1, 3, 1.0, section, "function", name, name)


def answer(question: str, *files: str, confidence: str | None = None) -> Answer:
    """Return an answer of hits in these files."""
    return Answer(question, tuple(found(file) for file in files), confidence, elapsed_ms=5.0)


def case(name: str, *relevant: str, repo: str = "a", **parts: Any) -> Case:
    """Return a case that expects these files of a repository."""
    parts = {"category": "semantic", "language": "python"} | parts
    target = QueriedPath(Path("/repos") / repo)
    return Case(CaseQuery(name, f"where is {name}"), target, Expectation(relevant), repo, **parts)


def suite(*cases: Case, form: str = "toml") -> Suite:
    """Return a suite of these cases."""
    return Suite("own.eval.toml", form, "single", "0" * 64, cases)


def runner(answers: dict[str, tuple[str, ...]], *, broken: tuple[str, ...] = ()) -> Any:
    """Return what does jobs out of a dictionary; jobs of broken names fail."""

    def run(job: Job) -> JobResult:
        if job.name in broken:
            return JobResult(job, error="no answer within 1 s; it was killed")
        given = [q for q in job.questions if q.id in answers]
        return JobResult(job, tuple(answer(q.id, *answers[q.id]) for q in given))

    return run


def run_suite(suite: Suite, run: RunJob) -> Run:
    """Return the scored suite, each of its jobs done by `run`."""
    return scored_run(suite, run_jobs(jobs_of(suite.cases), run, at_once=1, done=lambda _: None))


def some_run() -> Run:
    """Return a run over three repositories of which the last one fails."""
    cases = (
        case("x", "x.py"),
        case("y", "y.py", "z.py", repo="b", category="symbol"),
        case("w", "w.py", repo="c", language="go"),
    )
    answers = {"x": ("x.py", "o.py"), "y": ("o.py", "z.py", "o.py", "y.py")}
    return run_suite(suite(*cases), runner(answers, broken=("c",)))


def report_document(run: Run, *, deterministic: bool = True) -> dict[str, Any]:
    """Return the report of a run that had to reach an MRR of a half."""
    gates = gates_of(run.figures.overall, (Bound("mrr10", 0.6, 0.0),), None)
    setup = Setup(Conditions(weights={"text": 0.5}), Overrides(), "9.9.9", "ranking-0")
    return report_of(run, setup, gates, deterministic=deterministic).to_dict()


def comparison_document() -> dict[str, Any]:
    """Return what changed from a run with a failure to one without."""
    before = some_run()
    after = run_suite(before.suite, runner({"x": ("x.py",), "y": ("z.py",), "w": ("o.py",)}))
    return compare(report_document(before), report_document(after)).to_dict()


class FakeAsker:
    """Gives every question the same answer."""

    def __init__(self, *files: str, error: str = "") -> None:
        self._files, self._error = files, error

    def sync(self, progress: Any) -> None:
        """Do nothing."""

    def require_index(self) -> None:
        """Do nothing."""

    def lines_of(self, file: str) -> int | None:
        """Return as many lines as any check names: every file is there."""
        return 1_000_000

    def ask(self, question: CaseQuery) -> Answer:
        if self._error:
            return Answer(question.id, error=self._error)
        return answer(question.id, *self._files)


def some_checks(folder: Path, text: str = CHECKS, *files: str) -> CheckOutcome:
    """Return what becomes of checks when every question brings the same files."""
    path = folder / "own.check.toml"
    path.write_text(text)
    return run_checks(read_checks(path), lambda _: FakeAsker(*(files or ("b.py", "a.md"))))


def check_document(outcome: CheckOutcome) -> dict[str, Any]:
    """Return the report of checks, the place of their file taken out."""
    return {**check_report(outcome, version="9.9.9").to_dict(), "file": "own.check.toml"}


def silent(_: str) -> Progress:
    return lambda _: None
