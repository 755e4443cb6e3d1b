"""Published documents: fakes return them, and clients hold them against their schemas."""

from pathlib import Path
from typing import Any, Final

from ggrep.base import stable_json

GOLDENS: Final = {
    tuple(path.stem.partition("[")[2].rstrip("]").split("-")): path
    for path in sorted((Path(__file__).parents[1] / "golden/__snapshots__").rglob("*[[]*.json"))
}
"""The file of each golden by the schema of its document and the case."""

_CASES: Final = {
    "query_success": "balanced",
    "slate_success": "tree_level_2",
    "health": "sound",
    "federated_success": "rrf",
    "federated_slate": "level_1",
    "federated_error": "workspace",
}


def golden(schema: str, case: str | None = None) -> dict[str, Any]:
    """Return a document, which the caller may change."""
    cases = [each for name, each in GOLDENS if name == schema]
    chosen = case or _CASES.get(schema, cases[0])
    document: dict[str, Any] = stable_json.loads(GOLDENS[schema, chosen].read_bytes())
    return document
