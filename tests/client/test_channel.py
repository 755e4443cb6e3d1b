"""One connection for many: every reply finds its request, and nobody waits for ever."""

import os
import random
import struct
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import Busy, DeadlineExceeded, GgrepError, Incompatible, InvalidRequest
from ggrep.config.home import Home
from ggrep.model.request import EncodeRequest, SearchRequest
from ggrep.protocol.client import channel as module
from ggrep.protocol.client.channel import Channel
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import NoReply, Unreachable
from ggrep.protocol.wire.frames import HARD_MAX_REQUEST_BYTES, HARD_MAX_RESPONSE_BYTES
from ggrep.protocol.wire.messages import Fetch, Ping, Search, Status
from tests.client.conftest import eventually
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import Served, served
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.scripted import Peer, ScriptedDaemon, says_nothing, scripted

CLOCK = SystemClock()
NEVER = Deadline.never(CLOCK)


def soon(milliseconds: float = 40.0) -> Deadline:
    """Return a deadline that a silent daemon lets pass."""
    return Deadline.after(CLOCK, milliseconds)


@pytest.fixture
def address(root: Path, home: Path) -> DaemonAddress:
    """Return where the daemon of an empty root is met."""
    return arrange(root, Home(home), environ={}, flags={"encoder": "hashed"})


@pytest.fixture
def daemon(address: DaemonAddress) -> Iterator[ScriptedDaemon]:
    with scripted(address) as result:
        yield result


async def opened(address: DaemonAddress, deadline: Deadline = NEVER) -> Channel:
    return await Channel.open(address.socket, address.hello, deadline)


@pytest.fixture
async def channel(address: DaemonAddress, daemon: ScriptedDaemon) -> AsyncIterator[Channel]:
    result = await opened(address)
    yield result
    await result.aclose()


class Asked:
    """What several questions, asked at once, came to.

    Attributes:
        begun: names of questions that were asked.
        replies: by the name that the question was given.
        failures: likewise.
    """

    def __init__(self, channel: Channel) -> None:
        self.begun: list[str] = []
        self.replies: dict[str, Any] = {}
        self.failures: dict[str, GgrepError] = {}
        self._channel = channel

    async def ask(self, name: str, message: Any = None, deadline: Deadline = NEVER) -> None:
        """Ask, and note what came of it."""
        self.begun.append(name)
        try:
            self.replies[name] = (await self._channel.ask(message or Ping(), deadline)).body
        except GgrepError as error:
            self.failures[name] = error


async def seen(daemon: ScriptedDaemon, *names: str) -> list[dict[str, Any]]:
    """Wait, without holding the loop up, until the daemon has seen these messages."""
    return await anyio.to_thread.run_sync(daemon.saw, *names)


async def test_both_sides_say_who_they_are(address: DaemonAddress, daemon: ScriptedDaemon) -> None:
    """The kernel tells the process; all else the daemon says of itself."""
    channel = await opened(address)

    assert channel.pid == os.getpid()
    assert channel.welcome.store_id == address.identity.store_id
    assert (await channel.ask(Ping(), NEVER)).name == "ping"
    await channel.aclose()


async def test_replies_find_their_requests_in_any_order(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """A slow question does not hold up a quick one."""
    kept: list[dict[str, Any]] = []

    def backwards(peer: Peer, message: dict[str, Any]) -> None:
        kept.append(message)
        if len(kept) == 3:
            for each in reversed(kept):
                peer.answer(each, which=each["request"]["text"])

    daemon.script = backwards
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        for name in ("a", "b", "c"):
            group.start_soon(asked.ask, name, Fetch(EncodeRequest(name)))

    assert asked.replies == {name: {"which": name} for name in ("a", "b", "c")}
    assert daemon.greeted == 1


async def test_who_is_cancelled_has_the_daemon_stop(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    daemon.script = says_nothing
    async with anyio.create_task_group() as group:
        group.start_soon(channel.ask, Status(), NEVER)
        asked = await seen(daemon, "status")
        group.cancel_scope.cancel()
    reported = (await seen(daemon, "status", "cancel"))[1]
    daemon.script = lambda peer, message: peer.answer(message, well=True)

    assert reported["target"] == asked[0]["request_id"]
    assert reported["request_id"] != reported["target"]
    assert (await channel.ask(Ping(), NEVER)).body == {"well": True}


async def test_at_the_deadline_the_daemon_is_told_to_stop(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """A reply that comes later all the same is nobody's."""
    late: list[dict[str, Any]] = []

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if message["message"] == "status":
            late.append(message)
            return
        peer.answer(late[0], late=True)
        peer.answer(message, late=False)

    daemon.script = script

    with pytest.raises(DeadlineExceeded, match="did not answer in time"):
        await channel.ask(Status(), soon())
    reported = await seen(daemon, "status", "cancel")
    assert reported[1]["target"] == reported[0]["request_id"]
    assert (await channel.ask(Ping(), NEVER)).body == {"late": False}


async def test_what_was_answered_or_never_sent_is_not_cancelled(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    await channel.ask(Ping(), NEVER)

    with pytest.raises(InvalidRequest, match="surrogate"):
        await channel.ask(Fetch(EncodeRequest("\ud800")), NEVER)
    await channel.ask(Ping(), NEVER)
    daemon.saw("ping", "ping")


async def test_when_who_reads_leaves_another_reads_on(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """The first who asked reads for all; its deadline is not that of the others."""
    waiting: list[dict[str, Any]] = []
    cancelled: list[str] = []

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if message["message"] == "cancel":
            cancelled.append("first")
        elif message["message"] == "encode":
            waiting.append(message)
        while cancelled and waiting:
            peer.answer(waiting.pop(0))

    daemon.script = script
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(asked.ask, "first", Status(), soon())
        await seen(daemon, "status")
        group.start_soon(asked.ask, "second", Fetch(EncodeRequest("b")))
        group.start_soon(asked.ask, "third", Fetch(EncodeRequest("c")))

    assert sorted(asked.replies) == ["second", "third"]
    assert isinstance(asked.failures["first"], DeadlineExceeded)


async def test_reading_is_passed_on_by_who_is_cancelled_before_it_begins(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """Whoever is next may leave at the same moment as who reads."""
    kept: list[dict[str, Any]] = []

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if message["message"] == "encode":
            kept.append(message)
        elif message["message"] == "cancel" and kept:
            peer.answer(kept.pop())

    daemon.script = script
    asked = Asked(channel)
    async with anyio.create_task_group() as group, anyio.create_task_group() as leaving:
        leaving.start_soon(asked.ask, "first", Status())
        await seen(daemon, "status")
        leaving.start_soon(asked.ask, "second", Status())
        await seen(daemon, "status", "status")
        group.start_soon(asked.ask, "third", Fetch(EncodeRequest("c")))
        await seen(daemon, "status", "status", "encode")
        leaving.cancel_scope.cancel()

    assert list(asked.replies) == ["third"]


def staying(names: Iterable[str]) -> set[str]:
    """Return those of requests that are not given up."""
    return {name for name in names if name.startswith("stays")}


@pytest.mark.parametrize("seed", range(4))
async def test_whoever_leaves_all_others_have_their_own_replies(
    channel: Channel, daemon: ScriptedDaemon, seed: int
) -> None:
    """In whatever order requests come, are given up and are answered."""
    chance, kept = random.Random(seed), list[dict[str, Any]]()

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if message["message"] == "encode":
            kept.append(message)
        while kept and (chance.random() < 0.5 or message["message"] == "ping"):
            first = kept.pop(chance.randrange(len(kept)))
            peer.answer(first, which=first["request"]["text"])
        if message["message"] == "ping":
            peer.answer(message)

    daemon.script = script
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        async with anyio.create_task_group() as leaving:
            for number in range(40):
                chosen = chance.choice((group, leaving))
                name = f"{'stays' if chosen is group else 'leaves'} {number}"
                chosen.start_soon(asked.ask, name, Fetch(EncodeRequest(name)))
                for _ in range(chance.randrange(4)):
                    await anyio.lowlevel.checkpoint()
            leaving.cancel_scope.cancel()
        with anyio.fail_after(60):
            while staying(asked.begun) - staying(asked.replies):
                await channel.ask(Ping(), NEVER)

    assert asked.failures == {}
    assert all(body == {"which": name} for name, body in asked.replies.items())


@pytest.mark.parametrize(
    "output",
    [
        b"",
        struct.pack(">I", HARD_MAX_RESPONSE_BYTES + 1),
        struct.pack(">I", 4) + b"\xff\x00{]",
    ],
)
async def test_a_daemon_that_goes_away_or_raves_fails_all_who_wait(
    channel: Channel, daemon: ScriptedDaemon, output: bytes
) -> None:
    """What they asked may be asked of another; this one has nothing to say any more."""

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if len(daemon.seen) == 2:
            peer.say_bytes(output)
            if not output:
                peer.hang_up()

    daemon.script = script
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(asked.ask, "a")
        group.start_soon(asked.ask, "b")

    assert {name: type(error) for name, error in asked.failures.items()} == {
        "a": Unreachable,
        "b": Unreachable,
    }
    assert not channel.is_open
    with pytest.raises(Unreachable):
        await channel.ask(Ping(), NEVER)


async def test_what_comes_in_one_piece_with_the_greeting_is_heard(
    address: DaemonAddress, daemon: ScriptedDaemon
) -> None:
    """Nothing more may ever come: who waits for bytes first waits for ever."""
    daemon.script = says_nothing
    daemon.after_welcome = struct.pack(">I", 0)
    channel = await opened(address)

    with pytest.raises(Unreachable):
        await channel.ask(Ping(), Deadline.after(CLOCK, 60_000))
    assert not channel.is_open


async def test_a_refusal_is_raised_as_what_it_is(
    address: DaemonAddress, daemon: ScriptedDaemon
) -> None:
    """With all that it says; who wants the reply itself has it."""
    daemon.script = lambda peer, message: peer.refuse(message, "busy", retry_after_ms=7)
    channel = await opened(address)

    with pytest.raises(Busy) as caught:
        await channel.ask(Ping(), NEVER)
    assert caught.value.retry_after_ms == 7
    assert (await channel.exchange(Ping(), NEVER)).body["retry_after_ms"] == 7
    await channel.aclose()


async def test_a_refusal_of_one_of_several_ends_the_connection(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    def script(peer: Peer, message: dict[str, Any]) -> None:
        if len(daemon.seen) == 2:
            peer.say({"error": {"code": "invalid_request", "message": "too large"}})

    daemon.script = script
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(asked.ask, "a")
        group.start_soon(asked.ask, "b")

    assert [str(error) for error in asked.failures.values()] == 2 * [
        "the daemon refused a request: too large"
    ]


async def test_a_frame_that_is_cut_off_ends_the_connection(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """Whatever came behind half a frame would be read as its other half."""
    gate = threading.Event()
    daemon.script = lambda *_: gate.wait(20)
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(asked.ask, "waits")
        await seen(daemon, "ping")
        with pytest.raises(DeadlineExceeded):
            await channel.ask(Fetch(EncodeRequest("x" * 800_000)), soon())
        assert not channel.is_open
        gate.set()

    assert isinstance(asked.failures["waits"], Unreachable)


async def test_a_frame_that_waits_its_turn_may_be_given_up(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """Nothing of it is out yet; the one before it goes on."""
    gate = threading.Event()

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if message["message"] == "ping":
            gate.wait(20)
        peer.answer(message)

    daemon.script = script
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(asked.ask, "first")
        await seen(daemon, "ping")
        group.start_soon(asked.ask, "large", Fetch(EncodeRequest("x" * 800_000)))
        await asked.ask("waits", Status(), soon())
        gate.set()

    assert sorted(asked.replies) == ["first", "large"]
    assert isinstance(asked.failures["waits"], DeadlineExceeded)


async def test_a_connection_that_the_daemon_closed_is_known_to_be_over(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """Without asking it: whoever starts daemons must know who is missing."""
    assert channel.is_open
    daemon.hang_up()

    await eventually(lambda: not channel.is_open)


async def test_closing_fails_those_who_wait(channel: Channel, daemon: ScriptedDaemon) -> None:
    """The one who reads as well as those who wait for it."""
    daemon.script = says_nothing
    asked = Asked(channel)
    async with anyio.create_task_group() as group:
        group.start_soon(asked.ask, "a")
        group.start_soon(asked.ask, "b")
        await seen(daemon, "ping", "ping")
        await channel.aclose()

    assert [str(error) for error in asked.failures.values()] == 2 * ["the connection was closed"]


@pytest.mark.parametrize(
    ("welcome", "error"),
    [
        ({"error": {"code": "incompatible", "message": "no"}}, Incompatible),
        ({"error": {"code": "invalid_request", "message": "no"}}, InvalidRequest),
        ({}, InvalidRequest),
    ],
)
async def test_a_greeting_that_does_not_suit_ends_it(
    address: DaemonAddress, daemon: ScriptedDaemon, welcome: dict[str, Any], error: type[Exception]
) -> None:
    """Nothing is asked of a daemon that may answer something else, or of another repository."""
    daemon.welcome["store_id"] = "another"
    with pytest.raises(InvalidRequest, match="store_id"):
        await opened(address)
    daemon.welcome = welcome

    with pytest.raises(error):
        await opened(address)


async def test_another_users_socket_is_not_talked_to(
    address: DaemonAddress, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write to a temporary directory could listen there."""
    monkeypatch.setattr(module, "require_own", refuses)

    with pytest.raises(Unreachable, match="another user"):
        await opened(address)
    assert daemon.greeted == 0


def refuses(*_: object) -> None:
    """Be the check of a socket that is another user's."""
    raise Unreachable("the socket of the daemon belongs to another user")


async def test_a_daemon_that_does_not_introduce_itself_is_silent(
    address: DaemonAddress, daemon: ScriptedDaemon
) -> None:
    """It would have seconds, and has half of the time that is left."""
    daemon.greets = False

    with pytest.raises(NoReply, match=f"process {os.getpid()} does not answer"):
        await opened(address, soon(100))


async def test_a_daemon_that_is_stopped_is_silent_at_once(
    address: DaemonAddress, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it greets, and on a connection that there is."""
    channel = await opened(address)
    monkeypatch.setattr("ggrep.protocol.client.link.is_stopped", lambda _: True)

    with pytest.raises(NoReply, match=f"process {os.getpid()} is suspended"):
        await opened(address)
    with pytest.raises(NoReply):
        await channel.ask(Ping(), NEVER)
    await channel.aclose()


async def test_a_daemon_that_is_stopped_while_it_is_asked_is_silent_soon(
    channel: Channel, daemon: ScriptedDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the time is for an answer without it."""
    monkeypatch.setattr(module, "LOOK_MS", 5)
    looks = iter([False, False])
    monkeypatch.setattr("ggrep.protocol.client.link.is_stopped", lambda _: next(looks, True))
    daemon.script = says_nothing

    with pytest.raises(NoReply):
        await channel.ask(Ping(), NEVER)


@pytest.fixture
def host(root: Path, home: Path) -> Iterator[Served]:
    """Return a real daemon of a small tree."""
    write_tree(root, {"pay.py": "def settle_invoice():\n    return 1\n"})
    open_engine(root, home).sync()
    with served(root, home) as result:
        result.settled()
        yield result


@pytest.mark.slow
@pytest.mark.parametrize("in_time", [True, False])
async def test_work_that_nobody_waits_for_ends_in_the_daemon(
    host: Served, monkeypatch: pytest.MonkeyPatch, in_time: bool
) -> None:
    """Whoever gave up frees the core for the next, and does not lose its connection by it."""
    kept = HeldSearches(monkeypatch)
    channel = await opened(host.address)
    search = Search(SearchRequest("settle", timeout_ms=60_000))
    async with anyio.create_task_group() as group:
        if in_time:
            group.start_soon(channel.ask, search, NEVER)
            await eventually(lambda: kept.begun)
            group.cancel_scope.cancel()
        else:
            with pytest.raises(DeadlineExceeded):
                await channel.ask(search, soon(200))

    await eventually(lambda: kept.ended)
    assert kept.ended == ["cancelled"]
    kept.gate.set()
    reply = await channel.ask(search, Deadline.after(CLOCK, 20_000))
    assert reply.body["response"]["results"][0]["path"] == "pay.py"
    await channel.aclose()


async def test_a_request_that_never_left_is_not_called_off(
    channel: Channel, daemon: ScriptedDaemon
) -> None:
    """The daemon has never heard of it."""
    with pytest.raises(InvalidRequest, match="bytes"):
        await channel.ask(Fetch(EncodeRequest("x" * HARD_MAX_REQUEST_BYTES)), NEVER)
    asked = Asked(channel)
    async with anyio.create_task_group() as group, channel._sending:
        # Somebody else's is on its way, for longer than this one waits.
        group.start_soon(asked.ask, "late", Status(), soon())
        while not channel._waiting:
            await anyio.lowlevel.checkpoint()
        while channel._waiting:
            await anyio.lowlevel.checkpoint()
    await channel.ask(Ping(), NEVER)

    assert isinstance(asked.failures["late"], DeadlineExceeded)
    assert [notice["message"] for notice in daemon.seen] == ["ping"]


async def test_no_two_connections_number_their_requests_alike(
    address: DaemonAddress, daemon: ScriptedDaemon
) -> None:
    """A daemon tells requests apart by their ids, and would stop the other's work."""
    for _ in range(2):
        channel = await opened(address)
        await channel.ask(Ping(), NEVER)
        await channel.aclose()

    assert len({notice["request_id"] for notice in daemon.seen}) == 2
