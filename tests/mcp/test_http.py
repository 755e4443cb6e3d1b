"""MCP over HTTP: access and a life."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client
from starlette.responses import Response

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.http import PATH, access_rules, mcp_app, refuse
from ggrep.interfaces.mcp.server import build_server
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tools import listed
from ggrep.interfaces.surfaces.http_server import AccessRules, Gate, Refusal, base_url, bind, run
from tests.fakes.federators import FakeFederator
from tests.mcp.conftest import backend_of
from tests.mcp.processes import INITIALIZE

TOKEN = "0123456789abcdef"  # noqa: S105 - of these tests alone
ACCEPT = {"accept": "application/json, text/event-stream"}


LOCAL = access_rules("127.0.0.1", (), None)
TOKEN_WANTED = access_rules("127.0.0.1", (), TOKEN)


def test_beyond_this_machine_a_token_is_wanted() -> None:
    """Sources would lie open to the network."""
    with pytest.raises(InvalidRequest, match="a token is required"):
        access_rules("0.0.0.0", (), None)  # noqa: S104 - refused


REMOTE = access_rules("10.0.0.1", ("Box", "fd00::1"), TOKEN)


@pytest.mark.parametrize(
    ("rules", "host", "origin", "body"),
    [
        (LOCAL, "127.0.0.1:7346", None, b""),
        (LOCAL, "localhost:7346", "http://localhost:3000", b""),
        (LOCAL, "localhost", None, b""),
        (LOCAL, "[::1]:7346", None, b""),
        (LOCAL, "evil.example:7346", None, b"Invalid Host header"),
        (LOCAL, "127.0.0.1.evil.example:7346", None, b"Invalid Host header"),
        (LOCAL, "127.0.0.1:7346", "http://evil.example", b"Invalid Origin header"),
        (LOCAL, "127.0.0.1:7346", "ftp://localhost", b"Invalid Origin header"),
        (LOCAL, "127.0.0.1:7346", "null", b"Invalid Origin header"),
        (REMOTE, "10.0.0.1:7346", None, b""),
        (REMOTE, "localhost:7346", None, b"Invalid Host header"),
        (REMOTE, "box:7346", "https://box", b""),
        (REMOTE, "[fd00::1]:7346", "http://[fd00::1]:3000", b""),
    ],
)
async def test_only_own_names_are_let_in(
    rules: AccessRules, host: str, origin: str | None, body: bytes
) -> None:
    """A page that a name server points at this machine must not search it."""
    headers = {"host": host, "authorization": f"Bearer {TOKEN}"}
    if origin is not None:
        headers["origin"] = origin
    gate = Gate(Response(), rules, refuse)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(gate)) as client:
        answer = await client.post("http://127.0.0.1/mcp", headers=headers)

    assert answer.content == body
    # No page may read an answer that was not asked for by name.
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (401, b"", {"www-authenticate": "Bearer", "content-length": "0"}),
        (404, b"Not Found", {"content-length": "9", "content-type": "text/plain; charset=utf-8"}),
        (408, b"", {"content-length": "0", "connection": "close"}),
        (413, b"", {"content-length": "0", "connection": "close"}),
    ],
)
def test_a_refusal_is_plain_http(status: int, body: bytes, headers: dict[str, str]) -> None:
    """Clients of MCP know no envelope; the rest of a body is not read as the next request."""
    answer = refuse(Refusal(status, "", ""))

    assert (answer.body, dict(answer.headers)) == (body, headers)


@asynccontextmanager
async def serving(
    federator: FakeFederator, start: StartOptions, rules: AccessRules = LOCAL
) -> AsyncIterator[str]:
    """Give the address of a server that runs until the block ends, by a signal."""
    ready = anyio.Event()
    backend = backend_of(federator, start)
    app = mcp_app(build_server(lambda _: backend), rules, backend.aclose)
    listener = bind("127.0.0.1", 0)
    url = base_url(listener)
    async with anyio.create_task_group() as group:
        group.start_soon(run, app, listener, ready.set)
        with anyio.fail_after(60):
            await ready.wait()
        yield url + PATH
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_is_served_over_http(
    federator: FakeFederator, own: Path, workspace_file: Path, mode: str
) -> None:
    """The same tools, the same answers, with progress; a signal ends it."""
    reports: list[float] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        reports.append(done)

    start = StartOptions(directory=own, workspaces=(workspace_file,))
    async with (
        serving(federator, start) as address,
        Client(address, mode=mode) as client,
    ):
        listing = await client.list_tools()
        result = await client.call_tool("search_workspace", {"query": "q"}, progress_callback=hear)

    assert [tool.name for tool in listing.tools] == [tool.name for tool in listed()]
    assert not result.is_error
    assert sorted(reports) == [1, 2]
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
    async with (
        serving(federator, StartOptions(directory=own), TOKEN_WANTED) as address,
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
    start = StartOptions(directory=own, workspaces=(workspace_file,))
    async with serving(federator, start) as address:
        async with Client(address) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "search_workspace", {"query": "q"})
            with anyio.fail_after(60):
                await federator.begun.wait()
                group.cancel_scope.cancel()
        with anyio.fail_after(60):
            await federator.cancelled.wait()
