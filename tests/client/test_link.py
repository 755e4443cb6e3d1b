"""A connection: who is at the other end, and which reply belongs to which message."""

import math
import os
import socket
import struct
import threading
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.durable import SHARED
from ggrep.base.errors import Busy, DeadlineExceeded, Incompatible, InvalidRequest
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.link import Link, NoReply, Unreachable, greeting_ms
from ggrep.protocol.wire.messages import Ping, Search
from ggrep.protocol.wire.replies import Reply
from tests.client.conftest import Spot
from tests.entry.fake_daemon import packed, says, welcome

CLOCK = SystemClock()


def connect(spot: Spot) -> Link:
    return Link.connect(spot.daemon.address, spot.address.hello, CLOCK)


def ask(spot: Spot, milliseconds: float = 20_000) -> Reply:
    with connect(spot) as link:
        return link.ask(Ping(), Deadline.after(CLOCK, milliseconds))


def test_both_sides_say_who_they_are(spot: Spot) -> None:
    """The kernel tells the process; all else the daemon says of itself."""
    with connect(spot) as link:
        assert link.pid == os.getpid()
        assert link.welcome.protocol_version == 1
    assert spot.daemon.seen[0]["client_id"] == "c"


def test_nobody_there_is_unreachable(spot: Spot) -> None:
    """A daemon that was killed cannot remove its socket."""
    with pytest.raises(Unreachable):
        Link.connect(spot.address.socket, spot.address.hello, CLOCK)

    spot.open()
    spot.daemon.address.unlink()

    with pytest.raises(Unreachable):
        Link.connect(spot.address.socket, spot.address.hello, CLOCK)


@pytest.mark.parametrize(
    ("greeting", "error"),
    [
        (packed({"error": {"code": "incompatible", "message": "no"}}), Incompatible),
        (packed(welcome(supported_schema_versions={"status": [1]})), Incompatible),
        (packed(welcome(store_id="another")), InvalidRequest),
        (packed({}), InvalidRequest),
    ],
)
def test_a_greeting_that_does_not_suit_ends_it(
    spot: Spot, greeting: bytes, error: type[Exception]
) -> None:
    """Nothing is asked of a daemon that may answer something else."""
    spot.daemon.greeting = lambda _: greeting

    with pytest.raises(error):
        connect(spot)
    assert len(spot.daemon.seen) == 1


def test_a_daemon_that_does_not_introduce_itself_leaves_half_of_the_time(spot: Spot) -> None:
    spot.daemon.greeting = lambda _: (spot.daemon.asked.wait(20) and b"") or b""
    deadline = Deadline.after(CLOCK, 200)

    with pytest.raises(NoReply, match="does not answer") as caught:
        Link.connect(spot.daemon.address, spot.address.hello, CLOCK, deadline)
    spot.daemon.asked.set()
    assert (caught.value.code, caught.value.exit_status) == ("timeout", 11)


@pytest.mark.parametrize(
    ("left_ms", "patience_ms"),
    [(200, 100), (1_000, 500), (4_000, 1_000), (60_000, 5_000), (math.inf, 5_000)],
)
def test_a_greeting_has_a_part_of_the_time(left_ms: float, patience_ms: float) -> None:
    """A busy daemon is waited for, and a stuck one takes no more than half."""
    assert greeting_ms(left_ms) == patience_ms


def test_a_daemon_that_is_stopped_is_known_at_once(
    spot: Spot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its socket still takes connections, and nothing else comes of them."""
    monkeypatch.setattr("ggrep.protocol.client.link.is_stopped", lambda pid: pid == os.getpid())

    with pytest.raises(NoReply, match=f"process {os.getpid()} is suspended"):
        connect(spot)
    assert spot.daemon.seen == []


def test_a_daemon_that_is_stopped_while_it_is_asked_is_known_soon(
    spot: Spot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggrep.protocol.client.link.LOOK_MS", 5)
    over = threading.Event()
    spot.daemon.reply = lambda _: b"" * over.wait(20)
    with connect(spot) as link:
        monkeypatch.setattr("ggrep.protocol.client.link.is_stopped", lambda _: True)
        with pytest.raises(NoReply):
            link.ask(Ping(), Deadline.after(CLOCK, 20_000))
    over.set()


def test_a_daemon_that_accepts_nobody_is_silent(tmp_path: Path, spot: Spot) -> None:
    """As many wait already as the kernel lets; another daemon would not get the socket."""
    path = spot.daemon.address.parent / "full.sock"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waits:
        listener.bind(str(path))
        listener.listen(0)
        waits.connect(str(path))

        with pytest.raises(NoReply, match="does not accept"):
            Link.connect(path, spot.address.hello, CLOCK, Deadline.after(CLOCK, 20))


def test_a_daemon_that_does_not_read_is_silent(spot: Spot) -> None:
    """The socket takes a part of the request, and then no more."""
    over = threading.Event()
    spot.daemon.reply = lambda _: b"" * over.wait(20)
    with connect(spot) as link:
        link.send(Ping(), Deadline.never(CLOCK))
        assert spot.daemon.asked.wait(60)
        large = [Search(SearchRequest("x" * 60_000))] * 20
        soon = Deadline.after(CLOCK, 200)
        with pytest.raises(NoReply, match="does not read"):
            list(map(link.send, large, [soon] * 20))
    over.set()


def test_the_reply_that_was_waited_for_is_found_among_others(spot: Spot) -> None:
    spot.daemon.reply = lambda asked: b"".join(
        packed({"request_id": number, "message": "ping", "which": number})
        for number in ("other", asked["request_id"], "later")
    )

    assert ask(spot).body["which"] == spot.daemon.seen[1]["request_id"]


def test_a_refusal_is_raised_as_what_it_is(spot: Spot) -> None:
    spot.daemon.reply = lambda asked: packed(
        {**asked, "error": {"code": "busy", "message": "full", "retry_after_ms": 7}}
    )

    with pytest.raises(Busy, match="full") as caught:
        ask(spot)
    assert caught.value.retry_after_ms == 7


@pytest.mark.parametrize("reply", [b"", packed([1]), b"\xff\xff\xff\xff"])
def test_a_daemon_that_goes_away_or_raves_is_unreachable(spot: Spot, reply: bytes) -> None:
    spot.daemon.reply = lambda _: reply

    with pytest.raises(Unreachable):
        ask(spot)


def test_a_daemon_is_not_waited_for_without_end(spot: Spot) -> None:
    spot.daemon.reply = says({"request_id": "another", "message": "ping"})
    with connect(spot) as link:
        link.send(Ping(), Deadline.never(CLOCK))
        assert link.receive(Deadline.after(CLOCK, 20_000)) is not None

    with connect(spot) as link, pytest.raises(DeadlineExceeded):
        link.ask(Ping(), Deadline.after(CLOCK, -1.0))


def test_requests_have_names_of_their_own(spot: Spot) -> None:
    """Of one client's connections too: a daemon tells its requests apart by them."""
    names = []
    for _ in range(2):
        with connect(spot) as link:
            names.append(link.send(Ping(), Deadline.never(CLOCK)))

    assert len(set(names)) == 2


@pytest.mark.parametrize("shared", [False, True])
def test_another_users_socket_is_listened_to_in_a_shared_home_alone(
    *, spot: Spot, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    """Anybody may put a socket in a temporary directory and answer searches as he likes."""
    spot.daemon.address.parent.chmod(SHARED.directory if shared else 0o777)
    peer = struct.pack("3i", os.getpid(), os.geteuid() + 1, 0)
    monkeypatch.setattr(socket.socket, "getsockopt", lambda *_: peer, raising=False)

    if shared:
        connect(spot).close()
    else:
        with pytest.raises(Unreachable, match="another user"):
            connect(spot)
    assert len(spot.daemon.seen) == shared
