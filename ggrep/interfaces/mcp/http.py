"""Serves any number of clients over streamable HTTP."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.bearer import Application, bearing
from ggrep.interfaces.mcp.message_body import MAX_BODY_BYTES, taken_in
from ggrep.interfaces.surfaces.callers import is_loopback
from ggrep.interfaces.surfaces.serving import base_url, bind, run

PATH: Final = "/mcp"
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7346

_MAX_SESSIONS: Final = 256
_MOST_CONNECTIONS: Final = 600
"""A session holds one for what the server has to say, beside the one it asks on."""


@dataclass(frozen=True, slots=True)
class Listening:
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
