"""What the fast path thinks of the terminal, and how it writes to it."""

import io
import os
import sys
import threading
from collections.abc import Iterator

import pytest

from ggrep.base.errors import Cancelled
from ggrep.interfaces.cli import terminal as typed
from ggrep.interfaces.entry import plain_terminal as terminal


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue


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
    reports: list[tuple[int, bytes]] = []
    monkeypatch.setattr(terminal, "_write", lambda *given: reports.append(given))

    assert (
        terminal.deliver("out", "err", json=False, colour=False, environ={}, before="doubt") is None
    )
    assert reports == [(2, b"doubt"), (1, b"out"), (2, b"err")]


@pytest.mark.parametrize(
    ("error", "status"), [(BrokenPipeError(), 0), (OSError(28, "full"), 1)], ids=["gone", "full"]
)
def test_a_reader_that_has_gone_away_has_seen_enough(
    monkeypatch: pytest.MonkeyPatch, error: OSError, status: int
) -> None:
    """`ggrep words | head` is no failure; where nothing can be told, the status says it."""
    monkeypatch.setattr(terminal, "_write", _raise(error))

    assert terminal.deliver("out", "err", json=False, colour=False, environ={}) == status


def test_a_stream_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk half a list must not look like all of it."""
    reports: list[bytes] = []

    def write(descriptor: int, data: bytes) -> None:
        if descriptor == 1:
            raise OSError(28, "No space left on device")
        reports.append(data)

    monkeypatch.setattr(terminal, "_write", write)

    assert terminal.deliver("out", "err", json=True, colour=False, environ={}) == 1
    assert reports == [b"error: standard output: No space left on device\n"]


def test_a_failure_begins_as_the_command_line_s_do() -> None:
    for colour in (False, True):
        mark = typed.Style(colour).paint("bad", "error: ")

        assert terminal.failure_mark(colour=colour) == mark
    assert Cancelled.exit_status == 12


def _raise(error: Exception) -> object:
    def raising(*_: object) -> None:
        raise error

    return raising
