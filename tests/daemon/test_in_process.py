"""Daemons of a process, asked by a coordinator in it: with the replies of their sockets."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.daemon.admitting import Caller
from ggrep.daemon.handlers import answer
from ggrep.daemon.in_process import InProcess, connection_in
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.federation.daemon_searcher import DaemonSearcher
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.protocol.client.channel import Channel
from ggrep.protocol.client.channels import Channels
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import Describe, Fetch, Message, Ping
from ggrep.protocol.wire.replies import Reply
from tests.fakes.hosts import CLOCK, Served, served
from tests.fakes.repos import indexed

NEVER = Deadline.never(CLOCK)
PING = Ping()


@pytest.fixture
def host(root: Path, home: Path) -> Iterator[Served]:
    indexed(root, home, {"a.py": "def alpha_needle():\n    return 1\n"})
    with served(root, home) as host:
        yield host


def connected(host: Served) -> InProcess:
    connection = connection_in(host.daemon.shared, answer, host.address)
    assert connection is not None
    return connection


def test_the_reply_is_that_of_the_socket(host: Served) -> None:
    host.settled()
    active = host.daemon.engine().view().manifest.snapshot_id
    other = active[:-1] + ("0" if active[-1] != "0" else "1")
    lists = PoolRequest(SearchRequest("needle"), 5)
    messages: tuple[Message, ...] = (
        PING,
        Describe(10_000),
        Fetch(lists),
        Fetch(replace(lists, snapshot_id=other)),
    )
    for message in messages:
        by_socket = host.call(_ask_by_socket, host, message)

        reply = host.call(connected(host).exchange, message, NEVER)

        assert (type(reply.error), str(reply.error)) == (
            type(by_socket.error),
            str(by_socket.error),
        )
        assert body_of(reply) == body_of(by_socket), message
    assert not host.daemon.requests


def body_of(reply: Reply) -> bytes:
    body = {name: value for name, value in reply.body.items() if name != "request_id"}
    return stable_json.dumps(cast("Document", body))


async def _ask_by_socket(host: Served, message: Message) -> Reply:
    channel = await Channel.open(host.address.socket, host.address.hello, NEVER)
    try:
        return await channel.exchange(message, NEVER)
    finally:
        await channel.aclose()


def test_a_coordinator_of_the_process_opens_no_connection(host: Served) -> None:
    async def describe() -> str | None:
        channels = Channels(
            CLOCK, {}, local=lambda address: connection_in(host.daemon.shared, answer, address)
        )
        await channels.prepare([host.address], NEVER)
        assert channels.hosts_of([host.address]) == [os.getpid()]
        searcher = DaemonSearcher(channels, lambda: host.address)
        description = await searcher.describe(NEVER)
        assert host.daemon.connections == 0
        return description.snapshot_id

    host.settled()
    assert host.daemon.connections == 0
    assert host.call(describe) == host.daemon.engine().view().manifest.snapshot_id


@pytest.mark.parametrize("ends_by", ["deadline", "cancellation"])
def test_a_call_that_ends_stops_its_work(host: Served, ends_by: str) -> None:
    """A thread notices the Stop of its request at its next check."""

    async def run() -> str | None:
        callers: list[Caller] = []
        released = anyio.Event()

        async def hangs(daemon: StoreDaemon, caller: Caller, message: Message) -> Document:
            del daemon, message
            callers.append(caller)
            with anyio.CancelScope(shield=True):
                await released.wait()
            return {}

        connection = replace(connected(host), answer=hangs)
        if ends_by == "deadline":
            with pytest.raises(DeadlineExceeded):
                await connection.exchange(PING, Deadline.after(CLOCK, 20))
        else:
            with anyio.move_on_after(0.02):
                await connection.exchange(PING, NEVER)
        released.set()
        return callers[0].stop.reason

    assert host.call(run)


def test_bytes_of_a_query_worker_are_read(host: Served) -> None:
    """The socket would have written them as they are."""

    async def answers(daemon: StoreDaemon, caller: Caller, message: Message) -> Document:
        del daemon, caller, message
        return {"value": stable_json.written(b'{"hits":[1]}'), "more": 2}

    reply = host.call(replace(connected(host), answer=answers).exchange, PING, NEVER)

    assert reply.body == {"value": {"hits": [1]}, "more": 2}


def test_a_daemon_that_has_ended_is_not_there(host: Served, tmp_path: Path) -> None:
    """Its store may be served by another process by now."""
    connection, shared = connected(host), host.daemon.shared
    elsewhere = replace(host.address, home=Home(tmp_path / "elsewhere"))
    assert connection.is_open
    assert connection_in(shared, answer, elsewhere) is None
    released = threading.Event()

    async def works_on() -> None:
        await to_thread.run_sync(released.wait)

    host.call(host.daemon.in_background, works_on)
    host.call(host.service.end, "the test ends it")
    host.eventually(lambda: not connection.is_open)

    assert connection_in(shared, answer, host.address) is None
    released.set()


def test_a_daemon_that_ends_leaves_no_call_waiting(host: Served) -> None:
    """The caller asks the next daemon, as after a lost connection."""

    async def run() -> None:
        async def ends(daemon: StoreDaemon, caller: Caller, message: Message) -> Document:
            del caller, message
            host.service.end("the test ends it")
            await anyio.sleep_forever()
            raise AssertionError(daemon)

        with pytest.raises(Unreachable):
            await replace(connected(host), answer=ends).exchange(PING, NEVER)

    host.call(run)
