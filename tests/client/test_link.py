"""A connection: who is at the other end, and which reply belongs to which message."""

import os
import socket
import struct
from dataclasses import replace

import pytest

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import Busy, DeadlineExceeded, Incompatible, InvalidRequest
from ggrep.base.modes import SHARED
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.message_types import Ping
from ggrep.protocol.wire.replies import Reply
from tests.client.conftest import Spot
from tests.entry.fake_daemon import packed, says, welcome

CLOCK = SystemClock()


def connect(spot: Spot) -> Link:
    """Return a connection to the fake."""
    return Link.connect(spot.daemon.address, spot.address.hello, CLOCK)


def ask(spot: Spot, milliseconds: float = 20_000) -> Reply:
    """Return the answer to a question."""
    with connect(spot) as link:
        return link.ask(Ping(), Deadline.after(CLOCK, milliseconds))


def test_both_sides_say_who_they_are(spot: Spot) -> None:
    """The kernel tells the process; all else the daemon says of itself."""
    with connect(spot) as link:
        assert link.pid == os.getpid()
        assert link.welcome.protocol_version == 1
    assert spot.daemon.seen[0]["client_id"] == "c"


def test_nobody_there_is_unreachable(spot: Spot) -> None:
    """Whoever asks may start one."""
    with pytest.raises(Unreachable):
        Link.connect(spot.address.socket, spot.address.hello, CLOCK)


def test_a_socket_that_a_dead_daemon_left_is_unreachable(spot: Spot) -> None:
    """A daemon that was killed cannot remove its socket."""
    spot.open()
    spot.daemon.address.unlink()

    with pytest.raises(Unreachable):
        Link.connect(spot.address.socket, spot.address.hello, CLOCK)


@pytest.mark.parametrize(
    ("greeting", "error"),
    [
        (packed({"error": {"code": "incompatible", "message": "no"}}), Incompatible),
        (packed({"error": {"code": "invalid_request", "message": "no"}}), InvalidRequest),
        (packed(welcome(supported_schema_versions={"status": [1]})), Incompatible),
        (packed(welcome(protocol_version=2, protocol_versions=[2])), Incompatible),
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


@pytest.mark.slow
def test_a_daemon_that_does_not_introduce_itself_is_unreachable(
    spot: Spot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be stopped, and its socket still takes connections."""
    monkeypatch.setattr("ggrep.protocol.client.link.HANDSHAKE_MS", 50)
    spot.daemon.greeting = lambda _: b""

    with pytest.raises(Unreachable, match="answer"):
        connect(spot)


def test_the_reply_that_was_waited_for_is_found_among_others(spot: Spot) -> None:
    """Replies come in any order."""
    spot.daemon.reply = lambda asked: b"".join(
        packed({"request_id": number, "message": "ping", "which": number})
        for number in ("other", asked["request_id"], "later")
    )

    assert ask(spot).body["which"] == spot.daemon.seen[1]["request_id"]


def test_replies_arrive_however_they_are_cut(spot: Spot) -> None:
    """A stream has no frames of its own."""
    spot.daemon.piece = 3
    spot.daemon.reply = lambda asked: packed({**asked, "stale": True})

    assert ask(spot).body["stale"] is True


def test_a_refusal_is_raised_as_what_it_is(spot: Spot) -> None:
    """With all that it says."""
    spot.daemon.reply = lambda asked: packed(
        {**asked, "error": {"code": "busy", "message": "full", "retry_after_ms": 7}}
    )

    with pytest.raises(Busy, match="full") as caught:
        ask(spot)
    assert caught.value.retry_after_ms == 7


def test_a_refusal_of_nothing_in_particular_is_of_what_we_asked(spot: Spot) -> None:
    """A frame that could not be read has no id to answer to."""
    spot.daemon.reply = says({"error": {"code": "invalid_request", "message": "too large"}})

    with pytest.raises(InvalidRequest, match="too large"):
        ask(spot)


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        packed({"message": 5}),
        packed([1]),
        b"\xff\xff\xff\xff",
    ],
)
def test_a_daemon_that_goes_away_or_raves_is_unreachable(spot: Spot, reply: bytes) -> None:
    """The question may be asked of another."""
    spot.daemon.reply = lambda _: reply

    with pytest.raises(Unreachable):
        ask(spot)


def test_a_daemon_is_not_waited_for_without_end(spot: Spot) -> None:
    """It may hang."""
    spot.daemon.reply = says({"request_id": "another", "message": "ping"})
    with connect(spot) as link:
        link.send(Ping())
        assert link.receive(Deadline.after(CLOCK, 20_000)) is not None

    with connect(spot) as link, pytest.raises(DeadlineExceeded):
        link.ask(Ping(), Deadline.after(CLOCK, -1.0))


def test_requests_have_names_of_their_own(spot: Spot) -> None:
    """Of one client's connections too: a daemon tells its requests apart by them."""
    names = []
    for given in ("", "", "named"):
        with connect(spot) as link:
            names.append(link.send(Ping(), given))

    assert len(set(names)) == 3
    assert names[2] == "named"


def test_another_store_is_noticed_on_our_side_too(spot: Spot) -> None:
    """A socket may have been put in another's place."""
    hello = replace(spot.address.hello, config_fingerprint="0" * 64)

    with pytest.raises(InvalidRequest, match="config_fingerprint"):
        Link.connect(spot.daemon.address, hello, CLOCK)


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
