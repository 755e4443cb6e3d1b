"""Bounds of a run, and the comparison of two."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.compare import compare, read_report
from ggrep.interfaces.evaluation.eval_text import render_comparison, render_run
from ggrep.interfaces.evaluation.report import Bound, gates_of
from ggrep.model.evaluation import ComparedQueries, FigureBlock
from ggrep.render.style import Style
from tests.fakes.evaluations import case, report_document, run_suite, runner, some_run, suite


def block(ndcg10: float | None) -> FigureBlock:
    """Return figures of which only one matters."""
    return FigureBlock(3, 0, ndcg10, *[None] * 7)


def baseline(ndcg10: float) -> dict[str, Any]:
    """Return the part of a report that gates look at."""
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
    """What only one of the reports has says nothing about a change."""
    repos = "abcd"
    old = suite(*(case(f"q{repo}", "x.py", repo=repo) for repo in repos))
    new = suite(*old.cases[1:], case("other", "x.py", repo="a"))
    before = run_suite(old, runner({f"q{repo}": ("o.py", "x.py") for repo in repos}))
    after = run_suite(new, runner({f"q{repo}": ("x.py",) for repo in repos} | {"other": ()}))
    found = compare(report_document(before), report_document(after))

    assert found.queries == ComparedQueries(3, 1, 1)
    by_name = found.overall
    assert by_name["mrr10"].change == 0.5
    assert by_name["mrr10"].interval == (0.5, 0.5)
    assert by_name["mrr10"].is_certain
    assert (by_name["passed"].change, by_name["passed"].better) == (0.0, 0)
    assert not by_name["passed"].is_certain
    assert found.to_dict()["queries"] == {"common": 3, "only_before": 1, "only_after": 1}


def test_reports_without_a_common_query_are_refused() -> None:
    """A difference of nothing would be zero."""
    one, other = (
        report_document(run_suite(suite(case(name, "x")), runner({name: ("x",)}))) for name in "pq"
    )

    with pytest.raises(UsageError, match="no query in common"):
        compare(one, other)


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
