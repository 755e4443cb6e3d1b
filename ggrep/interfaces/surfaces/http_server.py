"""The HTTP application of `ggrep api` and `ggrep mcp --http`, and its server."""

import contextlib
import errno
import hmac
import re
import signal
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import anyio
import uvicorn
from msgspec import Struct
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ggrep.base.errors import GgrepError, InvalidRequest, RequestError

AUTHORISED: Final = "ggrep.authorised"
"""Key of the scope: whether the caller has presented the token."""

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})

BODY_TIMEOUT_S: Final = 20.0
"""Timeout of a body, as an incomplete body must not keep a connection."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_CODES: Final = {404: "not_found", 405: "method_not_allowed"}
_MESSAGES: Final = {404: "there is no such route", 405: "the route does not support this method"}
_CLOSE: Final = {"connection": "close"}
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Refusal(RequestError):
    """A request is refused because of its HTTP headers or size."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] = _NOTHING
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers


class ClientGone(RequestError):
    """The client has disconnected; nothing reads the answer."""

    code = "cancelled"


Refuse: TypeAlias = Callable[[Refusal], Response]


class AccessRules(Struct, frozen=True):
    """Rules that decide which requests are accepted.

    Attributes:
        token: token that every request must present; None for none.
        hosts: names of the server in a `Host` header, in lower case.
        origins: `Origin` headers of pages that may send requests and read the answers.
        same_hosts: accept pages of these `hosts`, at any port.
        public: paths that need no token.
        admits: returns whether a credential other than the token is accepted.
    """

    token: str | None = None
    hosts: frozenset[str] = LOOPBACK_NAMES
    origins: frozenset[str] = frozenset()
    same_hosts: bool = False
    public: frozenset[str] = frozenset()
    admits: Callable[[str], bool] = lambda _: False


def host_names(names: Iterable[str]) -> frozenset[str]:
    """Return host names and addresses as a `Host` header spells them, in lower case."""
    lower = [name.lower() for name in names]
    return frozenset(f"[{name}]" if ":" in name and name[0] != "[" else name for name in lower)


def http_app(
    routes: Sequence[Route],
    rules: AccessRules,
    refuse: Refuse,
    lifetime: Callable[[], AbstractAsyncContextManager[None]],
    outer: Sequence[Middleware] = (),
) -> Starlette:
    """Return an application with these routes, guarded by the access rules."""

    async def unrouted(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        code, message = _CODES.get(status, "invalid_request"), _MESSAGES.get(status, "refused")
        return refuse(Refusal(status, code, message, headers=headers))

    return Starlette(
        routes=routes,
        middleware=[*outer, Middleware(Gate, rules=rules, refuse=refuse)],
        lifespan=lambda _: lifetime(),
        exception_handlers={HTTPException: unrouted},
    )


class Gate:
    """ASGI middleware that checks Host, Origin and token, in this order."""

    def __init__(self, app: ASGIApp, rules: AccessRules, refuse: Refuse) -> None:
        self._app = app
        self._rules = rules
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it to the application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers.getlist("host"))
            origin = self._readable_origin(headers, is_navigation=_is_navigation(scope, headers))
        except Refusal as error:
            await self._refuse(error)(scope, receive, send)
            return
        send = _with_origin(send, origin)
        if origin and scope["method"] == "OPTIONS":
            # A browser's preflight request is sent without the token.
            await _preflight()(scope, receive, send)
            return
        try:
            scope[AUTHORISED] = scope["path"] not in self._rules.public and self._is_authorised(
                headers.getlist("authorization")
            )
        except Refusal as error:
            await self._refuse(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check_host(self, values: Sequence[str]) -> None:
        if len(values) != 1 or not self._names_server(values[0]):
            raise Refusal(421, "misdirected_request", "the Host header does not match this server")

    def _names_server(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        return parts is not None and parts[1].lower() in self._rules.hosts

    def _readable_origin(self, headers: Headers, *, is_navigation: bool) -> str:
        """Return the origin to allow by CORS headers; empty if none are needed."""
        values = headers.getlist("origin")
        if not values:
            # Requests of images and forms have no Origin, but browsers send `Sec-Fetch-Site`.
            if is_navigation or headers.get("sec-fetch-site", "none") in {"none", "same-origin"}:
                return ""
            raise Refusal(
                403, "forbidden", "requests from web pages of other sites are not allowed"
            )
        if len(values) == 1 and values[0] in self._rules.origins:
            return values[0]
        scheme, _, host = values[0].partition("://")
        is_page = len(values) == 1 and scheme in {"http", "https"}
        if is_page and host.lower() == headers["host"].lower() and self._rules.public:
            return ""
        if is_page and self._rules.same_hosts and self._names_server(host):
            return ""
        raise Refusal(403, "forbidden", "the Origin is not allowed")

    def _is_authorised(self, values: Sequence[str]) -> bool:
        token = self._rules.token
        if token is None:
            return False
        presented = bearer_of(values)
        # Compared in constant time, so that the response time does not reveal the token.
        if hmac.compare_digest(presented.encode(), token.encode()) or self._rules.admits(presented):
            return True
        challenge = {"www-authenticate": 'Bearer realm="ggrep"'}
        raise Refusal(401, "unauthorized", "a bearer token is required", headers=challenge)


def bearer_of(values: Sequence[str]) -> str:
    """Return the bearer token in the `Authorization` header; empty if it is missing or repeated."""
    scheme, _, presented = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return presented.strip() if scheme.lower() == "bearer" else ""


def _is_navigation(scope: Scope, headers: Headers) -> bool:
    """Return whether a request opens the page itself, which contains no data of the user."""
    is_document = headers.get("sec-fetch-dest") == "document"
    return scope["path"] == "/" and is_document and scope["method"] == "GET"


def _with_origin(send: Send, origin: str) -> Send:
    """Return a `send` that adds headers so that a page of `origin` can read the response."""
    if not origin:
        return send

    async def with_origin(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["access-control-allow-origin"] = origin
            headers["access-control-expose-headers"] = "retry-after"
            headers.add_vary_header("origin")
        await send(message)

    return with_origin


def _preflight() -> Response:
    return Response(
        status_code=204,
        headers={
            "access-control-allow-methods": "GET, POST",
            "access-control-allow-headers": "authorization, content-type",
            "access-control-max-age": "600",
            "cache-control": "no-store",
        },
    )


async def receive_body(receive: Receive, max_bytes: int) -> bytes:
    """Return the body of a request.

    Raises:
        Refusal: the body is too large or does not arrive in time.
        ClientGone: the client disconnected before the end of the body.
    """
    received = bytearray()
    try:
        with anyio.fail_after(BODY_TIMEOUT_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone("the client closed the connection")
                received += message.get("body", b"")
                if len(received) > max_bytes:
                    raise too_large(max_bytes)
                if not message.get("more_body", False):
                    return bytes(received)
    except TimeoutError as error:
        late = f"the body did not arrive within {BODY_TIMEOUT_S:g} s"
        raise Refusal(408, "timeout", late, headers=_CLOSE) from error


def too_large(max_bytes: int) -> Refusal:
    """Return the refusal of a body of more than `max_bytes`."""
    # The connection is closed, as the rest of the body would be parsed as the next request.
    message = f"the body is larger than {max_bytes} bytes"
    return Refusal(413, "payload_too_large", message, headers=_CLOSE)


_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_BACKLOG = 128
_KEEP_ALIVE_S = 5
_GRACE_S = 5
_CONNECTIONS = 256
_HEAD_BYTES = 16_384
"""Maximum bytes of a request's line and headers."""
_HEAD_S = 10.0
"""Timeout of a request's line and headers; the wait is at most twice as long."""


class TimedConnection(H11Protocol):
    """A connection that is closed if no request arrives, or its headers stay incomplete.

    The number of connections is limited, so idle connections could lock out all other clients.
    """

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as the base class has it
        """Accept a connection."""
        super().connection_made(transport)
        self._look_again()

    def _look_again(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        waits = cycle is None or cycle.response_complete
        self.loop.call_later(_HEAD_S, self._look, cycle, waits)

    def _look(self, cycle: object, waited: bool) -> None:  # noqa: FBT001 - of a callback
        if self.transport.is_closing():
            return
        if waited and self.cycle is cycle:
            self.transport.close()
        else:
            self._look_again()


class HttpServer(uvicorn.Server):
    """A server whose caller handles signals, so that resources are closed before exiting."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not handle signals, because `run` handles them."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server, and call `ready`."""
        try:
            await super().startup(sockets)
        except SystemExit:
            # The application's error was logged; `run` raises an error.
            self.should_exit = True
        if self.started:
            self._ready()


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 means any free port.

    Raises:
        InvalidRequest: the host is not an address of this machine, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError, OverflowError) as error:
        raise InvalidRequest(f"--host: {host!a} is not an address") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.set_inheritable(False)
    except OSError as error:
        listener.close()
        why = (
            "the port is in use"
            if error.errno == errno.EADDRINUSE
            else (error.strerror or str(error))
        )
        raise InvalidRequest(
            f"--port: the server cannot listen on port {port} of {host}: {why}"
        ) from error
    return listener


def base_url(listener: socket.socket) -> str:
    """Return the URL of the server."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def run(
    app: ASGIApp,
    listener: socket.socket,
    ready: Callable[[], None],
    *,
    most_connections: int = _CONNECTIONS,
) -> None:
    """Serve until a signal arrives; running requests then have a few seconds to end.

    Raises:
        GgrepError: the application did not start.
    """
    config = uvicorn.Config(
        app,
        # Only the parser that is written in Python limits the size of headers.
        http=TimedConnection,
        ws="none",
        loop="none",
        lifespan="on",
        log_config=None,
        # Malformed requests are not logged.
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
        limit_concurrency=most_connections,
        h11_max_incomplete_event_size=_HEAD_BYTES,
    )
    server = HttpServer(config, ready)
    with listener:
        async with anyio.create_task_group() as group:

            async def stop_on_signal() -> None:
                with anyio.open_signal_receiver(*_ENDING) as signals:
                    async for _ in signals:
                        # A second signal stops at once.
                        server.force_exit = server.should_exit
                        server.should_exit = True

            group.start_soon(stop_on_signal)
            await server.serve(sockets=[listener])
            group.cancel_scope.cancel()
    if not server.started:
        raise GgrepError("the HTTP server did not start")
