"""A plain search is answered by the daemon, or else as if there were none."""

import _socket
import os
import struct
from threading import Event
from typing import Any

import pytest
from msgspec.structs import fields, replace

from ggrep import __version__
from ggrep.base.build import build_id
from ggrep.base.command_time import now_ms
from ggrep.base.errors import Cancelled, DeadlineExceeded
from ggrep.config.settings import client_of
from ggrep.federation.federated_response import failure_json
from ggrep.interfaces import entry
from ggrep.interfaces.entry import fast
from ggrep.model.request import ViewOptions
from ggrep.protocol.wire.handshake import parse_hello
from ggrep.protocol.wire.messages import Line, parse_message
from ggrep.render.failures import query_error
from ggrep.render.printed import json_line, render_failure
from tests.entry.conftest import Printed, Served
from tests.entry.fake_daemon import RENDERED, Reply, fails, packed, prints, says, welcome


def test_what_the_daemon_says_is_printed(served: Served, printed: Printed) -> None:
    assert fast.answer(["search", "words"], now_ms()) == 0
    assert printed == [(1, RENDERED["out"]), (2, RENDERED["err"])]

    served.daemon.piece = 1

    assert fast.answer(["search", "words"], now_ms()) == 0
    assert printed[0] == (1, RENDERED["out"])


def test_the_daemon_is_asked_in_its_own_words(
    served: Served, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The messages are spelled by hand, and are the ones that every client sends."""
    monkeypatch.setenv("GGREP_B", "2 café")
    monkeypatch.setenv("GGREP_A", "")
    monkeypatch.setenv("COLUMNS", "70")

    typed = ["search", "-m5", "--scores", '"quoted" \\ \x01 words', "src"]
    fast.answer(typed, now_ms())
    hello, asked = served.daemon.seen
    line = parse_message(asked).message

    assert parse_hello(hello).client_id == f"cli-{os.getsid(0)}"
    assert parse_hello(hello).build == build_id()
    assert isinstance(line, Line)
    assert line.arguments == tuple(typed)
    assert (line.claim.root, line.claim.build) == (str(served.root), build_id())
    assert line.claim.environ == {
        "GGREP_A": "",
        "GGREP_B": "2 café",
        "GGREP_HOME": str(served.home),
    }
    assert line.render == ViewOptions(json=False, columns=70, cwd=str(served.root))


OF_FLAGS = {"scores", "compact", "explain", "whole", "chunks", "counts"}
"""What a line says of the view by itself."""


def test_all_that_the_terminal_says_is_told_to_the_daemon(served: Served, printed: Printed) -> None:
    """A new field of the view would be left at its default for ever."""
    fast.answer(["search", "words"], now_ms())

    reported = set(served.daemon.seen[1]["render"])
    assert reported == {field.name for field in fields(ViewOptions)} - OF_FLAGS


def test_a_client_says_who_it_is_and_how_urgent(
    served: Served, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fairness counts by name, and work that can wait does."""
    monkeypatch.setenv("GGREP_CLIENT_ID", "agent-7")
    monkeypatch.setenv("GGREP_CLIENT_KIND", "batch")

    fast.answer(["search", "words"], now_ms())
    hello, search = served.daemon.seen

    assert (hello["client_id"], hello["client_kind"]) == ("agent-7", "batch")
    assert search["priority"] == "batch"


@pytest.mark.parametrize("name", [None, "", "agent-7"])
@pytest.mark.parametrize("kind", [None, "", "interactive", "batch"])
def test_clients_are_named_by_one_rule(name: str | None, kind: str | None) -> None:
    """One terminal session must not count as two clients."""
    given = {"GGREP_CLIENT_ID": name, "GGREP_CLIENT_KIND": kind}
    environ = {key: value for key, value in given.items() if value is not None}
    expected = client_of(environ)

    assert fast.client_of(environ) == (expected.name, expected.kind)


@pytest.mark.parametrize("code", ["busy", "timeout", "cancelled", "budget_exceeded"])
def test_a_failure_that_stands_is_printed_as_the_daemon_put_it(
    served: Served, printed: Printed, code: str
) -> None:
    """To ask again in this process would go around the daemon's limits."""
    rendered = {"out": "{}\n", "err": "error: no\n", "exit_status": 10}
    served.daemon.reply = fails(code, rendered=rendered)

    assert fast.answer(["search", "--json", "words"], now_ms()) == 10
    assert printed == [(1, "{}\n"), (2, "error: no\n")]


@pytest.mark.parametrize(
    "reply",
    [
        *(
            fails(code, rendered=RENDERED)
            for code in ("stale_hint", "incompatible", "invalid_request", "no_index", "internal")
        ),
        fails("busy"),
        says({"request_id": "r", "response": {}}),
        says({"request_id": "r", "error": "busy"}),
        prints(exit_status="0"),
        prints(out=None),
        lambda _: b"",
        lambda _: packed({})[:-1],
        lambda _: b"\x00\x00\x00\x00",
        lambda _: b"\xff\xff\xff\xff",
        lambda _: b"\x00\x00\x00\x02[]",
        lambda _: b"\x00\x00\x00\x02{]",
        lambda _: b"\x00\x00\x00\x03{} ",
        lambda _: b"\x00\x00\x00\x02\xff\xff",
        lambda _: b"\x00\x01\x86\xa0" + b"[" * 100_000,
    ],
)
def test_whatever_else_comes_back_is_left_to_the_command_line(
    served: Served, printed: Printed, reply: Reply
) -> None:
    """A wrong hint costs time, never correctness; nothing was printed yet."""
    served.daemon.reply = reply

    assert fast.answer(["search", "words"], now_ms()) is None
    assert printed == []


@pytest.mark.parametrize(
    "other",
    [
        {"store_id": "another"},
        {"config_fingerprint": "0" * 64},
        {"build": "older"},
        {"stale": True},
        {"protocol_version": 2},
        {"error": {"code": "invalid_request", "message": "no"}, "store_id": None},
    ],
)
def test_a_daemon_that_is_not_the_one_that_was_meant_is_not_listened_to(
    served: Served, printed: Printed, other: dict[str, Any]
) -> None:
    """The socket's path may be taken by another store's daemon by now."""
    served.daemon.greeting = says(welcome(**other))

    assert fast.answer(["search", "words"], now_ms()) is None
    assert printed == []


def test_without_a_daemon_nothing_is_printed(served: Served, printed: Printed) -> None:
    """A daemon that was killed leaves its hint and its socket behind."""
    served.daemon.address.unlink()

    assert fast.answer(["search", "words"], now_ms()) is None
    assert printed == []


def test_a_daemon_of_another_build_is_not_asked(served: Served, printed: Printed) -> None:
    """After an upgrade the old daemon is still there."""
    served.daemon.lead(served.home, served.root, build="0.0+1")

    assert fast.answer(["search", "words"], now_ms()) is None
    assert served.daemon.seen == []


@pytest.mark.parametrize(
    ("name", "value", "asked"),
    [
        ("GGREP_OFFLINE", "1", False),
        ("GGREP_OFFLINE", "", True),
        ("HOME", "", False),
        ("GGREP_CLIENT_KIND", "urgent", False),
        ("GGREP_X", os.fsdecode(b"\xff"), False),
    ],
)
def test_an_unusual_environment_is_left_to_the_command_line(
    *,
    served: Served,
    printed: Printed,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    asked: bool,
) -> None:
    """Whoever says offline means no daemon; text that is no UTF-8 has no JSON."""
    monkeypatch.setenv(name, value)

    assert (fast.answer(["search", "words"], now_ms()) is not None) is asked
    assert bool(served.daemon.seen) is asked


def test_on_request_the_exit_status_says_whether_anything_was_found(
    served: Served, printed: Printed
) -> None:
    assert fast.answer(["search", "words", "--exit-status"], now_ms()) == 0

    served.daemon.reply = prints(hits=0, exit_status=1)
    assert fast.answer(["search", "words", "--exit-status"], now_ms()) == 1


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_an_interrupted_search_says_so_as_the_command_line_does(
    served: Served, printed: Printed, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    """Ctrl-C must not start the search over in this process."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(fast, "judged", _interrupt)
    view = ViewOptions(json=bool(flags), notes_colour=True)
    expected = render_failure(Cancelled("interrupted"), view)

    assert fast.answer(["search", "words", *flags], now_ms()) == expected.exit_status
    assert printed == [(1, expected.out), (2, expected.err)]
    assert not render_failure(Cancelled("interrupted"), replace(view, json=False)).out


def test_whatever_is_no_plain_search_goes_to_the_command_line(
    served: Served, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script asks the daemon first, and only where it may."""
    ran: list[list[str]] = []
    monkeypatch.setattr(
        "ggrep.interfaces.cli.app.run", lambda arguments, *_: ran.append(arguments) or 7
    )

    assert entry.main(["words"]) == 0
    assert entry.main(["search", "words"]) == 0
    assert entry.main(["words", "--sync"]) == 7
    assert entry.main(["list"]) == 7
    assert ran == [["search", "words", "--sync"], ["list"]]
    assert len(served.daemon.seen) == 4


def test_captured_output_is_written_by_the_command_line(served: Served) -> None:
    """What is written past the stream would not be captured."""
    assert fast.answer(["search", "words"], now_ms()) is None
    assert served.daemon.seen == []


def test_a_build_is_known_by_version_and_time() -> None:
    version, separator, stamp = build_id().rpartition("+")

    assert (version, separator) == (__version__, "+")
    assert stamp.isdigit()


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_daemon_that_does_not_answer_in_time_is_told_as_the_command_line_does(
    served: Served, printed: Printed, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    """It greeted, so it is the right one: to search again elsewhere would double the time."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(fast, "DEFAULT_TIMEOUT_MS", 400)
    over = Event()
    served.daemon.reply = lambda _: b"" if over.wait(20) else b"x"
    late = DeadlineExceeded("the daemon did not answer in time")

    status = fast.answer(["search", "words", *flags], now_ms())
    over.set()
    late.request_id = served.daemon.seen[1]["request_id"]
    expected = render_failure(late, ViewOptions(json=bool(flags), notes_colour=True))

    assert status == expected.exit_status == 11
    assert [output for output in printed if output[1]] == [
        output for output in ((1, expected.out), (2, expected.err)) if output[1]
    ]


def test_another_users_daemon_is_left_to_the_command_line(
    served: Served, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a trap; `ggrep.interfaces.cli` looks whether the home is shared."""

    class Stranger(_socket.socket):
        def getsockopt(self, *_: object) -> bytes:  # type: ignore[override] # one of its forms
            return struct.pack("3i", os.getpid(), os.geteuid() + 1, 0)

    monkeypatch.setattr("ggrep.interfaces.entry.ask.socket", Stranger)

    assert fast.answer(["search", "words"], now_ms()) is None
    assert printed == []
    assert served.daemon.seen == []


def test_a_failure_has_the_shape_that_the_command_line_gives_it() -> None:
    late = DeadlineExceeded("no time")
    late.request_id = "r1"
    shapes = {
        (): "",
        ("--json",): json_line(query_error(late)),
        ("--json", "--workspace=w"): json_line(failure_json(late, include_paths=False)),
    }
    for arguments, document in shapes.items():
        failed = fast._failed("timeout", "no time", 11, list(arguments), {}, "r1")
        assert failed.out == document
