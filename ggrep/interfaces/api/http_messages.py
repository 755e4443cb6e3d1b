"""Reads HTTP requests within bounds, and builds HTTP responses from answers and failures."""

import math
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

from anyio import CancelScope, create_task_group, to_thread
from msgspec import Struct
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive

from ggrep.base import stable_json
from ggrep.base.errors import (
    Busy,
    Cancelled,
    DeadlineExceeded,
    Forbidden,
    GgrepError,
    Incompatible,
    InvalidRequest,
    NoIndex,
    RequestError,
    SessionExpired,
    SessionFull,
    SnapshotGone,
)
from ggrep.base.stable_json import Document
from ggrep.federation.federated_response import failure_json
from ggrep.federation.validation import kind_of
from ggrep.interfaces.surfaces.http_server import ClientGone, Refusal, receive_body, too_large

MAX_DEPTH: Final = 16
"""Maximum nesting of objects and arrays; valid requests need three levels."""

_TOKEN = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}\[\]]', re.DOTALL)


def parse_json(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the parsed value of a JSON body.

    Raises:
        InvalidRequest: `data` is not JSON, is nested too deep or repeats a key.
    """
    try:
        value = stable_json.loads(data)
    except ValueError as error:
        raise InvalidRequest(f"the body is not JSON: {error}") from error
    _check(data)
    return value


def _check(data: bytes) -> None:
    """Raise if JSON is nested too deep or repeats a key."""
    open_keys: list[set[str]] = []
    for token in _TOKEN.finditer(data):
        text, colon = token[1], token[2]
        if text is None:
            if token[0] in b"{[":
                open_keys.append(set())
            else:
                open_keys.pop()
            if len(open_keys) > MAX_DEPTH:
                raise InvalidRequest(f"the body is nested deeper than {MAX_DEPTH} levels")
        elif colon is not None:
            key = stable_json.loads(text)
            if key in open_keys[-1]:
                raise InvalidRequest(f"the body contains the key {key!a} twice in one object")
            open_keys[-1].add(key)


MAX_BODY_BYTES: Final = 1_000_000
_PARSED_AT_ONCE: Final = 16_384
"""Bodies with more bytes are parsed in a thread, so that other requests need not wait."""


async def read_body(request: Request, max_bytes: int) -> Mapping[str, object]:
    """Return the JSON object in the body of a request.

    Raises:
        Refusal: the headers do not declare JSON, or the body is too large or late.
        InvalidRequest: the body is not a JSON object.
        ClientGone: the client disconnected before the end of the body.
    """
    _check_headers(request.headers, max_bytes)
    data = await receive_body(request.receive, max_bytes)
    if len(data) <= _PARSED_AT_ONCE:
        value = parse_json(data)
    else:
        value = await to_thread.run_sync(parse_json, data, abandon_on_cancel=True)
    if not isinstance(value, dict):
        raise InvalidRequest(f"$: the body must be an object, is {kind_of(value)}")
    return value


def _check_headers(headers: Headers, max_bytes: int) -> None:
    kind, _, parameter = headers.get("content-type", "").partition(";")
    charset = parameter.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
        raise _unsupported("the Content-Type of the body must be application/json")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise _unsupported("the body must not be compressed")
    length = headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) > max_bytes:
        raise too_large(max_bytes)


def _unsupported(message: str) -> Refusal:
    return Refusal(415, "unsupported_media_type", message, headers={"connection": "close"})


_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def read_parameters(parameters: QueryParams, known: Collection[str]) -> dict[str, str]:
    """Return the query parameters; raise for unknown and repeated parameters."""
    items = parameters.multi_items()
    for name, _ in items:
        if name not in known:
            raise InvalidRequest(
                f"unknown query parameter {name!a}; known: {', '.join(sorted(known))}"
            )
        if [other for other, _ in items].count(name) > 1:
            raise InvalidRequest(f"{name}: must be given only once")
    return dict(items)


def read_flag(parameters: dict[str, str], name: str) -> bool:
    """Return a parameter that is true or false; false by default."""
    text = parameters.get(name, "false")
    if text not in _FLAGS:
        raise InvalidRequest(f"{name}: must be true or false, is {text!a}")
    return _FLAGS[text]


T = TypeVar("T")


async def cancel_when_gone(receive: Receive, scope: CancelScope) -> None:
    """Cancel a scope when the client disconnects.

    Requires: the body was read to its end.
    """
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def while_present(receive: Receive, work: Callable[[], Awaitable[T]]) -> T:
    """Return the result of work; cancel the work when the client disconnects.

    Requires: the body was read to its end.

    Raises:
        ClientGone: the client has disconnected.
        Exception: an error of the work.
    """
    returned: list[T] = []
    raised: list[Exception] = []

    async with create_task_group() as group:
        group.start_soon(cancel_when_gone, receive, group.cancel_scope)
        try:
            returned.append(await work())
        except Exception as error:  # noqa: BLE001 - raised outside the group
            raised.append(error)
        group.cancel_scope.cancel()
    if raised:
        raise raised[0]
    if not returned:
        raise ClientGone("the client closed the connection")
    return returned[0]


_OF_ONE: Final = frozenset(
    {
        *("/search", "/context", "/symbol", "/references", "/expand", "/outline", "/tour"),
        *("/status", "/health"),
    }
)
"""Routes that query one repository; all other routes belong to the federated backend."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


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
"""HTTP statuses of errors: the first matching entry; otherwise 504 for a timeout, else 500."""


class HttpFailure(Struct, frozen=True):
    """Status and headers of a failure."""

    status: int
    headers: Mapping[str, str]


def http_failure(error: GgrepError) -> HttpFailure:
    """Return the status and headers for an error."""
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
"""Headers of every response. Answers contain source code, which caches must not store."""


def document_bytes(document: Document) -> bytes:
    """Return a document as JSON bytes, the same on all surfaces."""
    return stable_json.dumps(document) + b"\n"


def document_response(
    document: Document, *, status: int = 200, headers: Mapping[str, str] = ALWAYS
) -> Response:
    """Return a response with a document as its body."""
    return Response(
        document_bytes(document),
        status_code=status,
        headers={**ALWAYS, **headers},
        media_type="application/json",
    )


def failure_response(error: GgrepError, path: str = "") -> Response:
    """Return the response to a request that failed, without absolute paths.

    `path` is the route's path; on routes of one repository, the document names the backend.
    """
    how = http_failure(error)
    document: Document = failure_json(error, include_paths=False)
    if path in _OF_ONE:
        document = {**document, "backend": "repository"}
    return document_response(document, status=how.status, headers=how.headers)


Handler: TypeAlias = Callable[[Request], Awaitable[ASGIApp]]
ReportError: TypeAlias = Callable[[BaseException], None]


def as_ours(error: Exception, report_error: ReportError) -> GgrepError:
    """Return an error as a `GgrepError`; a bug is reported, but its text is not returned."""
    if isinstance(error, GgrepError):
        if error.code == "internal":
            report_error(error)
        return error
    report_error(error)
    return GgrepError(f"a bug in ggrep: {type(error).__name__}")


def answering(
    handler: Handler, report_error: ReportError
) -> Callable[[Request], Awaitable[ASGIApp]]:
    """Return a handler that turns every failure into a response."""

    async def answer(request: Request) -> ASGIApp:
        try:
            return await handler(request)
        except ClientGone:
            # Nothing reads this response.
            return Response(status_code=503)
        except Exception as error:  # noqa: BLE001 - the boundary: other exceptions are bugs
            return failure_response(as_ours(error, report_error), request.url.path)

    return answer
