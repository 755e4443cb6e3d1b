"""Clients of all daemons of a process come in by one socket, each to the daemon that it means."""

import errno
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream

from ggrep.base.errors import InvalidRequest
from ggrep.daemon import accept_loop as module
from ggrep.daemon.accept_loop import AcceptLoop
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.frames import frame
from ggrep.protocol.wire.handshake import Hello, hello_json
from ggrep.protocol.wire.messages import Ping, Shutdown
from tests.daemon.conftest import descriptors
from tests.fakes.hosts import CLOCK
from tests.fakes.places import short_directory
from tests.fakes.processes import Hosted, hosted
from tests.fakes.repos import write_tree


class Desk:
    """A daemon that notes who comes."""

    def __init__(self, directory: Path, store: str) -> None:
        self.key = (store, "f")
        self.name = directory / f"{store}.sock"
        self.came: list[bytes] = []
        self.told: list[BaseException] = []
        self.streams: list[SocketStream] = []
        self.arrived = anyio.Event()
        self.silent_since: float | None = None

    def receive(self, stream: SocketStream, received: bytes) -> None:
        self.came.append(received)
        self.streams.append(stream)
        self.arrived.set()

    def silence_ms(self) -> float | None:
        return self.silent_since

    def make_room(self, error: BaseException) -> None:
        self.told.append(error)


def said(store: str) -> bytes:
    """Return the greeting of somebody who means a store, and what he asks at once."""
    from ggrep.base.stable_json import dumps

    hello = frame(dumps(hello_json(Hello((1,), store, "f"))), cap_bytes=9999)
    return hello + b"more"


@asynccontextmanager
async def opened(*stores: str) -> AsyncIterator[tuple[AcceptLoop, list[Desk]]]:
    """Let some daemons be met at sockets in one directory."""
    with short_directory() as directory:
        desks = [Desk(directory, store) for store in stores]
        async with anyio.create_task_group() as group:
            reception = AcceptLoop(group)
            for desk in desks:
                await reception.open(desk, desk.name, 0o600)
            with anyio.fail_after(60):
                yield reception, desks
            for desk in desks:
                reception.close(desk, desk.name)
                for stream in desk.streams:
                    await stream.aclose()
            group.cancel_scope.cancel()


async def ends(stream: SocketStream) -> bool:
    """Return whether the other end closes the connection without a word."""
    try:
        await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return True
    return False


async def noted(desk: Desk) -> list[bytes]:
    await desk.arrived.wait()
    return desk.came


async def test_many_daemons_listen_by_one_socket() -> None:
    """A host of a thousand daemons held a descriptor for each."""
    async with opened("a") as (reception, desks):
        before = descriptors()
        others = [Desk(desks[0].name.parent, f"b{number}") for number in range(5)]
        for other in others:
            await reception.open(other, other.name, 0o600)
        names = [desk.name for desk in (*desks, *others)]

        assert descriptors() == before
        assert len({name.stat().st_ino for name in names}) == 1
        assert all(name.is_socket() for name in names)
        for other in others:
            reception.close(other, other.name)


async def test_a_client_comes_to_the_daemon_it_means_with_all_it_said() -> None:
    async with opened("a", "b") as (_, (a, b)):
        async with await anyio.connect_unix(a.name) as stream:
            await stream.send(said("b")[:7])
            await stream.send(said("b")[7:])
            came = await noted(b)

        assert (b"".join(came), a.came) == (said("b"), [])


async def test_who_means_a_store_that_is_not_here_is_heard_by_one_who_refuses() -> None:
    """A session compares store and configuration as ever; nobody answers for another."""
    async with opened("a", "b") as (_, (a, b)):
        async with await anyio.connect_unix(b.name) as stream:
            await stream.send(said("c"))
            came = await noted(a)

        assert (came, b.came) == ([said("c")], [])


async def test_who_means_one_that_has_ended_finds_the_connection_closed() -> None:
    """As if nobody listened: the client tries again, and starts another."""
    async with opened("a", "b") as (reception, (a, b)):
        reception.close(a, a.name)
        async with await anyio.connect_unix(b.name) as stream:
            await stream.send(said("a"))
            assert await ends(stream)
        async with await anyio.connect_unix(b.name) as stream:
            await stream.send(said("b"))
            await noted(b)


async def test_the_socket_stays_under_the_names_of_the_others() -> None:
    """Also where the daemon ends that bound it; with the last name it is closed."""
    async with opened("a", "b") as (reception, (a, b)):
        reception.close(a, a.name)
        a.name.unlink()
        async with await anyio.connect_unix(b.name) as stream:
            await stream.send(said("b"))
            await noted(b)
        before = descriptors()
        reception.close(b, b.name)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()

        assert descriptors() == before - 1


async def test_a_dead_daemons_socket_gives_way() -> None:
    async with opened("a") as (reception, (a,)):
        late = Desk(a.name.parent, "late")
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(late.name))
        await reception.open(late, late.name, 0o600)
        async with await anyio.connect_unix(late.name) as stream:
            await stream.send(said("late"))
            await noted(late)
        reception.close(late, late.name)
        await late.streams[0].aclose()


async def test_without_links_each_daemon_has_its_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some file systems have no links."""

    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted", str(self), str(target))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    async with opened("a", "b") as (_, (a, b)):
        async with await anyio.connect_unix(b.name) as stream:
            await stream.send(said("b"))
            await noted(b)

        assert a.name.stat().st_ino != b.name.stat().st_ino


async def test_silent_clients_give_way_to_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They hold descriptors of all daemons."""
    monkeypatch.setattr(module, "MOST_GREETING", 2)
    async with opened("a", "b") as (_, (_a, b)):
        silent = [await anyio.connect_unix(b.name) for _ in range(3)]
        assert await ends(silent[0])
        await silent[2].send(said("b"))
        await noted(b)
        for stream in silent:
            await stream.aclose()


async def test_without_descriptors_a_silent_client_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The system counts them by process; a daemon must not end by it."""
    monkeypatch.setattr(module, "_ACCEPT_PAUSE_S", 0.0)
    async with opened("a", "b") as (_, (a, b)):
        a.silent_since, b.silent_since = 5.0, 3.0
        accept, failures = socket.socket.accept, [OSError(errno.EMFILE, os.strerror(errno.EMFILE))]

        def refuse_one(self: socket.socket) -> Any:
            if failures:
                raise failures.pop()
            return accept(self)

        monkeypatch.setattr(socket.socket, "accept", refuse_one)
        async with await anyio.connect_unix(a.name) as stream:
            await stream.send(said("a"))
            await noted(a)

        assert [getattr(error, "errno", None) for error in b.told] == [errno.EMFILE]
        assert a.told == []


def test_a_process_of_two_daemons_answers_for_each_alone(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one socket; a hello of neither is refused, and one that ended is there for nobody."""
    left, two = roots = [tmp_path.resolve() / name for name in ("one", "two")]
    for root in roots:
        write_tree(root, {"pay.py": f"def settle_{root.name}():\n    return 1\n"})
    seen: list[object] = []

    def act(host: Hosted) -> None:
        first, second = host.address(left), host.address(two)
        seen.append(first.socket.stat().st_ino == second.socket.stat().st_ino)
        seen.extend(host.ask(root, Ping()).name for root in roots)
        with Link.connect(first.socket, second.hello, CLOCK) as link:
            seen.append(link.welcome.store_id == second.hello.store_id)
        with pytest.raises(InvalidRequest, match="store_id mismatch"):
            Link.connect(first.socket, Hello((1,), "other", "f"), CLOCK)
        host.ask(left, Shutdown("done"))
        while first.socket.exists():
            time.sleep(0.01)
        with pytest.raises(Unreachable):
            Link.connect(second.socket, first.hello, CLOCK)
        seen.append(host.serves(two))

    hosted(monkeypatch, roots, home, act)

    assert seen == [True, "ping", "ping", True, True]
