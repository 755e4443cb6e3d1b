"""Refusals specific to HTTP, and the status of every failure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ggrep.base.errors import (
    Busy,
    Cancelled,
    DeadlineExceeded,
    Forbidden,
    GgrepError,
    Incompatible,
    NoIndex,
    RequestError,
    SessionExpired,
    SessionFull,
    SnapshotGone,
)

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Refusal(RequestError):
    """A message that HTTP itself turns away.

    Attributes:
        status: of the response; `headers` go with it.
    """

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] = _NOTHING
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers


class ClientGone(RequestError):
    """Nobody waits for the answer any more."""

    code = "cancelled"


_STATUSES: Final[tuple[tuple[type[GgrepError], int], ...]] = (
    (Forbidden, 403),
    (NoIndex, 409),
    (SnapshotGone, 409),
    (SessionExpired, 409),
    (SessionFull, 409),
    (Incompatible, 409),
    (RequestError, 400),
    (Busy, 429),
    (DeadlineExceeded, 504),
    (Cancelled, 503),
)
"""The first that fits; what fits none is 500."""


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """Status and headers of a failure."""

    status: int
    headers: Mapping[str, str]


def http_failure(error: GgrepError) -> HttpFailure:
    """Return how HTTP says an error."""
    if isinstance(error, Refusal):
        return HttpFailure(error.status, error.headers)
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    if isinstance(error, Busy):
        seconds = max(1, math.ceil(error.retry_after_ms / 1000))
        return HttpFailure(status, {"retry-after": str(seconds)})
    return HttpFailure(status, _NOTHING)
