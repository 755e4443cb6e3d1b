"""The server on a real socket."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import anyio
import httpx
import pytest
from anyio import to_thread
from starlette.types import Receive, Scope, Send

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.interfaces.surfaces import http_server
from ggrep.interfaces.surfaces.callers import is_loopback
from ggrep.interfaces.surfaces.http_server import base_url, bind, run
from tests.fakes.sites import Site

MakeSite = Callable[..., Site]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("192.0.2.1", False),
        ("::", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_any_free_port_is_bound_and_told() -> None:
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        assert port > 0
        assert base_url(listener) == f"http://127.0.0.1:{port}"


def test_a_port_that_is_taken_is_the_callers_mistake() -> None:
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        with pytest.raises(
            InvalidRequest,
            match=f"--port: the server cannot listen on port {port} of 127.0.0.1: the port is "
            "in use",
        ):
            bind("127.0.0.1", port)


def test_a_host_that_is_none_is_the_callers_mistake() -> None:
    with pytest.raises(InvalidRequest, match="--host"):
        bind("no host", 0)


@contextmanager
def started() -> Iterator[tuple[socket.socket, anyio.Event]]:
    with bind("127.0.0.1", 0) as listener:
        yield listener, anyio.Event()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_good_order(site: Site, number: signal.Signals) -> None:
    with started() as (listener, ready):
        url = base_url(listener)
        async with anyio.create_task_group() as group:
            group.start_soon(partial(run, site.app, listener, ready.set))
            await ready.wait()
            async with httpx.AsyncClient(headers=site.client.headers) as client:
                response = await client.get(f"{url}/health")
            signal.raise_signal(number)

    assert response.json()["ok"] is True
    assert "server" not in response.headers
    assert site.service.closed
    assert listener.fileno() == -1


@pytest.mark.slow
@pytest.mark.parametrize(
    "output",
    [b"", b"GET /health HTTP/1.1\r\nHost: 127", b"GET /health HTTP/1.1\r\nHost: %b\r\n\r\nGET"],
)
async def test_who_begins_a_request_and_never_ends_it_is_hung_up_on(
    site: Site, monkeypatch: pytest.MonkeyPatch, output: bytes
) -> None:
    monkeypatch.setattr(http_server, "_HEAD_S", 0.05)
    with started() as (listener, ready):
        async with anyio.create_task_group() as group:
            group.start_soon(partial(run, site.app, listener, ready.set))
            await ready.wait()
            name = base_url(listener).removeprefix("http://")
            async with await anyio.connect_tcp("127.0.0.1", int(name.split(":")[1])) as stream:
                await stream.send(output.replace(b"%b", name.encode()))
                received = b""
                with anyio.fail_after(60), suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                    while True:
                        received += await stream.receive()
            signal.raise_signal(signal.SIGTERM)

    assert received.startswith(b"HTTP/1.1" if b"%b" in output else b"")


@pytest.mark.slow
async def test_a_client_that_hangs_up_ends_its_search(site: Site) -> None:
    asked, ended = anyio.Event(), anyio.Event()

    async def pause(_: str) -> None:
        asked.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    site.service.pause = pause
    with started() as (listener, ready):
        async with anyio.create_task_group() as group:
            group.start_soon(partial(run, site.app, listener, ready.set))
            await ready.wait()
            async with httpx.AsyncClient(headers=site.client.headers) as client:
                with anyio.CancelScope() as scope:
                    async with anyio.create_task_group() as asking:
                        url = f"{base_url(listener)}/search/federated"
                        asking.start_soon(partial(client.post, url, json=site.body()))
                        await asked.wait()
                        scope.cancel()
            await ended.wait()
            signal.raise_signal(signal.SIGTERM)

    assert site.service.cancelled == 1


@pytest.mark.slow
async def test_what_is_no_http_is_answered_and_closed(make_site: MakeSite) -> None:
    """Too long a head, too large a body, no host: the connection ends, the server does not."""
    site = make_site(token=None, max_body_bytes=10)
    post = b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    hostile = {
        b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000: b"400",
        b"GET / HTTP/1.1\r\n\r\n": b"400",
        b"\x16\x03\x01\x02\x00\r\n\r\n": b"400",
        post + b"Content-Length: 99999999\r\n\r\n": b"413",
        post + b"Transfer-Encoding: chunked\r\n\r\n40\r\n" + b" " * 64: b"413",
    }
    with started() as (listener, ready):
        address = listener.getsockname()
        async with anyio.create_task_group() as group:
            group.start_soon(partial(run, site.app, listener, ready.set))
            await ready.wait()
            answers = [
                await to_thread.run_sync(raw_answer, address, message) for message in hostile
            ]
            async with httpx.AsyncClient() as client:
                after = await client.get(f"{base_url(listener)}/health")
            signal.raise_signal(signal.SIGTERM)

    assert [answer[9:12] for answer in answers] == list(hostile.values())
    assert after.status_code == 200


def raw_answer(address: tuple[str, int], message: bytes) -> bytes:
    received = b""
    with socket.create_connection(address, timeout=60) as connection:
        try:
            connection.sendall(message)
            while data := connection.recv(65_536):
                received += data
        except ConnectionError:
            # It closed while we were still talking.
            pass
    return received


async def test_an_application_that_does_not_start_is_an_error() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no"})

    with started() as (listener, ready), pytest.raises(GgrepError, match="did not start"):
        await run(broken, listener, ready.set)
    assert not ready.is_set()
