"""A connection without a socket: each state takes what the table says, however bytes are cut."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import Busy, GgrepError, Incompatible, InvalidRequest
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.model.request import EncodeRequest
from ggrep.protocol.wire.connection import (
    TABLE,
    ClientConnection,
    Connection,
    DaemonConnection,
    InvalidMessage,
    Lost,
    OutOfTurn,
    Role,
    State,
    Step,
    follow,
)
from ggrep.protocol.wire.frames import frame
from ggrep.protocol.wire.handshake import Hello, Welcome, hello_json, welcome_json
from ggrep.protocol.wire.messages import Envelope, Fetch, Ping
from ggrep.protocol.wire.replies import Reply, error_json, reply_json

CAP = 4_096
HELLO = Hello((1,), "shop-1", "ff", "c1")
OFFER = Welcome(1, (1,), "0.1.0", SCHEMA_VERSIONS, "shop-1", "ff", 7)
NO = InvalidRequest("no")


def framed(document: Any) -> bytes:
    """Return anything that has JSON as a frame."""
    return frame(stable_json.dumps(document), cap_bytes=CAP)


SAID = {
    "hello": framed(hello_json(HELLO)),
    "request": framed({"message": "ping", "request_id": "a"}),
    "welcome": framed(welcome_json(OFFER)),
    "reply": framed({"message": "ping", "request_id": "a"}),
    "refusal": framed(error_json("", NO)),
    "garbled": framed([1]),
    "unframed": bytes(4),
}
"""What the other end may say, as bytes."""

CLIENT_WALK = """
            greeting greeted open   closed
greet       greeted  -       -      -
ask         -        greeted open   -
close       closed   closed  closed closed
welcome     .        open    closed .
reply       .        closed  open   .
refusal     .        closed  closed .
garbled     .        closed  closed .
unframed    .        closed  closed .
"""
"""The state after each act; `-` is out of turn, at `.` bytes are kept and nothing is taken."""

DAEMON_WALK = """
            greeting greeted open    ending closed
hello       greeted  .       greeted .      .
request     greeted  .       open    .      .
garbled     greeted  .       open    .      .
unframed    ending   .       ending  .      .
answer      -        open    -       -      -
say         -        -       open    ending -
refuse      -        closed  open    closed -
close       closed   closed  closed  closed closed
"""


def walk(table: str) -> list[tuple[str, str, str]]:
    """Return state, act and outcome of each field of a table."""
    head, *rows = (line.split() for line in table.strip().splitlines())
    return [(state, act, to) for act, *row in rows for state, to in zip(head, row, strict=True)]


def client_at(state: str) -> ClientConnection:
    """Return a client's connection in a state."""
    connection = ClientConnection(HELLO, "c")
    if state != "greeting":
        connection.greet()
    if state in {"open", "closed"}:
        connection.receive(SAID["welcome"])
        assert isinstance(connection.next_event(), Welcome)
    if state == "closed":
        connection.close()
    assert connection.state is State(state)
    return connection


def daemon_at(state: str) -> DaemonConnection:
    """Return a daemon's connection in a state."""
    connection = DaemonConnection(CAP, CAP)
    if state != "greeting":
        connection.receive(SAID["hello"])
        assert connection.next_event() == HELLO
    if state not in {"greeting", "greeted"}:
        connection.welcome(HELLO, OFFER)
    if state == "ending":
        connection.receive(SAID["unframed"])
        assert isinstance(connection.next_event(), InvalidMessage)
    if state == "closed":
        connection.close()
    assert connection.state is State(state)
    return connection


def act_on(connection: Connection, act: str) -> object:
    """Do one thing to a connection; return what came of it."""
    match connection:
        case ClientConnection():
            ours: dict[str, Any] = {
                "greet": connection.greet,
                "ask": lambda: connection.request(Ping()),
            }
        case DaemonConnection():
            ours = {
                "answer": lambda: connection.welcome(HELLO, OFFER),
                "say": lambda: connection.reply(reply_json("a", "ping", {})),
                "refuse": lambda: connection.refuse(InvalidMessage(NO)),
            }
    ours["close"] = connection.close
    if act in ours:
        return ours[act]()
    connection.receive(SAID[act])
    return connection.next_event()  # type: ignore[attr-defined] # both have one


@pytest.mark.parametrize(("state", "act", "to"), walk(CLIENT_WALK))
def test_a_client_does_and_takes_what_its_state_allows(state: str, act: str, to: str) -> None:
    step(client_at(state), state, act, to)


@pytest.mark.parametrize(("state", "act", "to"), walk(DAEMON_WALK))
def test_a_daemon_does_and_takes_what_its_state_allows(state: str, act: str, to: str) -> None:
    """Whoever sends what is out of turn would be answered under the wrong name."""
    step(daemon_at(state), state, act, to)


def step(connection: Connection, state: str, act: str, to: str) -> None:
    """Do one thing to a connection and see to it that the outcome is as it was told."""
    if to == "-":
        with pytest.raises(OutOfTurn):
            act_on(connection, act)
    else:
        came = act_on(connection, act)
        assert to != "." or came is None
    assert connection.state is State(state if to in "-." else to)


@pytest.mark.parametrize("role", Role)
def test_every_state_has_its_row_and_only_known_steps_lead_on(role: Role) -> None:
    """Beside the walks: steps that no act of theirs reaches are refused as well."""
    assert set(TABLE[role]) == set(State)
    for state in State:
        for taken in Step:
            if taken in TABLE[role][state]:
                assert follow(role, state, taken) is TABLE[role][state][taken]
            else:
                with pytest.raises(OutOfTurn, match=f"unexpected {taken.value}"):
                    follow(role, state, taken)


def test_the_page_has_the_table_of_the_code() -> None:
    page = Path(__file__).parents[2] / "docs/impl/protocol.md"
    rows = re.findall(r"^\| (client|daemon) \| (\w+) \| (.*?) ?\|$", page.read_text(), re.MULTILINE)

    reported = {(role, state): steps for role, state, steps in rows}

    assert reported == {
        (role.value, state.value): ", ".join(f"{step.name} {to.value}" for step, to in row.items())
        for role, states in TABLE.items()
        for state, row in states.items()
    }


def test_nothing_leads_back_from_the_end() -> None:
    for role in Role:
        assert set(TABLE[role][State.CLOSED].values()) == {State.CLOSED}
        assert set(TABLE[role][State.ENDING].values()) <= {State.ENDING, State.CLOSED}


def pumped(client: ClientConnection, daemon: DaemonConnection, data: bytes) -> list[object]:
    """Give the daemon a client's bytes and the client what it answers; return both's events."""
    seen: list[object] = []
    daemon.receive(data)
    while (event := daemon.next_event()) is not None:
        seen.append(event)
        match event:
            case Hello():
                client.receive(daemon.welcome(event, OFFER))
            case InvalidMessage():
                client.receive(daemon.refuse(event))
            case Envelope(request_id, name):
                client.receive(daemon.reply(reply_json(request_id, name, {"well": True})))
    while (reported := client.next_event()) is not None:
        seen.append(reported)
    return seen


def test_two_connections_hold_a_conversation() -> None:
    client, daemon = ClientConnection(HELLO, "c"), DaemonConnection(CAP, CAP)

    greeted = pumped(client, daemon, client.greet())
    first, data = client.request(Ping(), caller="me")
    second, more = client.request(Fetch(EncodeRequest("text")))
    answered = pumped(client, daemon, data + more)
    cancelled = pumped(client, daemon, client.cancel("c-9"))

    assert greeted == [HELLO, OFFER]
    assert (first, second) == ("c-1", "c-2")
    assert answered == [
        Envelope("c-1", "ping", Ping(), "me"),
        Envelope("c-2", "encode", Fetch(EncodeRequest("text"))),
        Reply("c-1", "ping", {"well": True}),
        Reply("c-2", "encode", {"well": True}),
    ]
    assert [type(event) for event in cancelled] == [Envelope, Reply]
    assert (client.state, daemon.state) == (State.OPEN, State.OPEN)
    assert daemon.hello == HELLO


def test_a_question_may_come_with_the_hello() -> None:
    client, daemon = ClientConnection(HELLO, "c"), DaemonConnection(CAP, CAP)

    data = client.greet() + client.request(Ping())[1]
    seen = pumped(client, daemon, data)

    assert seen == [
        HELLO,
        Envelope("c-1", "ping", Ping()),
        OFFER,
        Reply("c-1", "ping", {"well": True}),
    ]


def test_another_store_is_refused_and_nothing_behind_the_hello_is_taken() -> None:
    client = ClientConnection(Hello((1,), "other", "ff"), "c")
    daemon = DaemonConnection(CAP, CAP)

    data = client.greet() + client.request(Ping())[1]
    hello, refused = pumped(client, daemon, data)

    assert isinstance(hello, Hello)
    assert isinstance(refused, InvalidRequest)
    assert "store_id mismatch" in str(refused)
    assert (client.state, daemon.state) == (State.CLOSED, State.CLOSED)
    assert daemon.hello is None
    assert client.lost


def test_a_daemon_that_does_not_suit_is_not_asked() -> None:
    """The client checks again what the daemon said it checked."""
    client = client_at("greeted")

    client.receive(framed(welcome_json(OFFER) | {"supported_schema_versions": {"status": [1]}}))

    assert isinstance(client.next_event(), Incompatible)
    assert client.state is State.CLOSED


def test_a_later_hello_is_another_client_from_then_on() -> None:
    """By the same rules as the first; one that does not fit ends the connection."""
    daemon = daemon_at("open")
    other = Hello((1,), "shop-1", "ff", "c2")

    daemon.receive(framed(hello_json(other)) + framed({"message": "hello"}))
    assert daemon.next_event() == other
    daemon.welcome(other, OFFER)
    assert daemon.hello == other
    misfit = daemon.next_event()

    assert isinstance(misfit, InvalidMessage)
    assert misfit.request_id == ""
    daemon.refuse(misfit)
    assert daemon.state is State.CLOSED


def test_what_came_before_a_bad_length_is_taken_first_and_answered_last() -> None:
    """It was asked in good order; nothing behind the length is looked at."""
    daemon = daemon_at("open")

    daemon.receive(SAID["request"] + b"\xff\xff\xff\xff" + SAID["request"])
    asked, misfit = daemon.next_event(), daemon.next_event()
    replied = daemon.reply(reply_json("a", "ping", {}))
    assert isinstance(misfit, InvalidMessage)
    refused = daemon.refuse(misfit)

    assert isinstance(asked, Envelope)
    assert str(misfit.error) == f"frame: 4294967295 bytes are more than the maximum of {CAP}"
    client = client_at("open")
    client.request(Ping(), "a")
    client.receive(replied + refused)
    assert isinstance(client.next_event(), Reply)
    assert client.next_event() == Lost(f"the daemon refused a request: {misfit.error}")


def test_a_misfit_keeps_the_id_that_it_has() -> None:
    """The client may have a hundred others on their way."""
    daemon = daemon_at("open")

    daemon.receive(framed({"message": "launch", "request_id": "odd"}) + SAID["garbled"])
    results = [daemon.next_event(), daemon.next_event()]

    assert [event.request_id for event in results if isinstance(event, InvalidMessage)] == [
        "odd",
        "",
    ]
    assert daemon.state is State.OPEN


def test_a_refusal_without_an_id_is_of_the_one_request_there_is() -> None:
    """A frame that could not be read has no id to answer to."""
    client = client_at("open")
    wanted, _ = client.request(Ping())

    client.receive(SAID["refusal"])
    reply = client.next_event()

    assert isinstance(reply, Reply)
    assert reply.request_id == wanted
    assert isinstance(reply.error, GgrepError)
    assert client.state is State.OPEN


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_refusal_without_an_id_of_several_requests_ends_it(*, forgotten: bool) -> None:
    """To tell the wrong one would be worse; one that nobody waits for is none."""
    client = client_at("open")
    wanted, _ = client.request(Ping())
    other, _ = client.request(Ping())
    if forgotten:
        client.cancel(other)

    client.receive(SAID["refusal"])
    event = client.next_event()

    if forgotten:
        assert isinstance(event, Reply)
        assert event.request_id == wanted
    else:
        assert event == Lost("the daemon refused a request: no")
        assert client.lost == "the daemon refused a request: no"


def test_the_first_reason_stays() -> None:
    client = client_at("open")

    client.close("the connection was closed")
    client.close()

    assert client.lost == "the connection was closed"


def test_an_answer_that_is_too_large_is_refused_with_the_way_out() -> None:
    daemon, client = daemon_at("open"), client_at("open")
    body = reply_json("a", "ping", {"text": ""})
    room = CAP - len(stable_json.dumps(body))

    for text in ("x" * room, "x" * (room + 1)):
        client.receive(daemon.reply(reply_json("a", "ping", {"text": text})))
    fits, refused = client.next_event(), client.next_event()

    assert isinstance(fits, Reply)
    assert fits.error is None
    assert isinstance(refused, Reply)
    assert f"max_response_bytes ({CAP})" in str(refused.error)


def test_what_cannot_be_asked_changes_nothing() -> None:
    """The next request is made as if it had not been."""
    client = client_at("open")

    with pytest.raises(InvalidRequest):
        client.request(Fetch(EncodeRequest("\ud800")))
    with pytest.raises(InvalidRequest, match="more than the maximum"):
        client.request(Fetch(EncodeRequest("x" * (16 << 20))))

    wanted, _ = client.request(Ping())
    client.receive(SAID["refusal"])
    event = client.next_event()
    assert isinstance(event, Reply)
    assert event.request_id == wanted


def transcript(connection: Connection, pieces: list[bytes]) -> list[object]:
    """Return all events, what is answered to them, and the state that is left."""
    seen: list[object] = []
    for piece in pieces:
        connection.receive(piece)
        while (event := connection.next_event()) is not None:  # type: ignore[attr-defined] # both
            seen.append(repr(event))
            if isinstance(connection, DaemonConnection):
                seen.append(answer(connection, event))
    return [*seen, connection.state]


def answer(daemon: DaemonConnection, event: object) -> bytes:
    """Return what a daemon says to an event."""
    match event:
        case Hello():
            return daemon.welcome(event, OFFER)
        case InvalidMessage():
            return daemon.refuse(event)
        case Envelope(request_id) if request_id == "busy":
            return daemon.refuse(InvalidMessage(Busy(retry_after_ms=5), request_id))
        case _:
            return daemon.reply(reply_json("x", "ping", {}))


CUTS = st.lists(st.integers(0, 900), max_size=12)
CLIENT_SAYS = st.lists(
    st.sampled_from(
        [
            SAID["hello"],
            SAID["request"],
            SAID["garbled"],
            framed({"message": "ping", "request_id": "busy"}),
            framed({"message": "launch", "request_id": "odd"}),
            framed({"message": "hello"}),
            frame(b"\xff{", cap_bytes=CAP),
            SAID["unframed"],
            b"\x7f\xff\xff\xff",
            b"\0\0\0\x10{",
        ]
    ),
    max_size=8,
)
DAEMON_SAYS = st.lists(
    st.sampled_from(
        [
            SAID["reply"],
            SAID["refusal"],
            SAID["garbled"],
            framed({"request_id": "a", "error": {"code": "busy", "message": "full"}}),
            framed({"message": 5}),
            SAID["unframed"],
            b"\0\0\0\x10{",
        ]
    ),
    max_size=8,
)


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


@given(first=st.booleans(), said=CLIENT_SAYS, cuts=CUTS)
def test_a_daemon_sees_the_same_however_bytes_are_cut(
    first: bool,
    said: list[bytes],
    cuts: list[int],
) -> None:
    data = b"".join([SAID["hello"]] * first + said)

    whole = transcript(DaemonConnection(CAP, CAP), [data])

    assert transcript(DaemonConnection(CAP, CAP), pieces_of(data, cuts)) == whole


@given(said=DAEMON_SAYS, asked=st.integers(0, 2), cuts=CUTS)
def test_a_client_sees_the_same_however_bytes_are_cut(
    said: list[bytes], asked: int, cuts: list[int]
) -> None:
    """A reply in good order is not lost for what came right behind it."""
    data = b"".join([SAID["welcome"], *said])

    def client() -> ClientConnection:
        connection = client_at("greeted")
        for number in range(asked):
            connection.request(Ping(), "ab"[number])
        return connection

    whole = transcript(client(), [data])

    assert transcript(client(), pieces_of(data, cuts)) == whole
