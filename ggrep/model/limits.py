"""The completeness of an answer: the limits that cut it, and warnings."""

from collections.abc import Iterable

from msgspec import Struct


class LimitHit(Struct, frozen=True):
    """A bound that changed the answer.

    Attributes:
        code: the bound's stable name.
        limit: the bound that applied.
        observed: how much there was before the cut, when known.
        path_key: the file it concerns, when it concerns one.
    """

    code: str
    limit: int
    observed: int | None = None
    path_key: str | None = None


class Notice(Struct, frozen=True):
    """A warning; `message` never holds file content."""

    code: str
    message: str
    path_key: str | None = None


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
