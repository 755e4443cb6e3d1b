"""Bounds that a run must keep: stated ones, and those that an earlier report sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ggrep import stable_json
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import UsageError
from ggrep.evaluation.figures import Block
from ggrep.stable_json import Json

MEASURES: Final = ("ndcg10", "mrr10", "pass_rate")
_SCHEMA_VERSION: Final = 1
_COMPARED: Final = {"id", "repo", "workspace", "category", *MEASURES[:2], "recall10", "passed"}


@dataclass(frozen=True, slots=True)
class Bound:
    """What one measure must reach.

    Attributes:
        least: stated; None where nothing was.
        max_drop: allowed below the earlier report's figure.
    """

    measure: str
    least: float | None
    max_drop: float


@dataclass(frozen=True, slots=True)
class Gate:
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


def gate_json(gate: Gate) -> dict[str, Json]:
    """Return the gate as reports hold it."""
    return {
        "measure": gate.measure,
        "least": gate.least,
        "value": gate.value,
        "holds": gate.holds,
    }


def read_report(path: Path) -> dict[str, Any]:
    """Return a report that was written earlier.

    Raises:
        UsageError: the file is none.
    """
    label = sanitise_line(str(path))
    try:
        document = stable_json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{label}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{label}: not JSON: {error}") from error
    if not _is_report(document):
        raise UsageError(f"{label}: no report of ggrep eval")
    if document.get("schema_version") != _SCHEMA_VERSION:
        raise UsageError(f"{label}: schema_version is not {_SCHEMA_VERSION}")
    return dict(document)


def _is_report(document: object) -> bool:
    """Return whether a document has what is read of reports."""
    if not isinstance(document, dict):
        return False
    figures, queries = document.get("figures"), document.get("queries")
    named = isinstance(figures, dict) and isinstance(figures.get("overall"), dict)
    return (
        named
        and isinstance(queries, list)
        and all(isinstance(row, dict) and row.keys() >= _COMPARED for row in queries)
    )
