"""The two streams and their figures: usable, and never wider than asked."""

import io
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from ggrep.interfaces.cli.terminal import DEFAULT_COLUMNS, open_terminal, show_done
from ggrep.interfaces.cli.text_tables import age_text, bytes_text, count_text, pad, plural, shorten


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
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
        output = capsys.readouterr()
        assert ("2/3 repositories" in output.err) is terminal.progress
        assert output.out == ""


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (bytes_text, 0, "0 B"),
        (bytes_text, 999, "999 B"),
        (bytes_text, 1_000, "1.0 kB"),
        (bytes_text, 12_300, "12 kB"),
        (bytes_text, 412_000_000, "412 MB"),
        (bytes_text, 2_100_000_000, "2.1 GB"),
        # Up for 83 hours says less than for three days.
        (age_text, 999, "0 s"),
        (age_text, 59_999, "59 s"),
        (age_text, 60_000, "1 min"),
        (age_text, 7_300_000, "2 h"),
        (age_text, 300_000_000, "3 d"),
        # A counter that has not reached a million does not show one.
        (count_text, 9_999, "9999"),
        (count_text, 10_000, "10.0k"),
        (count_text, 99_999, "99.9k"),
        (count_text, 123_456, "123k"),
        (count_text, 1_200_400, "1.2M"),
        (count_text, 5_000_000_000, "5.0G"),
    ],
)
def test_figures_are_in_the_largest_unit_and_counts_rounded_down(
    write: Callable[[int], str], value: int, text: str
) -> None:
    assert write(value) == text


@given(st.integers(0, 10**12))
def test_a_count_takes_five_characters(count: int) -> None:
    assert len(count_text(count)) <= 5


def test_nouns_follow_their_count_and_texts_fit_their_cells() -> None:
    assert [plural(n, "query", "queries") for n in (0, 1, 2)] == [
        "0 queries",
        "1 query",
        "2 queries",
    ]

    assert shorten("/home/anna/projects/company/payments", 20) == "/home/…pany/payments"
    assert [pad("日", 4), pad("日", 4, right=True), pad("long", 2)] == ["日  ", "  日", "long"]


@given(st.text(alphabet="ab/日本🙂é", max_size=40), st.integers(0, 30))
def test_shortened_text_is_never_wider(text: str, width: int) -> None:
    """One wide character too many breaks the whole table."""
    assert cell_len(shorten(text, width)) <= width
    assert shorten(text, cell_len(text)) == text
