"""The time that a daemon may take for a request: what its client has left."""

import math
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from ggrep.config.caps import MAX_QUERY_TIMEOUT_MS
from ggrep.model.operations import bounded, bounds_of
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.message_types import Ask, Fetch, Question, Search

M = TypeVar("M", bound=Search | Ask[Any] | Fetch[Any])

_REPLY_MS: Final = 50


def for_daemon(left_ms: float) -> float:
    """Return the milliseconds that a daemon may take of those that its client has left.

    Its time ends a little earlier, so that its own word of that arrives in time.
    """
    return left_ms if math.isinf(left_ms) else left_ms - min(_REPLY_MS, left_ms / 10)


def timeout_of(message: Question) -> int:
    """Return the timeout of a request in milliseconds; 0 for the configured one."""
    timeout_ms: int = bounds_of(message.request).timeout_ms
    return timeout_ms


def within(message: M, left_ms: float) -> M:
    """Return the request with so many milliseconds to answer it."""
    return replace(message, request=bounded(message.request, timeout_ms=whole_ms(left_ms)))


def timed(request: SearchRequest, left_ms: float) -> SearchRequest:
    """Return the query with so many milliseconds to answer it."""
    return replace(request, timeout_ms=whole_ms(left_ms))


def whole_ms(left_ms: float) -> int:
    """Return a daemon's time limit in whole milliseconds, at least 1, as 0 would be no limit."""
    return max(1, int(min(left_ms, MAX_QUERY_TIMEOUT_MS)))
