"""Serves one client over standard input and output, until it disconnects or a signal comes.

No thread reads standard input: a blocked read cannot be cancelled, and the process would wait for
the thread at exit.

A line that is not a message gets an error reply: the SDK drops such lines, so the sender would wait
forever. An example is JSON with half of a surrogate pair, which file names can contain.
"""

import os
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import anyio
import mcp_types as types
from anyio import lowlevel
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from ggrep.base import stable_json

_BLOCK_BYTES = 1 << 16
MAX_LINE_BYTES = 4 << 20
"""Maximum bytes of one message, as over HTTP."""


async def lines_of(
    descriptor: int, notify: Callable[[str], None], most: int = MAX_LINE_BYTES
) -> AsyncIterator[str]:
    """Yield the lines from a descriptor until its end; invalid UTF-8 is replaced.

    Args:
        descriptor: descriptor of a pipe, a socket, a terminal or a file.
        notify: called with the cause of an early end: a line with too many bytes, or a failure.
        most: maximum bytes of a line.
    """
    buffered = bytearray()
    while True:
        await _readable(descriptor)
        try:
            block = os.read(descriptor, _BLOCK_BYTES)
        except OSError as error:
            notify(f"standard input: {error.strerror}")
            return
        buffered += block
        if b"\n" in block:
            *whole, rest = buffered.split(b"\n")
            for line in whole:
                yield line.decode(errors="replace")
            buffered = rest
        if len(buffered) > most:
            notify(f"standard input: a message is larger than {most} bytes; the server stops")
            return
        if not block:
            if buffered.strip():
                yield buffered.decode(errors="replace")
            return


async def _readable(descriptor: int) -> None:
    """Wait until a read would not block."""
    try:
        await anyio.wait_readable(descriptor)
    except PermissionError:
        # Descriptors that are always ready, such as files, cannot be waited for.
        await lowlevel.checkpoint()


@asynccontextmanager
async def until_signalled(*signals: signal.Signals) -> AsyncIterator[None]:
    """Cancel the block, without an error, when a terminating signal arrives."""
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            with anyio.open_signal_receiver(*signals) as received:
                async for _ in received:
                    group.cancel_scope.cancel()
                    return

        group.start_soon(watch)
        yield
        group.cancel_scope.cancel()


_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_SHOWN: Final = 200
"""Maximum number of characters of a reason."""


async def readable(
    lines: AsyncIterator[str], refuse: Callable[[types.JSONRPCError], Awaitable[None]]
) -> AsyncIterator[str]:
    """Yield the lines that are messages; call `refuse` for all other lines except blank lines."""
    async for line in lines:
        if not line.strip():
            continue
        refusal = refusal_of(line)
        if refusal is None:
            yield line
        else:
            await refuse(refusal)


def refusal_of(line: str) -> types.JSONRPCError | None:
    """Return the error reply to a line that is not a message; None if it is a message.

    The reply has the request's id if that can be parsed, else null as JSON-RPC requires.
    """
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        message = _loaded(line)
        code = types.PARSE_ERROR if message is None else types.INVALID_REQUEST
        reason = str(error).partition("\n")[0][:_SHOWN]
        message = message or _loaded(_SURROGATE.sub("?", line))
        number = message.get("id") if isinstance(message, dict) else None
        if isinstance(number, bool) or not isinstance(number, int | str):
            number = None
        data = types.ErrorData(code=code, message=f"not a message: {reason}")
        return types.JSONRPCError(jsonrpc="2.0", id=number, error=data)
    return None


def _loaded(line: str) -> object:
    try:
        return stable_json.loads(line.encode(errors="replace"))
    except ValueError:
        return None


async def serve_stdio(server: Server[Any], notify: Callable[[str], None]) -> None:
    """Serve the client on standard input and output.

    Only protocol messages go to standard output; other output goes to standard error. Child
    processes read an empty standard input.

    Args:
        server: the server.
        notify: called with the cause of an early end of the client's messages.
    """
    standard_input = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    try:
        begun, outbox = anyio.Event(), list[Any]()

        async def refuse(refusal: JSONRPCError) -> None:
            await begun.wait()
            await outbox[0].send(SessionMessage(refusal))

        # The SDK only iterates over this object's lines.
        lines = cast("anyio.AsyncFile[str]", readable(lines_of(standard_input, notify), refuse))
        async with (
            until_signalled(signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
            stdio_server(stdin=lines) as (received, sent),
        ):
            outbox.append(sent)
            begun.set()
            await server.run(received, sent, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client disconnected before it had read all answers
    finally:
        os.dup2(standard_input, 0)
        os.close(standard_input)
