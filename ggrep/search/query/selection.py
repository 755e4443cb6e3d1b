"""Looks which filter or path selects nothing."""

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
"""Keys of filters whose values somebody writes from memory."""


def selection_notices(
    segments: Sequence[SearchableSegment],
    scope: str,
    filters: tuple[Filter, ...],
    deadline: Deadline,
) -> tuple[Notice, ...]:
    """Return a notice that names filters or a path that nothing indexed matches; none for others.

    To be asked where an answer is empty: each is tried alone.

    Raises:
        DeadlineExceeded: time ran out.
    """
    return unmatched_notices(selects(segments, scope, filters, deadline), scope, filters)


def absent_notices(
    segments: Sequence[SearchableSegment], filters: tuple[Filter, ...], deadline: Deadline
) -> tuple[Notice, ...]:
    """Return a notice that names languages, kinds and endings that nothing indexed has.

    An answer that others of its filters fill hides that one of them is misspelt, and so does one
    that a misspelt filter should have left something out of.

    Raises:
        DeadlineExceeded: time ran out.
    """
    named = tuple(
        dict.fromkeys(replace(item, negated=False) for item in filters if item.key in _OF_VALUES)
    )
    told = selects(segments, "", named, deadline)[: len(named)]
    absent = tuple(item for item, matches in zip(named, told, strict=True) if not matches)
    return unmatched_notices((False,) * len(absent), "", absent)


def selects(
    segments: Sequence[SearchableSegment],
    scope: str,
    filters: tuple[Filter, ...],
    deadline: Deadline,
) -> tuple[bool, ...]:
    """Return whether each filter, the path and all of them match anything; empty without any.

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
