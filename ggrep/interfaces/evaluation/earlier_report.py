"""Reads an earlier run's report, as far as bounds and comparisons need it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.model.sanitise import sanitise_line

_SCHEMA_VERSION: Final = 1
_OVERALL: Final = ("ndcg10", "mrr10", "pass_rate")
_FIGURES: Final = ("ndcg10", "mrr10", "recall10")
_NAMES: Final = ("id", "repo", "category")


def read_report(path: Path) -> dict[str, Any]:
    """Return a report that was written earlier.

    Raises:
        UsageError: the file is none; the first field that is not what it must be is named.
    """
    label = sanitise_line(str(path))
    try:
        document = stable_json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{label}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{label}: not JSON: {error}") from error
    fault = _fault(document)
    if fault:
        raise UsageError(sanitise_line(f"{label}: {fault}"))
    return dict(document)


def _fault(document: object) -> str:
    """Return what of a document is not as reports have it; empty when nothing is."""
    if not isinstance(document, dict) or not isinstance(document.get("figures"), dict):
        return "no report of ggrep eval"
    version = document.get("schema_version")
    if version != _SCHEMA_VERSION or isinstance(version, bool):
        return f"schema_version is not {_SCHEMA_VERSION}"
    overall, queries = document["figures"].get("overall"), document.get("queries")
    if not isinstance(overall, dict):
        return "figures.overall must be an object"
    if not isinstance(queries, list):
        return "queries must be a list"
    faults = [_figure_fault("figures.overall", overall, name) for name in _OVERALL]
    seen: dict[tuple[str, str], int] = {}
    for place, row in enumerate(queries):
        where = f"queries[{place}]"
        fault = _row_fault(where, row)
        if not fault:
            key = (row["workspace"] or "", row["id"])
            first = seen.setdefault(key, place)
            fault = "" if first == place else f"{where}.id is that of queries[{first}] too"
        faults.append(fault)
    return next((fault for fault in faults if fault), "")


def _row_fault(where: str, row: object) -> str:
    if not isinstance(row, dict):
        return f"{where} must be an object"
    for name in _NAMES:
        if not isinstance(row.get(name), str):
            return f"{where}.{name} must be a string"
    if "workspace" not in row or not isinstance(row["workspace"], str | None):
        return f"{where}.workspace must be a string or null"
    if not isinstance(row.get("passed"), bool):
        return f"{where}.passed must be true or false"
    faults = (_figure_fault(where, row, name) for name in _FIGURES)
    return next((fault for fault in faults if fault), "")


def _figure_fault(where: str, holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in holder and (value is None or (is_number and 0.0 <= value <= 1.0)):
        return ""
    return f"{where}.{name} must be a number from 0 to 1, or null"
