"""The MCP process: wires the server to its backend and closes what was opened."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ggrep.interfaces.mcp.backend import LazyBackend
from ggrep.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from ggrep.interfaces.mcp.http import Listening
    from ggrep.interfaces.mcp.start import Start
    from ggrep.interfaces.mcp.tool_calls import Calls
    from ggrep.interfaces.surfaces.search_service import SearchService


async def serve(
    start: "Start",
    connect: Callable[[], "SearchService"],
    told: Callable[[str], None],
    listening: "Listening | None",
) -> None:
    """Serve until the client leaves or a signal comes.

    Args:
        start: what may be searched.
        connect: returns what asks daemons; called when the first tool is.
        told: called with what people must know; it never goes to standard output.
        listening: where HTTP clients come in; None for the client at standard input and output.
    """

    def prepare() -> None:
        import ggrep.interfaces.mcp.tool_calls
        import ggrep.service.federator  # noqa: F401 - here for the time it takes

    def load() -> "tuple[Calls, SearchService]":
        from ggrep.interfaces.mcp.mcp_places import Places
        from ggrep.interfaces.mcp.tool_calls import Calls

        service = connect()
        return Calls(service, Places(start), shows_paths=listening is None), service

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
