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
    Ablation("BM25F field `name`", {"fields": {"name": {"boost": 0}}}),
    Ablation("BM25F field `crumb`", {"fields": {"crumb": {"boost": 0}}}),
    Ablation("BM25F field `doc`", {"fields": {"doc": {"boost": 0}}}),
    Ablation("factor of words in the query's spelling set to 0", {"spelling": 0}),
    Ablation("factor of words in the query's spelling set to 1", {"spelling": 1}),
    Ablation("`text`: words of the chunk", {"text": 0}),
    Ablation("`file`: words of the chunk's file", {"file": 0}),
    Ablation("`path`: words of the path", {"path": 0}),
    Ablation("`stem`: words of the file name", {"stem": 0}),
    Ablation("`symbol`: definitions of names in the query", {"symbol": 0}),
    Ablation("`location`: fit to a path in the query", {"location": 0}),
    Ablation("similarity of vectors", {"dense": 0}),
    Ablation("factor of definitions", {"definition": 1}),
    Ablation("`further`: lower scores of a file's later hits", {"further": 1}),
    Ablation("`passage`: how well a chunk answers by itself", {"passage": 0}),
    Ablation("learned factor", {"learned": 0}),
    Ablation("priors of files and corpora", {"priors": 0}),
    Ablation("different weights for kinds of queries", {"kinds": 0}),
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
