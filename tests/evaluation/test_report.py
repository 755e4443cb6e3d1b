"""A run of a suite and its report."""

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.suite import Narrowing, Overrides, jobs_of, narrowed, overridden
from tests.fakes.evaluations import case, report_document, run_suite, runner, some_run, suite


def test_a_repository_that_fails_scores_zero_and_is_named() -> None:
    """Leaving it out would make the figures look better the more is broken."""
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
