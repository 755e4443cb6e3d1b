"""Suites whose cases name places: what slates show of them, by their bytes."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.base.stable_json import decode
from ggrep.interfaces.evaluation.compare import compare, read_report
from ggrep.interfaces.evaluation.eval_text import render_comparison, render_run
from ggrep.interfaces.evaluation.questions import Answer, CaseQuery
from ggrep.interfaces.evaluation.report import Run, queries_json
from ggrep.interfaces.evaluation.suite import Case, Overrides, overridden, read_suite
from ggrep.interfaces.evaluation.suite_processes import Job, JobResult
from ggrep.interfaces.evaluation.visible_lines import LineRange, ShownFile, ShownSlate
from ggrep.model.evaluation import SHARES
from ggrep.render.style import Style
from tests.fakes.evaluations import case, report_document, run_suite, suite
from tests.journeys.command import fits

PAY, CART = LineRange("pay.py", 10, 13), LineRange("cart.py", 1, 1)
LARGE = ShownSlate(
    (
        ShownFile("pay.py", ("code",), ((10, 13),), ((1, 60),)),
        ShownFile("far.py", ("code",), ((1, 4),), ()),
    ),
    9_000,
)
SMALL = ShownSlate((ShownFile("cart.py", ("code",), (), ((1, 3),)),), 3_000)


def placed(name: str, repo: str = "a", **parts: Any) -> Case:
    plain = case(name, repo=repo, **parts)
    question = CaseQuery(name, f"where is {name}", slates=(16_384, 6_144), searched=False)
    return replace(plain, question=question, places=((PAY,), (CART,)))


def runner(job: Job) -> JobResult:
    """Answer with both slates, as they travel; one repository fails."""
    if job.name == "broken":
        return JobResult(job, error="it was killed")
    answers = (Answer(each.id, slates=(LARGE, SMALL), elapsed_ms=5.0) for each in job.questions)
    return JobResult(job, decode(tuple[Answer, ...], to_builtins(tuple(answers))))


def some_run() -> Run:
    """Return a run over two repositories that answer and one that fails."""
    cases = placed("x"), placed("y", repo="b", category="symbol"), placed("z", repo="broken")
    return run_suite(suite(*cases), runner)


def test_figures_stand_by_the_bytes_of_slates() -> None:
    large, small = some_run().slates

    assert (large.max_bytes, small.max_bytes) == (16_384, 6_144)
    assert (large.overall.cases, large.overall.errors) == (3, 1)
    values = {
        name: mean.value for name, mean in ((name, getattr(large.overall, name)) for name in SHARES)
    }
    assert values == pytest.approx(
        {
            "places": 1 / 3,
            "told": 1 / 3,
            "files": 1 / 3,
            "line_precision": 1 / 3,
            "file_precision": 1 / 3,
        }
    )
    assert (large.overall.bytes, large.overall.calls) == (9_000, 1)
    assert small.overall.places.value == 0
    assert small.overall.told.value == pytest.approx(1 / 3)
    assert [(name, block.cases) for name, block in large.by_repo.items()] == [
        ("a", 1),
        ("b", 1),
        ("broken", 1),
    ]


def test_a_case_passes_where_the_largest_slate_shows_all_places() -> None:
    (row, *_) = some_run().rows

    assert not row.score.passed
    assert row.score.missing == ("cart.py:1-1 shown",)
    assert (row.score.ndcg10, row.score.mrr10, row.score.recall10) == (None, None, None)


def test_the_report_fits_its_schema_and_the_text_its_columns() -> None:
    run = some_run()
    document = report_document(run)
    text = render_run(run, (), Style(colour=False))

    fits(document, "eval_report")
    assert [each["max_bytes"] for each in document["slates"]] == [16_384, 6_144]
    assert document["queries"][0]["slates"][1]["bytes"] == 3_000
    assert document["queries"][2]["slates"][0]["bytes"] is None
    assert document["queries"][0]["files"] == ["pay.py", "far.py"]
    assert max(map(len, text.splitlines())) <= 80
    assert (
        "16,384 bytes            3   0.333  .000 .500  0.33   0.33   0.33   0.33    9,000" in text
    )
    assert "NDCG" not in text
    assert "  missing cart.py:1-1 shown" in text


def test_a_search_beside_has_its_own_table() -> None:
    both = some_run().suite.cases[0]
    searched = replace(both, question=replace(both.question, searched=True))
    text = render_run(run_suite(suite(searched), runner), (), Style(colour=False))

    assert text.index("NDCG@10") < text.index("places that slates show")


def test_two_runs_are_compared_by_size(tmp_path: Path) -> None:
    """A size that one report lacks is left out."""
    before = report_document(some_run())

    def better(job: Job) -> JobResult:
        answers = tuple(Answer(each.id, slates=(LARGE,)) for each in job.questions)
        return JobResult(job, answers)

    cases = overridden(some_run().suite, Overrides(max_bytes=(16_384,)))
    after = report_document(run_suite(cases, better))
    result = compare(before, after)
    document = result.to_dict()

    fits(document, "eval_comparison")
    (change,) = document["slates"]
    assert change["max_bytes"] == 16_384
    assert change["overall"]["places"]["change"] == pytest.approx(0.5 / 3)
    assert (change["overall"]["places"]["better"], change["bytes_after"]) == (1, 9_000)
    text = render_comparison(result, Style(colour=False))
    assert "slates of 16,384 bytes, median 9,000 before, 9,000 after" in text
    assert "visible" in text


def test_files_of_other_reports_have_no_slates() -> None:
    """An earlier report, without a place, is compared as ever."""
    rows = [{**row} for row in queries_json(some_run())]
    for row in rows:
        row.pop("slates")

    assert compare({"queries": rows}, report_document(some_run())).slates is UNSET


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"slates": {}}, "queries[0].slates must be a list of objects"),
        ({"slates": [{"max_bytes": True}]}, "queries[0].slates[0].max_bytes must be a whole"),
        ({"slates": [{"max_bytes": 9, "bytes": "x"}]}, "slates[0].bytes must be a whole number or"),
        ({"slates": [{"max_bytes": 9, "places": 2}]}, "slates[0].places must be a number from 0"),
    ],
)
def test_a_report_with_another_kind_of_slate_is_refused(
    tmp_path: Path, change: dict[str, Any], fault: str
) -> None:
    from ggrep.base import stable_json

    document = report_document(some_run())
    document["queries"][0].update(change)
    path = tmp_path / "earlier.json"
    path.write_bytes(stable_json.dumps(document))

    with pytest.raises(UsageError) as caught:
        read_report(path)
    assert fault in str(caught.value)


def test_a_suite_names_places(tmp_path: Path) -> None:
    """With or without what a search should bring; sizes may be given instead."""
    path = tmp_path / "own.eval.toml"
    path.write_text(
        'version = 1\n[[cases]]\nid = "a"\nquery = "q"\n'
        'places = ["./pay.py:10-13", ["cart.py:1-1"]]\n'
        'expect_confidence = "strong"\n'
        '[[cases]]\nid = "b"\nquery = "q"\nplaces = "pay.py:1-2"\nrelevant = "pay.py"\n'
        '[[cases]]\nid = "c"\nquery = "q"\nrelevant = "pay.py"\n'
    )
    read = read_suite(path)
    slates, both, search = (each.question for each in read.cases)
    smaller = overridden(read, Overrides(max_bytes=(2_048,)))

    assert read.cases[0].places == ((PAY,), (CART,))
    assert (slates.slates, slates.searched) == ((16_384, 6_144), False)
    assert (both.slates, both.searched) == ((16_384, 6_144), True)
    assert (search.slates, search.searched) == ((), True)
    assert [each.question.slates for each in smaller.cases] == [(2_048,), (2_048,), ()]
