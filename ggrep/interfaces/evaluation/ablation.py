"""Measures the worth of each part of the ranking by turning off one after another.

Nothing is indexed again; only weights change. Each repository's process answers all rankings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from ggrep.base.stable_json import Json
from ggrep.interfaces.evaluation.compare import Comparison, Difference, compare, difference_json
from ggrep.interfaces.evaluation.report import Run, queries_json, scored_run
from ggrep.interfaces.evaluation.suite import Suite
from ggrep.interfaces.evaluation.suite_processes import Outcome

if TYPE_CHECKING:
    from ggrep.model.schemas.evaluation import AblationJson, WeightsJson


@dataclass(frozen=True, slots=True)
class Ablation:
    """A ranking with a part off.

    Attributes:
        part: what is off, in a few words.
        weights: that differ from the usual ones; names and form as after `--weights`.
    """

    part: str
    weights: Mapping[str, Json]


ABLATIONS: Final = (
    Ablation("name field", {"fields": {"name": {"boost": 0}}}),
    Ablation("crumb field", {"fields": {"crumb": {"boost": 0}}}),
    Ablation("doc field", {"fields": {"doc": {"boost": 0}}}),
    Ablation("spelling at 0", {"spelling": 0}),
    Ablation("spelling at 1", {"spelling": 1}),
    Ablation("text", {"text": 0}),
    Ablation("file", {"file": 0}),
    Ablation("path", {"path": 0}),
    Ablation("stem", {"stem": 0}),
    Ablation("symbol", {"symbol": 0}),
    Ablation("location", {"location": 0}),
    Ablation("encoder", {"dense": 0}),
    Ablation("definition factor", {"definition": 1}),
    Ablation("further decay", {"further": 1}),
    Ablation("learned correction", {"learned": 0}),
    Ablation("priors", {"priors": 0}),
    Ablation("kinds", {"kinds": 0}),
)


@dataclass(frozen=True, slots=True)
class Ablated:
    """What became of the questions with one part off.

    Attributes:
        found: that run less the full one, query by query.
    """

    ablation: Ablation
    run: Run
    found: Comparison

    @property
    def change(self) -> Difference | None:
        """Return the difference in NDCG@10; None when no case has the figure."""
        return dict(self.found.overall).get("ndcg10")


def ablated(
    suite: Suite,
    full: Run,
    outcomes: Sequence[Outcome],
    ablations: Sequence[Ablation] = ABLATIONS,
) -> tuple[Ablated, ...]:
    """Return each ablation's run and its differences to the full one.

    Args:
        suite: that was run.
        full: its run with the usual weights.
        outcomes: what the workers answered, once more for each of `ablations`.
        ablations: in the order in which the workers had them.
    """
    before = {"queries": queries_json(full)}
    found = []
    for place, ablation in enumerate(ablations):
        run = scored_run(suite, [_of(outcome, place) for outcome in outcomes])
        found.append(Ablated(ablation, run, compare(before, {"queries": queries_json(run)})))
    return tuple(found)


def ablations_json(found: Sequence[Ablated]) -> "list[AblationJson]":
    """Return the differences as a report holds them."""
    return [
        {
            "part": each.ablation.part,
            "weights": cast("WeightsJson", dict(each.ablation.weights)),
            "ndcg10": each.run.figures.overall.ndcg10.value,
            "overall": {name: difference_json(one) for name, one in each.found.overall},
            "by_category": {name: difference_json(one) for name, one in each.found.by_category},
        }
        for each in found
    ]


def _of(outcome: Outcome, place: int) -> Outcome:
    """Return the outcome as if that ranking alone had been asked."""
    answers = outcome.ablated[place] if place < len(outcome.ablated) else ()
    return replace(outcome, answers=answers)
