"""The completeness of an answer: the limits that cut it, and warnings."""

from collections.abc import Iterable

from msgspec import Struct

from ggrep.model.constraints import Code, Count, named


@named("limit")
class LimitHit(Struct, frozen=True, omit_defaults=True):
    """A bound that changed the answer. Sorted by code, then path; one entry for each pair."""

    code: Code
    """Stable name of the bound."""
    limit: Count
    """The bound that applied, in the unit of its name: a count or bytes."""
    observed: Count | None = None
    """How much there was before the cut; absent when unknown."""
    path_key: str | None = None
    """The file it concerns; absent when it concerns the whole answer."""


class Notice(Struct, frozen=True, omit_defaults=True):
    """A warning. Sorted by code, then path; one entry for each pair."""

    code: Code
    """Stable name of the warning."""
    message: str
    """One line for people; holds no file content."""
    path_key: str | None = None
    """The file it concerns; absent when it concerns the whole answer."""


def sorted_limits(hits: Iterable[LimitHit]) -> tuple[LimitHit, ...]:
    """Return each (code, path) once, by code then path; the largest `observed` wins."""
    best: dict[tuple[str, str], LimitHit] = {}
    for hit in hits:
        key = (hit.code, hit.path_key or "")
        held = best.get(key)
        if held is None or (hit.observed or 0) > (held.observed or 0):
            best[key] = hit
    return tuple(best[key] for key in sorted(best))


def sorted_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return each (code, path) once, by code then path; the smallest message wins."""
    best: dict[tuple[str, str], Notice] = {}
    for notice in notices:
        key = (notice.code, notice.path_key or "")
        held = best.get(key)
        if held is None or notice.message < held.message:
            best[key] = notice
    return tuple(best[key] for key in sorted(best))
