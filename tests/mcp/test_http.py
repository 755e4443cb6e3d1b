"""The token of HTTP clients."""

import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.requests import Request

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.http import Listening, bearing, security_of, serve_http
from ggrep.interfaces.mcp.server import build_server
from ggrep.interfaces.mcp.start import Start
from ggrep.interfaces.mcp.tools import listed
from tests.fakes.federators import FakeFederator
from tests.mcp.conftest import backend_of

WANTED = "0123456789abcdef"


async def answers(headers: list[tuple[bytes, bytes]], kind: str = "http") -> list[int | str]:
    """Return what a caller with those headers gets: a status, or `in` behind the door."""
    found: list[int | str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        found.append("in")

    async def receive() -> dict[str, Any]:
        raise AssertionError

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    await bearing(application, WANTED)({"type": kind, "headers": headers}, receive, send)
    return found


async def test_who_brings_the_token_comes_in() -> None:
    """Nobody else does."""
    for scheme in ("Bearer", "bearer"):
        assert await answers([(b"authorization", f"{scheme} {WANTED}".encode())]) == ["in"]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"authorization", WANTED.encode())],
        [(b"authorization", f"Bearer {WANTED}x".encode())],
        [(b"authorization", f"Bearer {WANTED[:-1]}".encode())],
        [(b"authorization", b"Bearer ")],
        [(b"authorization", f"Bearer {WANTED}".encode())] * 2,
        [(b"x-authorization", f"Bearer {WANTED}".encode())],
    ],
)
async def test_who_does_not_stays_out(headers: list[tuple[bytes, bytes]]) -> None:
    """Two of them would let proxies and us see different ones."""
    assert await answers(headers) == [401]


async def test_what_is_no_request_passes() -> None:
    """The application is started and ended through the same door."""
    assert await answers([], kind="lifespan") == ["in"]


TOKEN = "0123456789abcdef"  # noqa: S105 - of these tests alone
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}


async def test_beyond_this_machine_a_token_is_wanted(federator: FakeFederator) -> None:
    """Sources would lie open to the network."""
    server = build_server(backend_of(federator, Start(directory=None)))

    with pytest.raises(InvalidRequest, match="a token is required"):
        await serve_http(server, Listening(host="0.0.0.0"), pytest.fail)  # noqa: S104 - refused


async def test_a_port_that_is_taken_is_named(federator: FakeFederator) -> None:
    """The message says which."""
    server = build_server(backend_of(federator, Start(directory=None)))

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidRequest, match=f"{port} on 127.0.0.1: is taken"):
            await serve_http(server, Listening(port=port), pytest.fail)


@pytest.mark.parametrize(
    ("listening", "host", "origin", "status"),
    [
        (Listening(), "127.0.0.1:7346", None, None),
        (Listening(), "localhost:7346", "http://localhost:3000", None),
        (Listening(), "localhost", None, None),
        (Listening(), "[::1]:7346", None, None),
        (Listening(), "evil.example:7346", None, 421),
        (Listening(), "127.0.0.1.evil.example:7346", None, 421),
        (Listening(), "127.0.0.1:7346", "http://evil.example", 403),
        (Listening(), "127.0.0.1:7346", "null", 403),
        (Listening(host="10.0.0.1", token=TOKEN), "10.0.0.1:7346", None, None),
        (Listening(host="10.0.0.1", token=TOKEN), "localhost:7346", None, 421),
        (Listening(host="10.0.0.1", names=("box",), token=TOKEN), "box:7346", "https://box", None),
    ],
)
async def test_only_own_names_are_let_in(
    listening: Listening, host: str, origin: str | None, status: int | None
) -> None:
    """A page that a name server points at this machine must not search it."""
    headers = {"host": host, "content-type": "application/json"}
    if origin is not None:
        headers["origin"] = origin
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "headers": raw})

    refused = await TransportSecurityMiddleware(security_of(listening)).validate_request(
        request, is_post=True
    )

    assert (refused and refused.status_code) == status


@asynccontextmanager
async def serving(
    federator: FakeFederator, start: Start, listening: Listening
) -> AsyncIterator[str]:
    """Give the address of a server that runs until the block ends, by a signal."""
    lines: list[str] = []
    ready = anyio.Event()

    def told(line: str) -> None:
        lines.append(line)
        ready.set()

    backend = backend_of(federator, start)
    async with anyio.create_task_group() as group:
        group.start_soon(serve_http, build_server(backend), listening, told)
        with anyio.fail_after(10):
            await ready.wait()
        yield lines[0].removeprefix("serving MCP at ")
        signal.raise_signal(signal.SIGTERM)
    await backend.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_is_served_over_http(
    federator: FakeFederator, own: Path, workspace_file: Path, mode: str
) -> None:
    """The same tools, the same answers, with progress; a signal ends it."""
    told: list[float] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        told.append(done)

    start = Start(directory=own, workspaces=(workspace_file,))
    async with (
        serving(federator, start, Listening(port=0)) as address,
        Client(address, mode=mode) as client,
    ):
        listing = await client.list_tools()
        result = await client.call_tool("search_workspace", {"query": "q"}, progress_callback=hear)

    assert [tool.name for tool in listing.tools] == [tool.name for tool in listed()]
    assert not result.is_error
    assert sorted(told) == [1, 2]
    assert federator.closed == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": f"Bearer {TOKEN}"}, 200),
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 421),
        ({"authorization": f"Bearer {TOKEN}", "origin": "http://evil.example"}, 403),
    ],
)
async def test_the_door_stands_before_everything(
    federator: FakeFederator, own: Path, headers: dict[str, str], status: int
) -> None:
    """Not even the list of tools is for strangers."""
    listening = Listening(port=0, token=TOKEN)
    async with (
        serving(federator, Start(directory=own), listening) as address,
        httpx.AsyncClient() as client,
    ):
        answer = await client.post(address, json=INITIALIZE, headers={**ACCEPT, **headers})

    assert answer.status_code == status


@pytest.mark.slow
async def test_a_client_that_leaves_calls_its_search_off(
    federator: FakeFederator, own: Path, workspace_file: Path
) -> None:
    """Daemons must not go on with what nobody waits for."""
    federator.gate = anyio.Event()
    start = Start(directory=own, workspaces=(workspace_file,))
    async with serving(federator, start, Listening(port=0)) as address:
        async with Client(address) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "search_workspace", {"query": "q"})
            with anyio.fail_after(10):
                await federator.begun.wait()
                group.cancel_scope.cancel()
        with anyio.fail_after(10):
            await federator.cancelled.wait()
