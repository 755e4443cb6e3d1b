"""The time that a daemon may take for a request: what its client has left."""

import math
from typing import Final

from msgspec.structs import replace

from ggrep.config.caps import MAX_QUERY_TIMEOUT_MS
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.message_types import (
    Expand,
    Outline,
    Question,
    References,
    Search,
    Slate,
    Symbol,
    Tour,
)

_REPLY_MS: Final = 50


def for_daemon(left_ms: float) -> float:
    """Return the milliseconds that a daemon may take of those that its client has left.

    Its time ends a little earlier, so that its own word of that arrives in time.
    """
    return left_ms if math.isinf(left_ms) else left_ms - min(_REPLY_MS, left_ms / 10)


def timeout_of(message: Question) -> int:
    """Return the timeout of a request in milliseconds; 0 for the configured one."""
    request = message.request
    return request.search.timeout_ms if isinstance(request, SlateRequest) else request.timeout_ms


def within(message: Question, left_ms: float) -> Question:
    """Return the request with so many milliseconds to answer it."""
    time_ms = whole_ms(left_ms)
    sent: Question
    match message:
        case Search():
            sent = replace(message, request=timed(message.request, left_ms))
        case Slate():
            slate = message.request
            sent = replace(message, request=replace(slate, search=timed(slate.search, left_ms)))
        case Symbol():
            sent = replace(message, request=replace(message.request, timeout_ms=time_ms))
        case References():
            sent = replace(message, request=replace(message.request, timeout_ms=time_ms))
        case Expand():
            sent = replace(message, request=replace(message.request, timeout_ms=time_ms))
        case Outline():
            sent = replace(message, request=replace(message.request, timeout_ms=time_ms))
        case Tour():
            sent = replace(message, request=replace(message.request, timeout_ms=time_ms))
    return sent


def timed(request: SearchRequest, left_ms: float) -> SearchRequest:
    """Return the query with so many milliseconds to answer it."""
    return replace(request, timeout_ms=whole_ms(left_ms))


def whole_ms(left_ms: float) -> int:
    """Return a daemon's time limit in whole milliseconds, at least 1, as 0 would be no limit."""
    return max(1, int(min(left_ms, MAX_QUERY_TIMEOUT_MS)))
