"""One client starts a daemon; the others are told that somebody does."""

import fcntl
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ggrep import durable
from ggrep.client.starting import Died, NotStarted, start
from tests.client.conftest import Spot

Program = Callable[[str], None]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return what puts a script in the place of the interpreter."""
    script = tmp_path / "python"

    def write(lines: str) -> None:
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(stat.S_IRWXU)

    monkeypatch.setattr("sys.executable", str(script))
    return write


def lock_of(spot: Spot) -> Path:
    """Return the file that who starts a daemon holds."""
    return spot.meeting.socket.with_suffix(".starting")


def test_a_daemon_is_started_as_the_client_would_be(
    spot: Spot, program: Program, tmp_path: Path
) -> None:
    """Same root, flags, variables and home, or it would be another's."""
    said = tmp_path / "said"
    program(f'echo "$@" "$GGREP_X" "$GGREP_HOME" "$PWD" > {said}')
    meeting = replace(spot.meeting, flags={"low_impact": "x", "encoder": "hashed"})

    assert start(meeting, {"GGREP_X": "of the client", "GGREP_HOME": "odd"})
    assert said.read_text().split(" ") == [
        *("-m", "ggrep", "serve", "--background", "--path", str(meeting.identity.root)),
        *("--encoder", "hashed", "--low-impact", "x"),
        *("of", "the", "client", str(meeting.home.base), "/\n"),
    ]
    assert not lock_of(spot).exists()


def test_who_comes_second_does_not_wait(spot: Spot, program: Program) -> None:
    """It looks again in a moment; and leaves the first one's lock where it is."""
    program("exit 1")
    descriptor = durable.open_lock(lock_of(spot))
    with os.fdopen(descriptor, "rb"):
        fcntl.flock(descriptor, fcntl.LOCK_EX)

        assert not start(spot.meeting, {})
        assert lock_of(spot).exists()


def test_the_next_may_try_once_a_starter_died(spot: Spot, program: Program) -> None:
    """The kernel lets go of its lock, whose file stays."""
    program("exit 0")
    lock_of(spot).touch()

    assert start(spot.meeting, {})


def test_a_daemon_that_will_not_start_says_why(spot: Spot, program: Program) -> None:
    """In its own last words, made safe."""
    program("echo 'a note' >&2; printf 'error: no \\033[1mroom\\n' >&2; exit 1")

    with pytest.raises(NotStarted, match=r"did not start: no \S*room") as caught:
        start(spot.meeting, {})
    assert "\x1b" not in str(caught.value)
    assert not isinstance(caught.value, Died)
    assert not lock_of(spot).exists()


@pytest.mark.parametrize("end", ["kill -9 $$", "exit 12"])
def test_a_daemon_that_was_killed_may_be_tried_again(
    spot: Spot, program: Program, end: str
) -> None:
    """The next is not bound to end likewise."""
    program(end)

    with pytest.raises(Died):
        start(spot.meeting, {})


def test_a_place_that_cannot_be_written_is_named(spot: Spot, program: Program) -> None:
    """The search goes on without a daemon."""
    program("exit 0")
    spot.meeting.socket.parent.joinpath("file").touch()
    meeting = replace(spot.meeting, socket=spot.meeting.socket.parent / "file" / "d.sock")

    with pytest.raises(NotStarted, match="no daemon can be started"):
        start(meeting, {})
