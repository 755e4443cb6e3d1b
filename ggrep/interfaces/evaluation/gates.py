"""Bounds that a run must meet: explicit ones, and those set by a baseline report."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.figures import Block

if TYPE_CHECKING:
    from ggrep.model.schemas.evaluation import GateJson

MEASURES: Final = ("ndcg10", "mrr10", "pass_rate")
_FLAGS: Final = {"ndcg10": "ndcg", "mrr10": "mrr", "pass_rate": "pass-rate"}
"""How each measure is called in names of flags."""


class Bound(Struct, frozen=True):
    """What one measure must reach.

    Attributes:
        least: stated; None where nothing was.
        max_drop: allowed below the earlier report's figure.
    """

    measure: str
    least: float | None
    max_drop: float


class Gate(Struct, frozen=True):
    """A bound in force, and what came of it.

    Attributes:
        least: the greater of what was stated and what the earlier report allows.
        value: None when no case has the figure; such a gate is missed.
    """

    measure: str
    least: float
    value: float | None

    @property
    def holds(self) -> bool:
        """Return whether the figure reaches the bound."""
        return self.value is not None and self.value >= self.least


def stated_bound(measure: str, least: float | None, max_drop: float) -> Bound:
    """Return the bound of one measure as its flags state it.

    Raises:
        UsageError: a figure lies outside 0 to 1, where no figure can.
    """
    for flag, value in (("--fail-under", least), ("--max-drop", max_drop)):
        if value is not None and not 0.0 <= value <= 1.0:  # which a NaN does not either
            raise UsageError(f"{flag}-{_FLAGS[measure]}: {value} does not lie between 0 and 1")
    return Bound(measure, least, max_drop)


def gates_of(
    overall: Block, bounds: tuple[Bound, ...], baseline: Mapping[str, Any] | None
) -> list[Gate]:
    """Return the gates in force: measures without a bound of any kind have none."""
    values = {
        "ndcg10": overall.ndcg10.value,
        "mrr10": overall.mrr10.value,
        "pass_rate": overall.pass_rate.value,
    }
    earlier = baseline["figures"]["overall"] if baseline is not None else {}
    gates = []
    for bound in bounds:
        asked = [] if bound.least is None else [bound.least]
        if earlier.get(bound.measure) is not None:
            asked.append(earlier[bound.measure] - bound.max_drop)
        if asked:
            # Rounded, so that a drop of just what is allowed is allowed.
            gates.append(Gate(bound.measure, round(max(asked), 9), values[bound.measure]))
    return gates


def gate_json(gate: Gate) -> "GateJson":
    """Return the gate as reports hold it."""
    return {
        "measure": gate.measure,
        "least": gate.least,
        "value": gate.value,
        "holds": gate.holds,
    }
