"""MCP over HTTP in bad company: nothing fails, nothing hangs, and others keep being served."""

import itertools
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import anyio
import httpx
import psutil
import pytest
from anyio import to_thread

from ggrep.base import stable_json
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.surfaces import http_server as bodies
from tests.fakes.federators import FakeFederator
from tests.mcp.test_http import ACCEPT, INITIALIZE, TOKEN, TOKEN_WANTED, serving

pytestmark = pytest.mark.slow

HEADERS = {**ACCEPT, "authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
_PATIENCE_S = 60
Reached: TypeAlias = Callable[[], AbstractAsyncContextManager[str]]


def call(method: str, number: object = 1, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def search(**arguments: object) -> dict[str, object]:
    """Return a call of the search tool."""
    return call("tools/call", name="search", arguments=arguments)


DEEP = '{"jsonrpc":"2.0","id":1,"method":"ping","params":' + '{"a":' * 5000 + "1" + "}" * 5001
BODIES: dict[str, object] = {
    "nothing": b"",
    "half of a message": b'{"jsonrpc": "2.0", "id": 1, "meth',
    "no UTF-8": b"\xff\xfe\x00{",
    "no object": b"7",
    "a batch": [INITIALIZE, INITIALIZE],
    "an empty batch": [],
    "deep": DEEP.encode(),
    "an unknown method": call("tools/explode"),
    "an id that is none": call("ping", {"a": 1}),
    "an id that is null": call("ping", None),
    "a huge id": call("ping", "x" * 100_000),
    "a huge number": b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
    "another version": {**INITIALIZE, "jsonrpc": "1.0"},
    "another protocol": call(
        "initialize",
        protocolVersion="1999-01-01",
        capabilities={},
        clientInfo={"name": "t", "version": "1"},
    ),
    "parameters that are none": {**INITIALIZE, "params": [1]},
    "a reply to nothing": {"jsonrpc": "2.0", "id": 99, "result": {}},
    "a cancel of nothing": {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 12345},
    },
    "no session": call("tools/list"),
    "too much": b'"' + b"x" * (5 << 20) + b'"',
}
ODD_HEADERS: tuple[Mapping[str, str], ...] = (
    {},
    {"mcp-session-id": "made-up"},
    {"mcp-session-id": "../../etc/passwd"},
    {"mcp-protocol-version": "1999-01-01"},
    {"mcp-protocol-version": "x" * 5000},
    {"accept": "text/html"},
    {"content-type": "text/plain"},
    {"content-encoding": "gzip"},
    {"last-event-id": "77"},
)
STRANGERS: tuple[tuple[Mapping[str, str], int], ...] = (
    ({"authorization": ""}, 401),
    ({"authorization": "Bearer wrong"}, 401),
    ({"authorization": f"Basic {TOKEN}"}, 401),
    ({"authorization": f"Bearer {TOKEN}{TOKEN}"}, 401),
    ({"host": "evil.example"}, 421),
    ({"origin": "http://evil.example"}, 403),
    ({"origin": "null"}, 403),
)


@pytest.fixture
def reached(federator: FakeFederator, own: Path) -> Reached:
    """Return what serves, to those who have the token."""
    return lambda: serving(federator, StartOptions(directory=own), TOKEN_WANTED)


def content(body: object) -> bytes:
    return body if isinstance(body, bytes) else stable_json.dumps(body)  # type: ignore[arg-type]


async def session(client: httpx.AsyncClient, address: str) -> dict[str, str]:
    """Return the headers of a session that was just begun."""
    begun = await client.post(address, content=content(INITIALIZE), headers=HEADERS)
    assert begun.status_code == 200
    headers = {**HEADERS, "mcp-session-id": begun.headers["mcp-session-id"]}
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await client.post(address, content=content(done), headers=headers)
    return headers


async def said(client: httpx.AsyncClient, address: str, message: object, **more: str) -> Any:
    headers = {**HEADERS, **more}
    response = await client.post(address, content=content(message), headers=headers)
    lines = [line for line in response.text.splitlines() if line.startswith("data: {")]
    return stable_json.loads(lines[-1].removeprefix("data: ") if lines else response.content)


async def others_are_served(address: str) -> None:
    """Fail unless a decent client is answered, in a session of its own."""
    with anyio.fail_after(_PATIENCE_S):
        async with httpx.AsyncClient(timeout=_PATIENCE_S) as client:
            headers = await session(client, address)
            answer = await said(client, address, search(query="q"), **headers)
    assert "isError" not in answer["result"] or not answer["result"]["isError"]


async def test_no_body_breaks_the_server(reached: Reached) -> None:
    """Within a session and without one; each gets an answer that is no failure of ours."""
    async with reached() as address:
        results: dict[str, set[int]] = {}
        async with httpx.AsyncClient(timeout=_PATIENCE_S) as client:
            inside = await session(client, address)
            for name, body in BODIES.items():
                for headers in (HEADERS, inside):
                    response = await client.post(address, content=content(body), headers=headers)
                    results.setdefault(name, set()).add(response.status_code)

        assert {name: codes for name, codes in results.items() if max(codes) >= 500} == {}
        assert results["too much"] == {413}
        await others_are_served(address)


async def test_strangers_get_nowhere_whatever_they_send(
    reached: Reached, federator: FakeFederator
) -> None:
    tried = itertools.product(STRANGERS, ("POST", "GET", "DELETE"), (b"{", b'{"a":1}'))
    async with reached() as address, httpx.AsyncClient(timeout=_PATIENCE_S) as client:
        for (odd, status), method, body in tried:
            headers = {**HEADERS, **odd}
            response = await client.request(method, address, content=body, headers=headers)
            assert response.status_code == status, (odd, method)

    assert federator.asked == []


async def test_odd_headers_are_refused_in_every_method(reached: Reached) -> None:
    """A session that nobody began is none, however its name looks."""
    methods = ("GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD")
    async with reached() as address, httpx.AsyncClient(timeout=_PATIENCE_S) as client:
        for method, odd in itertools.product(methods, ODD_HEADERS[1:]):
            response = await client.request(method, address, headers={**HEADERS, **odd})
            assert 400 <= response.status_code < 500, (method, odd)


@pytest.mark.deep
async def test_every_mixture_of_bodies_and_headers_is_answered(reached: Reached) -> None:
    """And the process is not much larger for it."""
    async with reached() as address:
        process = psutil.Process()
        async with httpx.AsyncClient(timeout=_PATIENCE_S) as client:
            sizes = []
            for _ in range(4):
                for (name, body), odd in itertools.product(BODIES.items(), ODD_HEADERS):
                    response = await client.post(
                        address, content=content(body), headers={**HEADERS, **odd}
                    )
                    assert response.status_code < 500, (name, odd)
                sizes.append(process.memory_info().rss)

        assert sizes[-1] - sizes[0] < 64 << 20
        await others_are_served(address)


async def test_no_root_leads_out(
    reached: Reached, federator: FakeFederator, own: Path, other: Path
) -> None:
    out = ("/", "/etc", "..", "../other", "~", "x/../../other", "a\0b", "x" * 5000, str(other))
    async with reached() as address, httpx.AsyncClient(timeout=_PATIENCE_S) as client:
        headers = await session(client, address)
        for root in out:
            answer = await said(client, address, search(query="q", root=root), **headers)
            assert answer["result"]["isError"], root
        inside = await said(client, address, search(query="q", root=str(own)), **headers)

    assert not inside["result"].get("isError")
    assert [asked for asked, _ in federator.asked].count("search_repo") == 1


async def test_a_session_cannot_cancel_another_s_call(
    reached: Reached, federator: FakeFederator
) -> None:
    """Ids are each session's own, the same id in both."""
    async with reached() as address:
        federator.gate = anyio.Event()
        answers: list[Any] = []
        cancel = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": 7},
        }
        async with httpx.AsyncClient(timeout=_PATIENCE_S) as client:
            mine, theirs = await session(client, address), await session(client, address)

            async def ask() -> None:
                message = call("tools/call", 7, name="ggrep_status", arguments={})
                answers.append(await said(client, address, message, **mine))

            async with anyio.create_task_group() as group:
                group.start_soon(ask)
                with anyio.fail_after(_PATIENCE_S):
                    await federator.begun.wait()
                await client.post(address, content=content(cancel), headers=theirs)
                again = call("tools/call", 7, name="ggrep_status", arguments={})
                group.start_soon(
                    lambda: client.post(address, content=content(again), headers=theirs)
                )
                await others_cannot_stop(federator)
                federator.gate.set()

        assert not answers[0]["result"].get("isError")


async def others_cannot_stop(federator: FakeFederator) -> None:
    """Let what was sent arrive; nothing may have been called off by it."""
    for _ in range(50):
        await anyio.lowlevel.checkpoint()
    assert not federator.cancelled.is_set()


async def test_an_id_that_is_used_twice_is_answered_twice(reached: Reached) -> None:
    """Or refused; never left waiting."""
    async with reached() as address, httpx.AsyncClient(timeout=_PATIENCE_S) as client:
        headers = await session(client, address)
        with anyio.fail_after(_PATIENCE_S):
            for _ in range(3):
                answer = await said(client, address, search(query="q"), **headers)
                assert answer["id"] == 1


async def test_a_body_that_drips_is_given_up(
    reached: Reached, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds a connection, of which there are so many."""
    async with reached() as address:
        monkeypatch.setattr(bodies, "BODY_TIMEOUT_S", 0.2)
        host, port = urlsplit(address).hostname, urlsplit(address).port
        head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
        request = f"POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-length: 100\r\n{head}\r\n" + '{"a'

        def answered() -> bytes:
            with socket.create_connection((host, port), timeout=_PATIENCE_S) as each:
                each.sendall(request.encode())
                return each.recv(100)

        assert (await to_thread.run_sync(answered)).startswith(b"HTTP/1.1 408 ")


def held(address: str, count: int, data: bytes) -> Iterator[socket.socket]:
    """Open connections that say something and then nothing."""
    where = urlsplit(address).hostname, urlsplit(address).port
    for _ in range(count):
        first = socket.create_connection(where, timeout=_PATIENCE_S)  # type: ignore[arg-type]
        first.sendall(data)
        yield first


async def test_connections_that_say_nothing_of_use_leave_room(reached: Reached) -> None:
    """A hundred of them; a decent client comes in beside them."""
    said_first = (b"", b"POST /mcp HT", b"\x16\x03\x01" * 100, b"GET / HTTP/9.9\r\n")
    async with reached() as address:
        with ExitStack() as opened:
            for data in said_first:
                for each in await to_thread.run_sync(lambda: list(held(address, 25, data))):  # noqa: B023
                    opened.enter_context(each)
            await others_are_served(address)


@pytest.mark.deep
async def test_a_thousand_connections_end_and_leave_room(
    reached: Reached, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than there are places: some are turned away, and those who wait are let go."""
    async with reached() as address:
        monkeypatch.setattr("ggrep.interfaces.surfaces.http_server._HEAD_S", 0.5)
        with ExitStack() as opened:
            for each in await to_thread.run_sync(lambda: list(held(address, 1000, b"POST /mcp"))):
                opened.enter_context(each)
            with anyio.fail_after(_PATIENCE_S):
                while True:
                    try:
                        await others_are_served(address)
                        break
                    except (AssertionError, httpx.HTTPError):
                        await anyio.sleep(0.1)


async def test_streams_that_are_held_open_leave_room(reached: Reached) -> None:
    """Each session may have one for what the server has to say; nothing waits for it."""
    async with (
        reached() as address,
        httpx.AsyncClient(timeout=_PATIENCE_S) as client,
        anyio.create_task_group() as group,
    ):

        async def hold(headers: dict[str, str]) -> None:
            async with client.stream("GET", address, headers=headers) as stream:
                assert stream.status_code == 200
                await anyio.sleep_forever()

        for _ in range(20):
            group.start_soon(hold, await session(client, address))
        await others_are_served(address)
        group.cancel_scope.cancel()
