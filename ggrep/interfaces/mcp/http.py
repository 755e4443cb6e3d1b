"""The streamable HTTP endpoint of MCP: access rules, route and refusals."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import MappingProxyType
from typing import Any, Final

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.surfaces.callers import is_loopback
from ggrep.interfaces.surfaces.http_server import (
    LOOPBACK_NAMES,
    AccessRules,
    ClientGone,
    Refusal,
    host_names,
    http_app,
    receive_body,
)

PATH: Final = "/mcp"
MAX_BODY_BYTES: Final = 4 << 20
MAX_CONNECTIONS: Final = 600
"""Maximum number of connections; a session uses two, for requests and for notifications."""

_MAX_SESSIONS: Final = 256
_GIVEN_UP: Final = ("", {"content-length": "0", "connection": "close"})
_TEXT: Final = "text/plain; charset=utf-8"
_REFUSALS: Final[Mapping[int, tuple[str, Mapping[str, str]]]] = MappingProxyType(
    {
        401: ("", {"www-authenticate": "Bearer"}),
        403: ("Invalid Origin header", {}),
        404: ("Not Found", {"content-length": "9", "content-type": _TEXT}),
        408: _GIVEN_UP,
        413: _GIVEN_UP,
        421: ("Invalid Host header", {}),
    }
)
"""Body and headers of refusals, by status."""


def access_rules(host: str, names: tuple[str, ...], token: str | None) -> AccessRules:
    """Return the access rules of a server that listens at an address.

    Args:
        host: the address.
        names: further host names of the server.
        token: the required token; None for none.

    Raises:
        InvalidRequest: the address is reachable from other machines, and no token is required.
    """
    local = is_loopback(host)
    if token is None and not local:
        raise InvalidRequest(
            f"--host {host}: a token is required to accept requests from other machines"
        )
    hosts = host_names((host, *names)) | (LOOPBACK_NAMES if local else frozenset())
    return AccessRules(token, hosts, same_hosts=True)


def mcp_app(
    server: Server[Any], rules: AccessRules, close: Callable[[], Awaitable[None]]
) -> Starlette:
    """Return the application of an MCP server; it calls `close` on shutdown."""
    endpoint = McpEndpoint(server)

    @asynccontextmanager
    async def lifetime() -> AsyncIterator[None]:
        try:
            async with endpoint.run():
                yield
        finally:
            await close()

    return http_app([Route(PATH, endpoint)], rules, refuse, lifetime)


def refuse(error: Refusal) -> Response:
    """Return the HTTP response for a refusal."""
    text, headers = _REFUSALS[error.status]
    return Response(text, error.status, headers)


class McpEndpoint:
    """The endpoint; receives the whole body of a request before the SDK gets it.

    With `stateless`, requests have no session, so a client cannot join another client's session.
    """

    def __init__(self, server: Server[Any], *, stateless: bool = False) -> None:
        self._sessions = StreamableHTTPSessionManager(
            server,
            stateless=stateless,
            max_sessions=_MAX_SESSIONS,
            max_request_body_size=MAX_BODY_BYTES,
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which the endpoint runs; it can be entered once."""
        return self._sessions.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            body = await receive_body(receive, MAX_BODY_BYTES)
        except ClientGone:
            return
        except Refusal as error:
            await refuse(error)(scope, receive, send)
            return
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        await self._sessions.asgi_app(scope, replay, send)
