"""Finds filters and paths of a request that match no file or row."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.model.filters import Filter, unmatched_notices
from ggrep.model.limits import Notice
from ggrep.model.request import SearchRequest
from ggrep.search.query.eligible import eligible_rows
from ggrep.search.query.segments import SearchableSegment

_OF_VALUES: Final = frozenset({"lang", "kind", "ext"})
"""Keys of filters whose values are typed from memory and can be misspelt."""


def selection_notices(
    segments: Sequence[SearchableSegment],
    scope: str,
    filters: tuple[Filter, ...],
    deadline: Deadline,
) -> tuple[Notice, ...]:
    """Return a notice with the filters or the path that match nothing; none if all match.

    Called for empty answers; each filter is tried alone.

    Raises:
        DeadlineExceeded: time ran out.
    """
    return unmatched_notices(selects(segments, scope, filters, deadline), scope, filters)


def absent_notices(
    segments: Sequence[SearchableSegment], filters: tuple[Filter, ...], deadline: Deadline
) -> tuple[Notice, ...]:
    """Return a notice on filters with a language, kind or ending that no indexed file has.

    Even the filters of an answer with hits can be misspelt: other filters can match, and a misspelt
    negated filter excludes nothing.

    Raises:
        DeadlineExceeded: time ran out.
    """
    named = tuple(
        dict.fromkeys(replace(item, negated=False) for item in filters if item.key in _OF_VALUES)
    )
    matched = selects(segments, "", named, deadline)[: len(named)]
    absent = tuple(item for item, matches in zip(named, matched, strict=True) if not matches)
    return unmatched_notices((False,) * len(absent), "", absent)


def selects(
    segments: Sequence[SearchableSegment],
    scope: str,
    filters: tuple[Filter, ...],
    deadline: Deadline,
) -> tuple[bool, ...]:
    """Return whether each filter, the scope, and all of them together match anything.

    The result is empty if the request has neither filters nor a scope.

    Raises:
        DeadlineExceeded: time ran out.
    """
    if not filters and not scope:
        return ()
    whole = SearchRequest("", include_anchors=True)
    requests = [
        *(replace(whole, filters=(item,)) for item in filters),
        replace(whole, scope=scope),
        replace(whole, filters=filters, scope=scope),
    ]
    return tuple(_selects(segments, request, deadline) for request in requests)


def _selects(
    segments: Sequence[SearchableSegment], request: SearchRequest, deadline: Deadline
) -> bool:
    return any(bool(eligible_rows(each, request, deadline).any()) for each in segments)
