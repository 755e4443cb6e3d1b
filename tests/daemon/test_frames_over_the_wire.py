"""Whatever bytes come, the daemon answers or lets go, and serves the others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggrep.protocol.wire.frames import frame
from ggrep.protocol.wire.messages import Ping
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.wires import Wire


@pytest.fixture
def host(lasting_host: Served) -> Served:
    """Return a daemon that serves the small tree, and the tests before and after."""
    return lasting_host


@pytest.fixture
def wire(host: Served) -> Iterator[Wire]:
    """Return a connection to it that has introduced itself."""
    with Wire.greeted(host.address.socket, host.address.hello) as result:
        yield result


def is_served(host: Served) -> bool:
    return host.ask(Ping()).name == "ping"


@pytest.mark.parametrize(
    ("size", "named"),
    [(b"\xff\xff\xff\xff", "1048576"), (b"\x00\x10\x00\x01", "1048576"), (bytes(4), "")],
)
def test_a_bad_frame_length_is_refused(host: Served, wire: Wire, size: bytes, named: str) -> None:
    """Not a byte of it has to come, and where the next frame begins is unknown."""
    wire.send_bytes(size)
    error = wire.next()["error"]

    assert error["code"] == "invalid_request"
    assert named in error["message"]
    assert wire.ends()
    assert is_served(host)


def test_the_bound_of_a_request_is_a_setting(indexed: Path, home: Path) -> None:
    """An operator may want it narrower."""
    with (
        served(indexed, home, flags={**FLAGS, "max_request_bytes": 4096}) as host,
        Wire.greeted(host.address.socket, host.address.hello) as wire,
    ):
        wire.send_bytes((4097).to_bytes(4, "big"))

        assert "4096" in wire.next()["error"]["message"]


def test_an_oversized_frame_before_the_handshake_is_refused_as_well(host: Served) -> None:
    with Wire(host.address.socket) as wire:
        wire.send_bytes(b"\x7f\xff\xff\xff")

        assert wire.next()["error"]["code"] == "invalid_request"
        assert wire.ends()


def test_what_came_whole_before_a_bad_length_is_answered(wire: Wire) -> None:
    whole = frame(b'{"message":"ping","request_id":"good"}', cap_bytes=100)
    wire.send_bytes(whole + b"\xff\xff\xff\xff")
    reports = [wire.next(), wire.next()]

    assert {"good"} == {reply["request_id"] for reply in reports if "error" not in reply}
    assert wire.ends()


@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b"\xff\xfe",
        b"nothing",
        b"[]",
        b"null",
        b'{"a":' * 100 + b"1" + b"}" * 100,
        b'{"message":NaN}',
        b"\0" * 64,
    ],
)
def test_what_is_no_object_is_refused_and_the_connection_lives(wire: Wire, payload: bytes) -> None:
    """Frames tell where the next one begins, whatever is in this one."""
    wire.send_payload(payload)
    error = wire.next()["error"]
    wire.send_message("after", Ping())

    assert error["code"] == "invalid_request"
    assert wire.next()["request_id"] == "after"


@pytest.mark.parametrize(
    "body",
    [
        {"message": "launch"},
        {"message": ""},
        {"message": 7},
        {"message": ["search"]},
        {},
        {"message": "search"},
        {"message": "search", "request": []},
        {"message": "search", "request": {}},
        {"message": "search", "request": {"query": 1}},
        {"message": "search", "request": {"query": "a", "limit": "ten"}},
        {"message": "search", "request": {"query": "a", "limit": -1}},
        {"message": "search", "request": {"query": "a", "mode": "odd"}},
        {"message": "search", "request": {"query": ""}},
        {"message": "search", "request": {"query": "a", "scope": "../.."}},
        {"message": "search", "request": {"query": "a", "scope": "/etc"}},
        {"message": "search", "request": {"query": "a", "timeout_ms": 10**12}},
        {"message": "search", "request": {"query": "a"}, "priority": "first"},
        {"message": "search", "request": {"query": "a"}, "budgets": {"nonsense": 1}},
        {"message": "health", "deep": "yes"},
        {"message": "sync", "timeout_ms": -1},
        {"message": "cancel"},
        {"message": "cancel", "target": {}},
        {"message": "encode", "request": {"text": 3}},
        {"message": "pool", "request": {"search": {"query": "a"}, "per_list": 0}},
    ],
)
def test_a_bad_message_is_refused_by_its_id(host: Served, wire: Wire, body: dict[str, Any]) -> None:
    """The client may have a hundred others on their way."""
    wire.send(body | {"request_id": "odd-one"})
    reply = wire.next()

    assert reply["request_id"] == "odd-one"
    assert reply["error"]["code"] == "invalid_request"
    assert is_served(host)


def test_fields_that_nobody_knows_are_passed_over(wire: Wire) -> None:
    wire.send({"message": "ping", "request_id": "1", "colour": "red", "nested": {"a": [1]}})

    assert wire.next()["message"] == "ping"


@pytest.mark.parametrize("request_id", ["", "a b", "x" * 65, "sync", "ä", 7, None])
def test_an_id_that_is_none_is_refused(wire: Wire, request_id: object) -> None:
    wire.send({"message": "ping", "request_id": request_id})
    reply = wire.next()

    assert reply["error"]["code"] == "invalid_request"
    assert "request_id" not in reply


def test_who_sends_no_id_gets_one_of_his_own_each_time(wire: Wire) -> None:
    """Logs name requests by it."""
    ids = set()
    for _ in range(3):
        wire.send({"message": "ping"})
        ids.add(wire.next()["request_id"])

    assert len(ids) == 3
    assert {len(each) for each in ids} == {26}


def test_the_daemon_names_a_search_in_its_document_by_the_id_it_answers_to(wire: Wire) -> None:
    """One name for one request, wherever it is told."""
    wire.send({"message": "search", "request": {"query": "settle"}, "request_id": "mine"})
    given = wire.next()
    wire.send({"message": "search", "request": {"query": "settle"}})
    made = wire.next()

    assert given["request_id"] == given["response"]["request_id"] == "mine"
    assert made["request_id"] == made["response"]["request_id"] != "mine"


def test_a_frame_may_come_byte_by_byte(wire: Wire) -> None:
    data = frame(b'{"message":"ping","request_id":"slow"}', cap_bytes=100)
    for index in range(len(data)):
        wire.send_bytes(data[index : index + 1])

    assert wire.next()["request_id"] == "slow"


def test_many_requests_in_one_piece_are_all_answered(wire: Wire) -> None:
    """Replies come in any order, each by its id."""
    frames = [
        frame(b'{"message":"ping","request_id":"%d"}' % number, cap_bytes=100)
        for number in range(50)
    ]
    wire.send_bytes(b"".join(frames))

    assert {wire.next()["request_id"] for _ in frames} == {str(number) for number in range(50)}


@pytest.mark.parametrize("part", [b"\0", b"\0\0\0", b"\0\0\0\x10", b'\0\0\0\x10{"mess'])
def test_a_frame_that_stays_unfinished_ends_the_connection_and_holds_no_place(
    host: Served, wire: Wire, part: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that drips must not keep anybody from asking."""
    monkeypatch.setattr("ggrep.daemon.session.FRAME_S", 0.05)
    wire.send_bytes(part)
    kept = host.call(host.daemon.admission.statistics)

    assert (kept.in_flight, kept.queue_depth) == (0, 0)
    assert wire.ends()
    assert is_served(host)


def test_a_silent_client_stays(host: Served, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a frame that has begun is in a hurry: an editor may ask once an hour."""
    monkeypatch.setattr("ggrep.daemon.session.FRAME_S", 0.0)
    monkeypatch.setattr("ggrep.daemon.session.HANDSHAKE_S", 0.0)
    assert is_served_by(wire, "1")
    assert is_served_by(wire, "2")


def is_served_by(wire: Wire, request_id: str) -> bool:
    wire.send_message(request_id, Ping())
    return bool(wire.next()["request_id"] == request_id)


def test_who_goes_away_within_a_frame_takes_nobody_along(host: Served) -> None:
    """Clients are killed all the time."""
    for part in (b"", b"\0\0", b"\0\0\0\x10{"):
        with Wire(host.address.socket) as wire:
            wire.send_bytes(part)

    host.eventually(lambda: host.daemon.connections == 0)
    assert is_served(host)
