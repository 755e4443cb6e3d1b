"""Reads earlier reports, and compares two reports query by query, with confidence intervals."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

from msgspec import UNSET

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.figures import interval, mean
from ggrep.model.evaluation import (
    BOUNDED,
    MEASURES,
    SHARES,
    ComparedQueries,
    Comparison,
    Difference,
    SlateChange,
)
from ggrep.model.sanitise import sanitise_line

_Pair: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A query's row, or a part of it, in the earlier and the later report."""

_REPORT_VERSION: Final = 1
_NAMES: Final = ("id", "repo", "category")


def read_report(path: Path) -> dict[str, Any]:
    """Return an earlier report.

    Raises:
        UsageError: the file is not a report; the message names the first invalid field.
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
    """Return the first fault of a report; empty for a valid report."""
    if not isinstance(document, dict) or not isinstance(document.get("figures"), dict):
        return "not a report of ggrep eval"
    version = document.get("schema_version")
    if version != _REPORT_VERSION or isinstance(version, bool):
        return f"schema_version is not {_REPORT_VERSION}"
    overall, queries = document["figures"].get("overall"), document.get("queries")
    if not isinstance(overall, dict):
        return "figures.overall must be an object"
    if not isinstance(queries, list):
        return "queries must be a list"
    faults = [_figure_fault("figures.overall", overall, name) for name in BOUNDED]
    seen: dict[tuple[str, str], int] = {}
    for place, row in enumerate(queries):
        where = f"queries[{place}]"
        fault = _row_fault(where, row)
        if not fault:
            key = (row["workspace"] or "", row["id"])
            first = seen.setdefault(key, place)
            fault = "" if first == place else f"{where}.id is the same as that of queries[{first}]"
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
    faults = (_figure_fault(where, row, name) for name in MEASURES if name != "passed")
    return next((fault for fault in (*faults, *_slate_faults(where, row)) if fault), "")


def _slate_faults(where: str, row: Mapping[str, Any]) -> Iterator[str]:
    slates = row.get("slates", [])
    if not isinstance(slates, list) or not all(isinstance(each, dict) for each in slates):
        yield f"{where}.slates must be a list of objects"
        return
    for place, each in enumerate(slates):
        at = f"{where}.slates[{place}]"
        if not _is_count(each.get("max_bytes")):
            yield f"{at}.max_bytes must be a whole number"
        if each.get("bytes") is not None and not _is_count(each["bytes"]):
            yield f"{at}.bytes must be a whole number or null"
        yield from (_figure_fault(at, each, name) for name in SHARES)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _figure_fault(where: str, holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in holder and (value is None or (is_number and 0.0 <= value <= 1.0)):
        return ""
    return f"{where}.{name} must be a number from 0 to 1, or null"


_SAME: Final = 1e-9


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Return the differences between two reports, over the queries in both.

    Raises:
        UsageError: the reports share no query.
    """
    old = {_key(row): row for row in before["queries"]}
    new = {_key(row): row for row in after["queries"]}
    common = sorted(old.keys() & new.keys())
    if not common:
        raise UsageError("the two reports have no query in common")
    pairs = [(old[key], new[key]) for key in common]
    categories = sorted({str(row["category"]) for row, _ in pairs})
    by_category = {
        name: _difference([pair for pair in pairs if pair[0]["category"] == name], "ndcg10")
        for name in categories
    }
    return Comparison(
        queries=ComparedQueries(len(common), len(old) - len(common), len(new) - len(common)),
        overall=_differences(pairs, MEASURES),
        by_category={name: each for name, each in by_category.items() if each is not None},
        slates=_slates(pairs) or UNSET,
    )


def _slates(pairs: Sequence[_Pair]) -> tuple[SlateChange, ...]:
    """Return the changes of slates, for each slate size in both reports."""
    by_size: dict[int, list[_Pair]] = {}
    for old, new in pairs:
        later = {each["max_bytes"]: each for each in new.get("slates", ())}
        for each in old.get("slates", ()):
            if each["max_bytes"] in later:
                pair = {**each, "repo": old["repo"]}, later[each["max_bytes"]]
                by_size.setdefault(each["max_bytes"], []).append(pair)
    return tuple(_slate_change(size, by_size[size]) for size in sorted(by_size, reverse=True))


def _slate_change(size: int, pairs: Sequence[_Pair]) -> SlateChange:
    before, after = (
        [float(pair[side]["bytes"]) for pair in pairs if pair[side]["bytes"] is not None]
        for side in (0, 1)
    )
    return SlateChange(
        size,
        _differences(pairs, SHARES),
        median(before) if before else None,
        median(after) if after else None,
    )


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["workspace"] or "", row["id"]


def _differences(pairs: Sequence[_Pair], names: Sequence[str]) -> dict[str, Difference]:
    differences = {name: _difference(pairs, name) for name in names}
    return {name: each for name, each in differences.items() if each is not None}


def _difference(pairs: Sequence[_Pair], name: str) -> Difference | None:
    both = [
        (float(new[name]) - float(old[name]), str(old["repo"]))
        for old, new in pairs
        if old[name] is not None and new[name] is not None
    ]
    if not both:
        return None
    changes, repos = [change for change, _ in both], [repo for _, repo in both]
    return Difference(
        queries=len(changes),
        change=mean(changes),
        interval=interval(changes, repos),
        better=sum(change > _SAME for change in changes),
        worse=sum(change < -_SAME for change in changes),
    )
