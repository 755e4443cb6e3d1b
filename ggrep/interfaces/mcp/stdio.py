"""Serves one client over standard input and output, until it disconnects or a signal comes."""

import os
import signal
from collections.abc import Callable
from typing import Any, cast

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from ggrep.interfaces.mcp.lines import lines_of
from ggrep.interfaces.mcp.signals import until_signalled
from ggrep.interfaces.mcp.unreadable import readable


async def serve_stdio(server: Server[Any], told: Callable[[str], None]) -> None:
    """Serve the client at the other end of standard input and output.

    Standard output carries the protocol and nothing else: while this runs, whatever is printed
    goes to standard error, and children read an empty standard input.

    Args:
        server: stays the caller's.
        told: called with what ended the client's messages early.
    """
    own = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    try:
        begun, outbox = anyio.Event(), list[Any]()

        async def refuse(refusal: JSONRPCError) -> None:
            await begun.wait()
            await outbox[0].send(SessionMessage(refusal))

        # The SDK does no more with its input than go through its lines.
        lines = cast("anyio.AsyncFile[str]", readable(lines_of(own, told), refuse))
        async with (
            until_signalled(signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
            stdio_server(stdin=lines) as (received, sent),
        ):
            outbox.append(sent)
            begun.set()
            await server.run(received, sent, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client left without reading all it had asked for
    finally:
        os.dup2(own, 0)
        os.close(own)
