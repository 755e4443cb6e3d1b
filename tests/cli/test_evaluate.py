"""`ggrep eval` as it is typed: suites, bounds, reports."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.interfaces.cli.parsing.flags import either
from ggrep.interfaces.evaluation.questions import Answer
from ggrep.interfaces.evaluation.suite_processes import Conditions, Job, JobResult, Workers
from ggrep.interfaces.evaluation.visible_lines import ShownFile, ShownSlate
from tests.fakes.evaluations import answer, report_document, some_run
from tests.journeys.command import Command, fits

SUITE = """\
version = 1

[[cases]]
id = "alpha"
query = "alpha needle"
relevant = ["a.py"]

[[cases]]
id = "beta"
query = "beta needle"
category = "documents"
expect_any_path_contains = ["docs/"]
"""


@pytest.fixture
def ggrep(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def found(job: Job, conditions: Conditions, workers: Workers) -> JobResult:
        assert job.target.path.is_absolute()
        answers = tuple(answer(question.id, "a.py") for question in job.questions)
        return JobResult(job, answers)

    monkeypatch.setattr("ggrep.interfaces.evaluation.suite_processes.in_a_process", found)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return Command(capsys)


@pytest.fixture
def suite(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a suite in the current directory."""
    path = root / ".ggrep-eval.toml"
    path.write_text(SUITE)
    monkeypatch.chdir(root)
    return path


def test_the_suite_of_the_current_directory_is_run(ggrep: Command, suite: Path) -> None:
    outcome = ggrep("eval")

    assert outcome.status == 0
    assert "2 queries, 1 repository" in outcome.out
    assert "  missing a path with docs/" in outcome.out
    assert "a query took 5.0 ms" in outcome.err


def test_the_help_names_every_way_of_merging(ggrep: Command) -> None:
    unbroken = "".join(ggrep("eval", "--help").out.split())

    assert "".join(either(STRATEGIES).split()) in unbroken


def test_json_fits_its_schema(ggrep: Command, suite: Path) -> None:
    first, second = (ggrep("eval", suite, "--json", "--deterministic").out for _ in range(2))

    assert first == second
    document = stable_json.loads(first.encode())
    fits(document, "eval_report")
    assert document["figures"]["overall"]["pass_rate"] == 0.5
    assert document["settings"]["mode"] is None


def test_a_report_is_written_and_held_against(ggrep: Command, suite: Path) -> None:
    out = suite.with_name("report.json")

    assert ggrep("eval", "--out", out).status == 0
    fits(stable_json.loads(out.read_bytes()), "eval_report")
    assert ggrep("eval", "--baseline", out).status == 0
    assert ggrep("eval", "--baseline", out, "--only", "beta").status == 1
    assert ggrep("eval", "--baseline", out, "--only", "beta", "--max-drop-ndcg", 1).status == 1


@pytest.mark.parametrize(
    ("flags", "status"),
    [
        (["--fail-under-pass-rate", "0.5"], 0),
        (["--fail-under-pass-rate", "0.6"], 1),
        (["--fail-under-mrr", "0.6"], 1),
        (["--fail-under-ndcg", "1.0"], 0),
    ],
)
def test_a_missed_bound_is_a_failure(
    ggrep: Command, suite: Path, flags: list[str], status: int
) -> None:
    outcome = ggrep("eval", *flags)

    assert outcome.status == status
    assert ("\nmiss  " in outcome.out) == bool(status)


@pytest.mark.parametrize(
    "arguments",
    [
        ["gone.toml"],
        ["."],
        ["--only", "gamma"],
        ["--task", "double"],
        ["--task", "federated"],
        ["--weights", "gone.toml"],
        ["--out", "gone/report.json"],
        ["--out", "."],
        ["--out", ".ggrep-eval.toml"],
        ["--fail-under-ndcg", "nan"],
        ["--fail-under-mrr", "1.01"],
        ["--fail-under-pass-rate", "-0.1"],
        ["--max-drop-ndcg", "nan"],
        ["--max-drop-mrr", "-1"],
        ["--timeout-s", "nan"],
        ["--baseline", ".ggrep-eval.toml"],
        ["--compare", ".ggrep-eval.toml", ".ggrep-eval.toml"],
    ],
)
def test_what_cannot_be_run_is_wrong_usage(
    ggrep: Command, suite: Path, arguments: list[str]
) -> None:
    outcome = ggrep("eval", *arguments, "--json")

    assert outcome.status == 2
    outcome.error()


@pytest.mark.slow
def test_a_suite_asks_the_repository_beside_it(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "own").mkdir()
    (root / "own" / "a.py").write_text("def alpha_needle():\n    return 1\n")
    alone = 'version = 1\n[defaults]\nalone = true\nrepo = "own"\n'
    (root / "own.toml").write_text(SUITE.replace("version = 1\n", alone))
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.chdir(root)
    outcome = Command(capsys)("eval", "own.toml", "--only", "alpha", "--json")

    assert outcome.status == 0
    assert outcome.document["queries"][0]["files"] == ["a.py"]


def test_two_reports_are_compared(ggrep: Command, suite: Path) -> None:
    paths = [suite.with_name(name) for name in ("before.json", "after.json")]
    for path in paths:
        path.write_bytes(stable_json.dumps(report_document(some_run())))
    shown = ggrep("eval", "--compare", *paths)
    reported = ggrep("eval", "--compare", *paths, "--json")

    assert "3 queries in both reports" in shown.out
    fits(reported.document, "eval_comparison")
    assert reported.document["overall"]["ndcg10"]["change"] == 0.0


@pytest.mark.parametrize("size", ["1023", "99999999"])
def test_bytes_that_no_slate_takes_are_refused(ggrep: Command, suite: Path, size: str) -> None:
    outcome = ggrep("eval", "--max-bytes", "2048", "--max-bytes", size)

    assert outcome.status == 2
    assert f"--max-bytes: {size} must be from 1024 to 4194304" in outcome.err


@pytest.mark.parametrize(
    ("given", "asked"),
    [((), {(16_384, 6_144)}), (("2048", "4096", "2048"), {(4_096, 2_048)})],
)
def test_bytes_reach_the_workers_largest_first(
    ggrep: Command,
    suite: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    asked: set[tuple[int, ...]],
) -> None:
    suite.write_text('version = 1\n[[cases]]\nid = "a"\nquery = "q"\nplaces = "a.py:1-2"\n')
    sizes = set()

    def found(job: Job, conditions: Conditions, workers: Workers) -> JobResult:
        sizes.update(question.slates for question in job.questions)
        shown = ShownSlate((ShownFile("a.py", ("code",), ((1, 2),), ()),), 900)
        return JobResult(job, tuple(Answer(q.id, slates=(shown,) * 2) for q in job.questions))

    monkeypatch.setattr("ggrep.interfaces.evaluation.suite_processes.in_a_process", found)
    outcome = ggrep("eval", "--json", *(word for size in given for word in ("--max-bytes", size)))

    assert outcome.status == 0
    fits(outcome.document, "eval_report")
    assert outcome.document["queries"][0]["passed"]
    assert sizes == asked
