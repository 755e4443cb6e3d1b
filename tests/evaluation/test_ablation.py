"""What each part of the ranking is worth."""

from dataclasses import replace

import pytest

from ggrep.interfaces.evaluation.ablation import ABLATIONS, Ablation, ablated, ablations_json
from ggrep.interfaces.evaluation.eval_text import render_ablations
from ggrep.interfaces.evaluation.other_weights import weights_from
from ggrep.interfaces.evaluation.report import scored_run
from ggrep.interfaces.evaluation.suite import jobs_of
from ggrep.interfaces.evaluation.suite_processes import Outcome, run_jobs
from ggrep.render.style import Style
from ggrep.search.query.weights import DEFAULT_WEIGHTS
from tests.fakes.evaluations import answer, case, runner, suite

SUITE = suite(
    case("x", "x.py"), case("y", "y.py", repo="b"), case("z", "z.py", repo="c", category="symbol")
)
WITHOUT = Ablation("text", {"text": 0})


def outcomes(*second: str) -> list[Outcome]:
    """Return outcomes that are right at first, and that bring these files without a part."""
    right = runner({"x": ("x.py",), "y": ("y.py",), "z": ("z.py",)})
    found = run_jobs(jobs_of(SUITE.cases), right, at_once=1, done=lambda _: None)
    return [
        replace(each, ablated=((answer(each.job.questions[0].id, *second),),)) for each in found
    ]


@pytest.mark.parametrize("ablation", ABLATIONS, ids=lambda each: each.part)
def test_every_ablation_changes_the_ranking(ablation: Ablation) -> None:
    """A switch that switches nothing would show that a part is worth nothing."""
    assert weights_from(ablation.weights) != DEFAULT_WEIGHTS


def test_each_part_has_a_name_of_its_own() -> None:
    """Tables and reports tell them apart by it."""
    assert len({each.part for each in ABLATIONS}) == len(ABLATIONS)


def test_the_loss_of_a_part_is_paired_by_query() -> None:
    """Two of three questions lose their answer without it."""
    answered = outcomes("o.py", "x.py")
    (found,) = ablated(SUITE, scored_run(SUITE, answered), answered, (WITHOUT,))

    assert found.change is not None
    assert (found.change.queries, found.change.better, found.change.worse) == (3, 0, 3)
    assert dict(found.found.by_category)["symbol"].change == -1.0
    assert "text" in render_ablations([found], Style(colour=False))
    (document,) = ablations_json([found])
    assert isinstance(document, dict)
    assert (document["part"], document["weights"]) == ("text", {"text": 0})


def test_a_job_that_failed_fails_without_the_part_as_well() -> None:
    """It answered neither."""
    answered = [replace(each, answers=(), ablated=(), error="boom") for each in outcomes("x.py")]
    (found,) = ablated(SUITE, scored_run(SUITE, answered), answered, (WITHOUT,))

    assert found.run.errors == 3
    assert found.change is not None
    assert found.change.change == 0.0
