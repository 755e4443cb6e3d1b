"""The two streams: always usable, never wider than asked."""

import io
import sys

import pytest
from msgspec.structs import replace

from ggrep.interfaces.cli.terminal import DEFAULT_COLUMNS, open_terminal, show_done


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the caller's own terminal out of it."""
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("named", "columns"),
    [
        ("80", 80),
        ("3", 40),
        ("100000", 240),
        ("", DEFAULT_COLUMNS),
        ("0", DEFAULT_COLUMNS),
        ("wide", DEFAULT_COLUMNS),
    ],
)
def test_columns_are_kept_within_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], named: str, columns: int
) -> None:
    """A width of three shows nothing, one of a million cuts nothing."""
    monkeypatch.setenv("COLUMNS", named)

    assert open_terminal().columns == columns


def test_a_closed_stream_swallows_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ggrep words >&-` has nowhere to write; that is what was asked for."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    terminal = open_terminal()

    terminal.write("text")
    terminal.write_json({}, pretty=False)
    terminal.tell("text")


def test_a_stream_that_cannot_spell_a_character_replaces_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))

    open_terminal().write("a│b")
    sys.stdout.flush()

    assert raw.getvalue() == b"a?b"


def test_what_is_told_is_one_clean_line(capsys: pytest.CaptureFixture[str]) -> None:
    open_terminal().tell("a\x1b[31mb\nc")

    assert capsys.readouterr().err == "ab c\n"


def test_how_many_are_done_is_drawn_on_terminals_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    silent = open_terminal()
    for terminal in (silent, replace(silent, progress=True)):
        with show_done(terminal, "Building", "repositories", 3) as draw:
            draw(2)
        told = capsys.readouterr()
        assert ("2/3 repositories" in told.err) is terminal.progress
        assert told.out == ""
