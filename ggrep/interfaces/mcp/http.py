"""Serves any number of clients over streamable HTTP: who is let in, how much may be sent."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias, cast

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.surfaces.callers import is_loopback
from ggrep.interfaces.surfaces.serving import base_url, bind, run

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


def bearing(application: Application, token: str) -> Application:
    """Return the application behind a door that opens to those who bring the token."""
    wanted = token.encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _brings(scope, wanted):
            await application(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return guarded


def _brings(scope: Scope, wanted: bytes) -> bool:
    brought = [value for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, presented = brought[0].partition(b" ") if len(brought) == 1 else (b"", b"", b"")
    # Compared in constant time, so that the time it takes tells nothing of the token.
    equal = hmac.compare_digest(presented, wanted)
    # A scheme means the same in any case.
    return equal and scheme.lower() == b"bearer"


BODY_S: Final = 20.0
"""How long a body may take to arrive."""

MAX_BODY_BYTES: Final = 4 << 20


def taken_in(application: Application) -> Application:
    """Return the application behind a door at which bodies are waited for.

    Whoever sends half a body would otherwise hold one of the connections for as long as he likes.
    """

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        parts: list[bytes] = []
        size, more = 0, True
        with anyio.move_on_after(BODY_S) as waited:
            while more and size <= MAX_BODY_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                parts.append(message.get("body", b""))
                size, more = size + len(parts[-1]), message.get("more_body", False)
        if waited.cancelled_caught:
            await _refuse(send, 408)
        elif size > MAX_BODY_BYTES:
            await _refuse(send, 413)
        else:
            body = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

            async def again() -> Any:  # noqa: ANN401 - as ASGI has it
                return body.pop() if body else await receive()

            await application(scope, again, send)

    return guarded


async def _refuse(send: Send, status: int) -> None:
    """Answer, and close: what comes after is the rest of a body."""
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


PATH: Final = "/mcp"
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7346

_MAX_SESSIONS: Final = 256
_MOST_CONNECTIONS: Final = 600
"""A session holds one for what the server has to say, beside the one it asks on."""


class Listening(Struct, frozen=True):
    """Where clients come in, and what they must bring.

    Attributes:
        port: 0 for any that is free.
        names: further host names that clients may call the server by.
        token: None where none is wanted, which goes on this machine alone.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    names: tuple[str, ...] = ()
    token: str | None = None


async def serve_http(
    server: Server[Any], listening: Listening, told: Callable[[str], None]
) -> None:
    """Serve clients until a signal comes.

    Args:
        server: stays the caller's.
        listening: where.
        told: called with the address once clients can come.

    Raises:
        InvalidRequest: the address is another machine's way in and no token is wanted, or it
            cannot be listened on.
    """
    if listening.token is None and not is_loopback(listening.host):
        raise InvalidRequest(f"{listening.host}: beyond this machine a token is required")
    application = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=_MAX_SESSIONS,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=security_of(listening),
    )
    asked = taken_in(cast(Application, application))
    bound = bind(listening.host, listening.port)

    def ready() -> None:
        told(f"serving MCP at {base_url(bound)}{PATH}")

    await run(
        bearing(asked, listening.token) if listening.token else asked,
        bound,
        ready,
        most_connections=_MOST_CONNECTIONS,
    )


def security_of(listening: Listening) -> TransportSecuritySettings:
    """Return which `Host` and `Origin` headers are let in.

    A page that a name server points at this machine sends its own name, and is refused.
    """
    own = ["127.0.0.1", "localhost", "[::1]"] if is_loopback(listening.host) else []
    names = sorted({*own, _authority(listening.host), *listening.names})
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[
            form
            for name in names
            for scheme in ("http", "https")
            for form in (f"{scheme}://{name}", f"{scheme}://{name}:*")
        ],
    )


def _authority(host: str) -> str:
    return f"[{host}]" if ":" in host else host
