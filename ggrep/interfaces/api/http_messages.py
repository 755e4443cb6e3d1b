"""Answers and failures as HTTP responses: documents with the same bytes as on other surfaces."""

import math
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from ggrep.base import stable_json
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
from ggrep.base.stable_json import Document
from ggrep.federation.federated_response import failure_json

_OF_ONE: Final = frozenset(
    {
        *("/search", "/context", "/symbol", "/references", "/expand", "/outline", "/tour"),
        *("/status", "/health"),
    }
)
"""Routes of one repository; all others are the federated backend's."""

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
    (Cancelled, 503),
)
"""The first that fits; what fits none is 504 where it is late, else 500."""


class HttpFailure(Struct, frozen=True):
    """Status and headers of a failure."""

    status: int
    headers: Mapping[str, str]


def http_failure(error: GgrepError) -> HttpFailure:
    """Return how HTTP says an error."""
    if isinstance(error, Refusal):
        return HttpFailure(error.status, error.headers)
    late = 504 if error.code == DeadlineExceeded.code else 500
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), late)
    if isinstance(error, Busy):
        seconds = max(1, math.ceil(error.retry_after_ms / 1000))
        return HttpFailure(status, {"retry-after": str(seconds)})
    return HttpFailure(status, _NOTHING)


ALWAYS: Final[Mapping[str, str]] = MappingProxyType(
    {"cache-control": "no-store", "x-content-type-options": "nosniff"}
)
"""Headers of every response: answers hold source code, which no cache should keep."""


def document_bytes(document: Document) -> bytes:
    """Return a document as all surfaces write it."""
    return stable_json.dumps(document) + b"\n"


def document_response(
    document: Document, *, status: int = 200, headers: Mapping[str, str] = ALWAYS
) -> Response:
    """Return a response that holds a document."""
    return Response(
        document_bytes(document),
        status_code=status,
        headers={**ALWAYS, **headers},
        media_type="application/json",
    )


def failure_response(error: GgrepError, path: str = "") -> Response:
    """Return the response to a request that failed; no absolute path stands in it.

    `path` is of the route, and says which backend failed.
    """
    how = http_failure(error)
    document: Document = failure_json(error, include_paths=False)
    if path in _OF_ONE:
        document = {**document, "backend": "repository"}
    return document_response(document, status=how.status, headers=how.headers)


Handler: TypeAlias = Callable[[Request], Awaitable[ASGIApp]]
Told: TypeAlias = Callable[[BaseException], None]


def as_ours(error: Exception, told: Told) -> GgrepError:
    """Return an error as one of ours; a bug is told of, and its text stays here."""
    if isinstance(error, GgrepError):
        if error.code == "internal":
            told(error)
        return error
    told(error)
    return GgrepError(f"a bug in ggrep: {type(error).__name__}")


def answering(handler: Handler, told: Told) -> Callable[[Request], Awaitable[ASGIApp]]:
    """Return the handler with every failure made a response.

    Args:
        handler: returns a response or raises.
        told: called with what an operator should see.
    """

    async def answer(request: Request) -> ASGIApp:
        try:
            return await handler(request)
        except ClientGone:
            # Nobody reads it.
            return Response(status_code=503)
        except Exception as error:  # noqa: BLE001 - the boundary: what is not ours is a bug
            return failure_response(as_ours(error, told), request.url.path)

    return answer
