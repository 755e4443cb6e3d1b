"""Says which filter or path selects nothing, where an answer is empty for it."""

from collections.abc import Sequence
from dataclasses import replace

from ggrep.base.deadline import Deadline
from ggrep.model.filters import Filter
from ggrep.model.limits import Notice
from ggrep.model.request import SearchRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.eligible import eligible_rows
from ggrep.search.query.segments import SearchableSegment


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
    if not filters and not scope:
        return ()
    whole = SearchRequest("", include_anchors=True)
    empty = [
        _spelled(item)
        for item in filters
        if not _selects(segments, replace(whole, filters=(item,)), deadline)
    ]
    if scope and not _selects(segments, replace(whole, scope=scope), deadline):
        empty.append(scope)
    if empty:
        told = f"nothing indexed matches {', '.join(empty)}"
    elif not _selects(segments, replace(whole, filters=filters, scope=scope), deadline):
        every = [*map(_spelled, filters), *([scope] if scope else [])]
        told = f"nothing indexed matches all of {', '.join(every)}"
    else:
        return ()
    return (Notice("nothing_selected", sanitise_line(told)),)


def _selects(
    segments: Sequence[SearchableSegment], request: SearchRequest, deadline: Deadline
) -> bool:
    return any(bool(eligible_rows(each, request, deadline).any()) for each in segments)


def _spelled(item: Filter) -> str:
    return f"{'-' if item.negated else ''}{item.key}:{item.value}"
