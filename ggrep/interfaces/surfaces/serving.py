"""Serves the application on a socket until stopped."""

import contextlib
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ggrep.base.errors import GgrepError, InvalidRequest

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_BACKLOG = 128
_KEEP_ALIVE_S = 5
_GRACE_S = 5
_CONNECTIONS = 256
_HEAD_BYTES = 16_384
"""Most bytes of a request's line and headers."""
_HEAD_S = 10.0
"""How long a request's line and headers may take; twice as long at most is waited."""


class Impatient(H11Protocol):
    """A connection that is closed if no request arrives, or its headers stay incomplete.

    There is room for so many, and whoever holds them all shuts everybody else out, token or not.
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


class Serving(uvicorn.Server):
    """A server that leaves signals to its caller, who closes resources before exiting."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `run`."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it."""
        try:
            await super().startup(sockets)
        except SystemExit:
            # What the application failed by was logged; `run` makes an error of it.
            self.should_exit = True
        if self.started:
            self._ready()


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 is any free one.

    Raises:
        InvalidRequest: the host is no address of this machine, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError, OverflowError) as error:
        raise InvalidRequest(f"--host: {host!a} is no address") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.set_inheritable(False)
    except OSError as error:
        listener.close()
        why = "is taken" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
        raise InvalidRequest(f"--port: {port} on {host}: {why}") from error
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
    """Serve until a signal; running requests then have a few seconds to end.

    Args:
        app: the application.
        listener: closed when this returns.
        ready: called once requests are answered.
        most_connections: more are turned away.

    Raises:
        GgrepError: the application did not start.
    """
    config = uvicorn.Config(
        app,
        # Plain Python parsers bound what a header may be; the others do not.
        http=Impatient,
        ws="none",
        loop="none",
        lifespan="on",
        log_config=None,
        # What strangers send amiss is no news to the operator.
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
        limit_concurrency=most_connections,
        h11_max_incomplete_event_size=_HEAD_BYTES,
    )
    server = Serving(config, ready)
    with listener:
        async with anyio.create_task_group() as group:

            async def stop_on_signal() -> None:
                with anyio.open_signal_receiver(*_ENDING) as signals:
                    async for _ in signals:
                        # Asked twice, nobody is waited for.
                        server.force_exit = server.should_exit
                        server.should_exit = True

            group.start_soon(stop_on_signal)
            await server.serve(sockets=[listener])
            group.cancel_scope.cancel()
    if not server.started:
        raise GgrepError("the HTTP server did not start")
