"""What each part of the ranking is worth."""

from collections.abc import Mapping

import pytest

from ggrep.base.stable_json import Json
from ggrep.interfaces.evaluation.ranking_weights import weights_from
from ggrep.interfaces.evaluation.report import Run, scored_run
from ggrep.interfaces.evaluation.suite import jobs_of
from ggrep.interfaces.evaluation.suite_processes import run_jobs
from ggrep.search.query.weights import DEFAULT_WEIGHTS
from tests.fakes.evaluations import case, runner, suite
from training.ablation import ABLATIONS, Ablation, ablated

SUITE = suite(
    case("x", "x.py"), case("y", "y.py", repo="b"), case("z", "z.py", repo="c", category="symbol")
)
WITHOUT = Ablation("text", {"text": 0})


def run(**files: tuple[str, ...]) -> Run:
    """Return the run in which each case is answered with these files."""
    jobs = jobs_of(SUITE.cases)
    return scored_run(SUITE, run_jobs(jobs, runner(files), at_once=1, done=lambda _: None))


@pytest.mark.parametrize("ablation", ABLATIONS, ids=lambda each: each.part)
def test_every_ablation_changes_the_ranking(ablation: Ablation) -> None:
    """A switch that switches nothing would show that a part is worth nothing."""
    assert weights_from(ablation.weights) != DEFAULT_WEIGHTS


def test_each_part_has_a_name_of_its_own() -> None:
    """Tables and reports tell them apart by it."""
    assert len({each.part for each in ABLATIONS}) == len(ABLATIONS)


def test_the_loss_of_a_part_is_paired_by_query() -> None:
    """All questions lose their answer without it."""
    full = run(x=("x.py",), y=("y.py",), z=("z.py",))
    asked = list[object]()

    def ask(weights: Mapping[str, Json]) -> Run:
        asked.append(weights)
        return run(x=("o.py",), y=("x.py",), z=("o.py",))

    (found,) = ablated(full, ask, (WITHOUT,))

    assert asked == [{"text": 0}]
    assert found.change is not None
    assert (found.change.queries, found.change.better, found.change.worse) == (3, 0, 3)
    assert found.found.by_category["symbol"].change == -1.0
