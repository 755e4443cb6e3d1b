"""Serves any number of clients over streamable HTTP."""

import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

import anyio
import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from ggrep.errors import InvalidRequest
from ggrep.mcp.bearer import Application, bearing

PATH: Final = "/mcp"
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7346

_MAX_SESSIONS: Final = 256
_DRAIN_S: Final = 2
_BACKLOG: Final = 128


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


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
        transport_security=security_of(listening),
    )
    asked = cast(Application, application)
    with _bound(listening) as bound:
        config = uvicorn.Config(
            bearing(asked, listening.token) if listening.token else asked,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=_DRAIN_S,
        )
        told(f"serving MCP at http://{_authority(listening.host)}:{bound.getsockname()[1]}{PATH}")
        await _serve(_Server(config), bound)


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


class _Server(uvicorn.Server):
    """Leaves signals to us: its own way with them would end the process before we have closed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(server: _Server, bound: socket.socket) -> None:
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as told:
                async for _ in told:
                    server.should_exit = True

        group.start_soon(watch)
        await server.serve(sockets=[bound])
        group.cancel_scope.cancel()


def _authority(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextlib.contextmanager
def _bound(listening: Listening) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((listening.host, listening.port))
            # Whoever is told of the address may come at once.
            bound.listen(_BACKLOG)
        except OSError as error:
            raise InvalidRequest(
                f"{listening.host}:{listening.port}: {error.strerror or error}"
            ) from error
        yield bound
