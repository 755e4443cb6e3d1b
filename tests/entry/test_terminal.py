"""What the fast path thinks of the terminal, and how it writes to it."""

import io
import itertools
import os
import sys
import termios
import threading
from collections.abc import Iterator

import pytest

from ggrep.base.errors import Cancelled
from ggrep.interfaces.cli import terminal as typed
from ggrep.interfaces.entry import plain_terminal as terminal
from ggrep.render.style import wants_colour

VALUES = {
    "NO_COLOR": (None, "", "1"),
    "FORCE_COLOR": (None, "", "1"),
    "CLICOLOR_FORCE": (None, "0", "1"),
    "TERM": (None, "dumb", "xterm"),
}


@pytest.fixture
def tty() -> Iterator[int]:
    """A terminal's descriptor, 100 columns wide."""
    main, side = os.openpty()
    termios.tcsetwinsize(side, (30, 100))
    yield side
    os.close(main)
    os.close(side)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe."""
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue


def test_colour_is_wanted_where_the_command_line_wants_it(tty: int, pipe: tuple[int, int]) -> None:
    """The same search must not look another when a daemon runs."""
    for values in itertools.product(*VALUES.values()):
        given = zip(VALUES, values, strict=True)
        environ = {name: value for name, value in given if value is not None}
        for plain, descriptor in itertools.product((False, True), (tty, pipe[1])):
            expected = wants_colour(environ, plain=plain, terminal=os.isatty(descriptor))

            assert terminal.wants_colour(environ, descriptor, plain=plain) is expected


@pytest.mark.parametrize("named", [None, "", "0", "7", "80", "999", "-5", "x", "٣", "007"])
@pytest.mark.parametrize("on_terminal", [False, True])
def test_lines_are_as_wide_as_the_command_line_makes_them(
    *,
    named: str | None,
    on_terminal: bool,
    tty: int,
    pipe: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`COLUMNS`, else the terminal, within reason."""
    descriptor = tty if on_terminal else pipe[1]
    environ = {} if named is None else {"COLUMNS": named}
    asked = os.get_terminal_size
    monkeypatch.setattr(os, "get_terminal_size", lambda _: asked(descriptor))

    assert terminal.columns(environ) == typed._columns(environ, sys.__stdout__)  # type: ignore[arg-type] # it is there


def test_streams_that_were_replaced_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever captures output would miss what is written past the stream."""
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    assert terminal.are_our_own()

    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not terminal.are_our_own()
    monkeypatch.setattr(sys, "stdout", None)
    assert not terminal.are_our_own()


@pytest.mark.parametrize("blocking", [False, True])
def test_everything_is_written_however_little_is_taken_at_a_time(
    *, blocking: bool, pipe: tuple[int, int]
) -> None:
    """An answer of megabytes fits no pipe, and some are made not to block."""
    reading, writing = pipe
    os.set_blocking(writing, blocking)
    data = os.urandom(1 << 20)
    writer = threading.Thread(target=_write_and_close, args=(writing, data))
    writer.start()

    with open(reading, "rb", closefd=False) as stream:
        taken = stream.read()
    writer.join()

    assert taken == data


def _write_and_close(descriptor: int, data: bytes) -> None:
    terminal._write(descriptor, data)
    os.close(descriptor)


def test_what_comes_first_is_written_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A doubt stands above the hits that it is about."""
    told: list[tuple[int, bytes]] = []
    monkeypatch.setattr(terminal, "_write", lambda *given: told.append(given))

    assert terminal.deliver("out", "err", json=False, colour=False, before="doubt") is None
    assert told == [(2, b"doubt"), (1, b"out"), (2, b"err")]


def test_a_reader_that_has_gone_away_has_seen_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ggrep words | head` is no failure."""
    monkeypatch.setattr(terminal, "_write", _raise(BrokenPipeError()))

    assert terminal.deliver("out", "err", json=False, colour=False) == 0


def test_a_stream_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk half a list must not look like all of it."""
    told: list[bytes] = []

    def write(descriptor: int, data: bytes) -> None:
        if descriptor == 1:
            raise OSError(28, "No space left on device")
        told.append(data)

    monkeypatch.setattr(terminal, "_write", write)

    assert terminal.deliver("out", "err", json=True, colour=False) == 1
    assert told == [b"error: standard output: No space left on device\n"]


def test_where_nothing_can_be_told_the_status_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both streams on one full disk."""
    monkeypatch.setattr(terminal, "_write", _raise(OSError(28, "full")))

    assert terminal.deliver("out", "err", json=False, colour=True) == 1


def test_a_failure_begins_as_the_command_line_s_do() -> None:
    """In colour and without."""
    for colour in (False, True):
        mark = typed.Style(colour).paint("bad", "error: ")

        assert terminal.failure_mark(colour=colour) == mark
    assert Cancelled.exit_status == 12


def _raise(error: Exception) -> object:
    def raising(*_: object) -> None:
        raise error

    return raising
