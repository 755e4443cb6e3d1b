"""The MCP process: wires the server to its backend and closes what was opened."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ggrep.interfaces.mcp.backend import LazyBackend
from ggrep.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from ggrep.config.home import Home
    from ggrep.interfaces.mcp.http import Listening
    from ggrep.interfaces.mcp.start import Start
    from ggrep.interfaces.mcp.tool_calls import Calls
    from ggrep.interfaces.surfaces.search_service import SearchService


async def serve(
    start: "Start",
    home: "Home",
    environ: Mapping[str, str],
    told: Callable[[str], None],
    noted: Callable[[str], None],
    listening: "Listening | None",
) -> None:
    """Serve until the client leaves or a signal comes.

    Args:
        start: what may be searched.
        home: where stores and sockets lie.
        environ: what settings are read from and daemons are started under.
        told: called with what people must know; it never goes to standard output.
        noted: called with what goes on.
        listening: where HTTP clients come in; None for the client at standard input and output.
    """

    def prepare() -> None:
        import ggrep.interfaces.mcp.tool_calls
        import ggrep.service.federator  # noqa: F401 - here for the time it takes

    def load() -> "tuple[Calls, SearchService]":
        from ggrep.base.clock import SystemClock
        from ggrep.interfaces.mcp.mcp_places import Places
        from ggrep.interfaces.mcp.tool_calls import Calls
        from ggrep.service.federator import Federator

        federator = Federator(
            home, environ, SystemClock(), client_name=f"mcp-{os.getpid()}", told=noted
        )
        return Calls(federator, Places(start), shows_paths=listening is None), federator

    backend = LazyBackend(prepare, load)
    server = build_server(backend, structured=start.structured, legacy=start.legacy)
    try:
        if listening is None:
            from ggrep.interfaces.mcp.stdio import serve_stdio

            await serve_stdio(server, told)
        else:
            from ggrep.interfaces.mcp.http import serve_http

            await serve_http(server, listening, told)
    finally:
        await backend.aclose()
