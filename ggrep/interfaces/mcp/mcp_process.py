"""The MCP process: the server wired to its backend."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel.server import Server
from msgspec import Struct

from ggrep.interfaces.mcp.backend import LazyBackend
from ggrep.interfaces.mcp.server import build_server
from ggrep.interfaces.mcp.start import Start

if TYPE_CHECKING:
    from ggrep.interfaces.mcp.tool_calls import Calls
    from ggrep.interfaces.surfaces.search_service import SearchService


class Process(Struct, frozen=True):
    """The server, and the backend that is closed at its end."""

    server: Server[Any]
    backend: LazyBackend


def make_process(
    start: Start, connect: "Callable[[], SearchService]", *, shows_paths: bool
) -> Process:
    """Return the server wired to its backend, which opens nothing yet.

    Args:
        start: what may be searched.
        connect: returns what asks daemons; called with the first tool call.
        shows_paths: leave absolute paths in messages.
    """

    def prepare() -> None:
        import ggrep.interfaces.mcp.tool_calls
        import ggrep.service.federator  # noqa: F401 - here for the time it takes

    def load() -> "tuple[Calls, SearchService]":
        from ggrep.interfaces.mcp.mcp_places import Places
        from ggrep.interfaces.mcp.tool_calls import Calls

        service = connect()
        return Calls(service, Places(start), shows_paths=shows_paths), service

    backend = LazyBackend(prepare, load)
    server = build_server(backend, structured=start.structured, legacy=start.legacy)
    return Process(server, backend)
