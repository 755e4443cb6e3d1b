"""Measures the worth of each part of the ranking by turning off one after another.

Nothing is indexed again; only weights change.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ggrep.base.stable_json import Json
from ggrep.interfaces.evaluation.compare import compare
from ggrep.interfaces.evaluation.report import Run, queries_json
from ggrep.model.evaluation import Comparison, Difference


class Ablation(Struct, frozen=True):
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
    Ablation("passage factor", {"passage": 0}),
    Ablation("learned correction", {"learned": 0}),
    Ablation("priors", {"priors": 0}),
    Ablation("kinds", {"kinds": 0}),
)


class Ablated(Struct, frozen=True):
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
        return self.found.overall.get("ndcg10")


def ablated(
    full: Run,
    ask: Callable[[Mapping[str, Json]], Run],
    ablations: Sequence[Ablation] = ABLATIONS,
) -> tuple[Ablated, ...]:
    """Return each ablation's run and its differences to the full one.

    Args:
        full: the run with the usual weights.
        ask: puts the same questions with other weights.
        ablations: the parts to turn off, one after another.
    """
    before = {"queries": queries_json(full)}
    runs = [(ablation, ask(ablation.weights)) for ablation in ablations]
    return tuple(
        Ablated(ablation, run, compare(before, {"queries": queries_json(run)}))
        for ablation, run in runs
    )
