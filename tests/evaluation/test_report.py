"""Reports of suites: what they hold, the gates on them and their comparison."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.compare import compare, read_report
from ggrep.interfaces.evaluation.eval_text import render_comparison, render_run
from ggrep.interfaces.evaluation.report import Bound, gates_of
from ggrep.interfaces.evaluation.suite import Narrowing, Overrides, jobs_of, narrowed, overridden
from ggrep.model.evaluation import ComparedQueries, FigureBlock
from ggrep.render.style import Style
from tests.fakes.evaluations import case, report_document, run_suite, runner, some_run, suite


def test_a_repository_that_fails_scores_zero_and_is_named() -> None:
    run = some_run()

    assert [(each.name, each.message) for each in run.failures] == [
        ("c", "no answer within 1 s; it was killed")
    ]
    assert run.errors == 1
    assert run.rows[2].score.ndcg10 == 0.0
    assert run.figures.overall.mrr10 == pytest.approx((1.0 + 0.5 + 0.0) / 3)


def test_a_file_that_comes_again_takes_no_place_and_no_answer_is_an_error() -> None:
    """Chunks are many, files are what is looked for."""
    run = some_run()

    assert run.rows[1].answer.files == ("o.py", "z.py", "y.py")

    run = run_suite(suite(case("x", "x.py")), runner({}))

    assert run.errors == 1
    assert "no answer" in run.rows[0].answer.error


def test_figures_are_drawn_by_what_cases_have_in_common() -> None:
    figures = some_run().figures

    assert list(figures.by_category) == ["semantic", "symbol"]
    assert list(figures.by_language) == ["go", "python"]
    assert [(name, block.cases) for name, block in figures.by_repo.items()] == [
        ("a", 1),
        ("b", 1),
        ("c", 1),
    ]
    assert figures.overall.pass_rate_interval is not None


def test_a_deterministic_report_has_the_same_bytes_and_no_times() -> None:
    first, second = (report_document(some_run()) for _ in range(2))

    assert stable_json.dumps_pretty(first) == stable_json.dumps_pretty(second)
    assert "timings" not in first
    assert report_document(some_run(), deterministic=False)["timings"]["p50_ms"] == 5.0


def test_every_target_is_one_job() -> None:
    jobs = jobs_of([case("x", repo="b"), case("y", repo="a"), case("z", repo="b")])

    assert [(job.name, [q.id for q in job.questions]) for job in jobs] == [
        ("a", ["y"]),
        ("b", ["x", "z"]),
    ]


def test_a_suite_can_be_narrowed_and_flags_beat_what_cases_say() -> None:
    whole = suite(case("x", "x"), case("y", "y", language="go"), case("z", "z", repo="b"))

    assert [c.question.id for c in narrowed(whole, Narrowing(languages=("go",))).cases] == ["y"]
    assert [c.question.id for c in narrowed(whole, Narrowing(("x", "z"), ("b",))).cases] == ["z"]

    put = overridden(suite(case("x", "x")), Overrides(mode="debug", limit=7)).cases[0].question

    assert (put.mode, put.limit, put.per_file) == ("debug", 7, 3)


@pytest.mark.parametrize("wanted", [Narrowing(("nowhere",)), Narrowing(("x",), ("b",))])
def test_narrowing_to_nothing_is_refused(wanted: Narrowing) -> None:
    """A mistyped name must not pass for a clean run."""
    with pytest.raises(UsageError):
        narrowed(suite(case("x", "x"), case("y", "y", repo="b")), wanted)


def block(ndcg10: float | None) -> FigureBlock:
    """Return figures of which only one matters."""
    return FigureBlock(3, 0, ndcg10, *[None] * 7)


def baseline(ndcg10: float) -> dict[str, Any]:
    return {"figures": {"overall": {"ndcg10": ndcg10, "mrr10": None}}}


@pytest.mark.parametrize(
    ("least", "earlier", "drop", "bound"),
    [(0.5, None, 0.0, 0.5), (None, 0.8, 0.1, 0.7), (0.5, 0.8, 0.1, 0.7), (0.75, 0.8, 0.1, 0.75)],
)
def test_the_stricter_of_bound_and_baseline_counts(
    least: float | None, earlier: float | None, drop: float, bound: float
) -> None:
    """A slow decline over many baselines is stopped by the stated bound."""
    report = None if earlier is None else baseline(earlier)
    gates = gates_of(block(0.7), (Bound("ndcg10", least, drop),), report)

    assert [(gate.least, gate.holds) for gate in gates] == [(bound, bound <= 0.7)]


def test_a_figure_that_is_not_there_misses_its_gate_and_without_a_bound_there_is_none() -> None:
    assert gates_of(block(0.0), (Bound("ndcg10", None, 0.0), Bound("mrr10", None, 0.0)), None) == []

    gates = gates_of(block(None), (Bound("ndcg10", 0.1, 0.0),), None)

    assert [gate.holds for gate in gates] == [False]


@pytest.mark.parametrize("text", [None, "{", "[]", '{"queries": []}', '{"figures":1,"queries":[]}'])
def test_what_is_no_report_is_refused(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "earlier.json"
    if text is not None:
        path.write_text(text)

    with pytest.raises(UsageError, match=r"earlier\.json"):
        read_report(path)


def test_a_comparison_pairs_queries_by_name() -> None:
    repos = "abcd"
    old = suite(*(case(f"q{repo}", "x.py", repo=repo) for repo in repos))
    new = suite(*old.cases[1:], case("other", "x.py", repo="a"))
    before = run_suite(old, runner({f"q{repo}": ("o.py", "x.py") for repo in repos}))
    after = run_suite(new, runner({f"q{repo}": ("x.py",) for repo in repos} | {"other": ()}))
    result = compare(report_document(before), report_document(after))

    assert result.queries == ComparedQueries(3, 1, 1)
    by_name = result.overall
    assert by_name["mrr10"].change == 0.5
    assert by_name["mrr10"].interval == (0.5, 0.5)
    assert by_name["mrr10"].is_certain
    assert (by_name["passed"].change, by_name["passed"].better) == (0.0, 0)
    assert not by_name["passed"].is_certain
    assert result.to_dict()["queries"] == {"common": 3, "only_before": 1, "only_after": 1}


def test_reports_without_a_common_query_are_refused() -> None:
    """A difference of nothing would be zero."""
    first, other = (
        report_document(run_suite(suite(case(name, "x")), runner({name: ("x",)}))) for name in "pq"
    )

    with pytest.raises(UsageError, match="no query in common"):
        compare(first, other)


def test_tables_fit_into_eighty_columns() -> None:
    long = case("a case of a long name " * 9, "x", repo="a repository of a long name " * 3)
    odd = case("y\x1b[31m", "x", repo="b", category="c" * 40)
    run = run_suite(suite(long, odd), runner({odd.question.id: ("\x1b]0;" + "n" * 300,)}))
    document = report_document(run)
    text = render_run(run, [], Style(colour=False))
    text += render_comparison(compare(document, document), Style(colour=False))

    assert max(map(len, text.splitlines())) <= 80 or "failed:" in text
    assert "\x1b" not in text


def test_a_run_shows_what_failed() -> None:
    text = render_run(some_run(), [], Style(colour=False))

    assert "3 queries, 3 repositories, 1 not answered" in text
    assert "failed: c: no answer within 1 s; it was killed" in text


def test_a_report_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(stable_json.dumps_pretty(report_document(some_run())))

    assert read_report(path)["figures"]["overall"]["cases"] == 3


@pytest.mark.parametrize(
    ("where", "value", "fault"),
    [
        (("figures", "overall", "ndcg10"), "high", "figures.overall.ndcg10 must be a number"),
        (("figures", "overall", "mrr10"), True, "figures.overall.mrr10 must be a number"),
        (("figures", "overall", "pass_rate"), {}, "figures.overall.pass_rate must be a number"),
        (("figures", "overall", "pass_rate"), 1.5, "figures.overall.pass_rate must be a number"),
        (("figures", "overall"), [], "figures.overall must be an object"),
        (("queries",), {}, "queries must be a list"),
        (("queries", 0), "x", "queries[0] must be an object"),
        (("queries", 0, "id"), ["x"], "queries[0].id must be a string"),
        (("queries", 1, "workspace"), {}, "queries[1].workspace must be a string or null"),
        (("queries", 1, "repo"), None, "queries[1].repo must be a string"),
        (("queries", 1, "passed"), 1, "queries[1].passed must be true or false"),
        (("queries", 2, "ndcg10"), "0.5", "queries[2].ndcg10 must be a number"),
        (("queries", 2, "recall10"), False, "queries[2].recall10 must be a number"),
        (("queries", 2, "id"), "x", "queries[2].id is the same as that of queries[0]"),
        (("schema_version",), True, "schema_version is not 1"),
    ],
)
def test_a_field_of_another_kind_is_named(
    tmp_path: Path, where: tuple[Any, ...], value: object, fault: str
) -> None:
    """A figure that is none would pass for a bound or end in a traceback."""
    document: Any = report_document(some_run())
    holder = document
    for step in where[:-1]:
        holder = holder[step]
    holder[where[-1]] = value
    path = tmp_path / "earlier.json"
    path.write_bytes(stable_json.dumps(document))

    with pytest.raises(UsageError) as caught:
        read_report(path)
    assert str(caught.value).startswith(f"{path}: {fault}")
