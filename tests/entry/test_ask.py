"""The fast path's own few lines of the protocol say and understand what a `Connection` does.

It does not load the connection: even the frames and the table of states alone would make every
plain search a thirtieth slower.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.command_time import now_ms
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.interfaces.entry import ask
from ggrep.interfaces.entry.daemon_place import Locator
from ggrep.interfaces.entry.fast import client_of, messages_of, terminal_view
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.connection import (
    ClientConnection,
    DaemonConnection,
    InvalidMessage,
    Lost,
    Role,
    State,
    Step,
    follow,
)
from ggrep.protocol.wire.frames import DEFAULT_MAX_REQUEST_BYTES, frame
from ggrep.protocol.wire.handshake import Hello, Welcome, welcome_json
from ggrep.protocol.wire.messages import Envelope, Line, Search
from ggrep.protocol.wire.replies import Reply, error_json, reply_json
from tests.fakes.effort import examples
from tests.fakes.places import short_directory

HELLO = Hello((1,), "shop-1", "ff", "c1")
OFFER = Welcome(1, (1,), "0.1.0", SCHEMA_VERSIONS, "shop-1", "ff", 7)
CAP = 10 * 1024 * 1024
WELCOME = frame(stable_json.dumps(welcome_json(OFFER)), cap_bytes=CAP)


def asked() -> list[object]:
    locator = Locator("shop-1", "ff", "nowhere", "b1")
    claim: dict[str, object] = {"root": "/r", "environ": {"GGREP_HOME": "/h"}, "build": "b1"}
    line: dict[str, object] = {
        "message": "line",
        "arguments": ["search", "two words", "-m", "5"],
        "render": terminal_view({}, json=False, plain=False),
    }
    return messages_of(line, claim, locator, client_of({}))


def test_a_daemon_reads_the_one_write_of_a_plain_search() -> None:
    """Hello and question, before any welcome: both halves of the table allow it."""
    daemon = DaemonConnection(DEFAULT_MAX_REQUEST_BYTES, CAP)

    daemon.receive(b"".join(map(ask.frame, asked())))
    hello = daemon.next_event()
    assert isinstance(hello, Hello)
    daemon.welcome(hello, OFFER)
    question = daemon.next_event()

    assert hello.store_id == "shop-1"
    assert isinstance(question, Envelope)
    assert isinstance(question.message, Line)
    assert question.message.arguments[1] == "two words"
    assert daemon.next_event() is None
    state = State.GREETING
    for step in (Step.HELLO, Step.REQUEST, Step.WELCOME, Step.REPLY):
        state = follow(Role.CLIENT, state, step)
    assert state is State.OPEN


def test_both_write_the_same_frames_and_have_the_same_bounds() -> None:
    for value in ({"a": ["ü", 1, True]}, {"text": "x" * 1000}):
        assert ask.frame(value) == frame(stable_json.dumps(value), cap_bytes=CAP)  # type: ignore[arg-type] # JSON
    assert ask.MOST_REQUEST_BYTES == DEFAULT_MAX_REQUEST_BYTES
    with pytest.raises(ValueError, match=str(ask.MOST_REQUEST_BYTES + 3)):
        ask.frame("x" * (ask.MOST_REQUEST_BYTES + 1))


@contextmanager
def saying(pieces: list[bytes]) -> Iterator[str]:
    """Listen at an address and say the pieces to whoever connects, then hang up."""
    with short_directory() as base, socket.socket(socket.AF_UNIX) as listener:
        address = str(Path(base) / "s")
        listener.bind(address)
        listener.listen()

        def serve() -> None:
            peer, _ = listener.accept()
            with peer, suppress(OSError):  # who lost the thread hangs up
                for piece in pieces:
                    peer.sendall(piece)
                peer.shutdown(socket.SHUT_WR)
                peer.recv(1)  # until it has closed, too

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield address
        finally:
            thread.join()


def of_fast_path(pieces: list[bytes]) -> list[object]:
    """Return the objects that the fast path understands; None for the first that it does not."""
    seen: list[object] = []
    with saying(pieces) as address:
        until_ms = now_ms() + 60_000
        connection = ask.Connection(address, [], until_ms)
        try:
            seen.append(connection.receive(until_ms))
            seen.append(connection.receive(until_ms))
        except (OSError, ValueError):
            seen.append(None)
        finally:
            connection.close()
    return seen


def of_client(data: bytes) -> list[object]:
    """Return what a `Connection` makes of the same bytes."""
    client = ClientConnection(HELLO, "c")
    client.greet()
    client.receive(data)
    seen: list[object] = []
    welcome = client.next_event()
    if not isinstance(welcome, Welcome):
        return [None]
    client.request(Search(request_of_words()), "r")
    seen.append(welcome_json(welcome))
    event = client.next_event()
    match event:
        case Reply(error=None):
            seen.append(reply_json(event.request_id, event.name, event.body))
        case Reply():
            seen.append({"request_id": event.request_id, "error": dict(event.body)})
        case None | Lost():
            seen.append(None)
    return seen


def request_of_words() -> SearchRequest:
    return SearchRequest("words")


REPLY = reply_json("r", "search", {"rendered": {"out": "é", "err": "", "exit_status": 0}})
SAID = {
    "answer": frame(stable_json.dumps(REPLY), cap_bytes=CAP),
    "failure": frame(stable_json.dumps(error_json("r", InvalidRequest("no"))), cap_bytes=CAP),
    "no object": frame(b"[1]", cap_bytes=CAP),
    "no JSON": frame(b"{", cap_bytes=CAP),
    "no text": frame(b"\xff", cap_bytes=CAP),
    "nothing": b"",
    "half a length": b"\0\0",
    "half a frame": b"\0\0\0\x10{",
    "a length of zero": bytes(4),
    "a length of too much": b"\xff\xff\xff\xff",
}


@pytest.mark.slow
@settings(max_examples=examples(60, 300))
@given(
    first=st.sampled_from(["welcome"] * 10 + sorted(SAID)),
    second=st.sampled_from(sorted(SAID)),
    cut=st.integers(0, 600),
)
def test_both_understand_the_same_of_a_daemon(first: str, second: str, cut: int) -> None:
    """However its bytes are cut; where one loses the thread, so does the other."""
    data = (WELCOME if first == "welcome" else SAID[first]) + SAID[second]
    expected = of_client(data)

    result = of_fast_path([data[:cut], data[cut:]])

    if expected == [None]:
        # Who greets with something else is found out by whoever compares it with the hint.
        assert result[-1] is None or result[0] != welcome_json(OFFER)
    else:
        assert result == expected


def test_a_misfit_ends_a_plain_search_without_a_word() -> None:
    """The daemon's refusal is an object like any other, and no welcome."""
    daemon = DaemonConnection(DEFAULT_MAX_REQUEST_BYTES, CAP)
    daemon.receive(bytes(4))
    misfit = daemon.next_event()
    assert isinstance(misfit, InvalidMessage)

    (refused, *_) = of_fast_path([daemon.refuse(misfit)])

    assert refused == error_json("", misfit.error)
