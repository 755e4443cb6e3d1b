"""Figures that people read at a glance, and text that is never wider than its column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ggrep.interfaces.cli.text_tables import age_text, bytes_text, count_text, pad, plural, shorten


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (12_300, "12 kB"),
        (412_000_000, "412 MB"),
        (2_100_000_000, "2.1 GB"),
    ],
)
def test_bytes_are_in_the_largest_unit(size: int, text: str) -> None:
    """Nobody counts digits."""
    assert bytes_text(size) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (999, "0 s"),
        (59_999, "59 s"),
        (60_000, "1 min"),
        (7_300_000, "2 h"),
        (300_000_000, "3 d"),
    ],
)
def test_times_are_in_the_largest_unit(milliseconds: int, text: str) -> None:
    """Up for 83 hours says less than for three days."""
    assert age_text(milliseconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (9_999, "9999"),
        (10_000, "10.0k"),
        (99_999, "99.9k"),
        (123_456, "123k"),
        (1_200_400, "1.2M"),
        (5_000_000_000, "5.0G"),
    ],
)
def test_counts_are_rounded_down(count: int, text: str) -> None:
    """A counter that has not reached a million does not show one."""
    assert count_text(count) == text


@given(st.integers(0, 10**12))
def test_a_count_takes_five_characters(count: int) -> None:
    """Columns keep still while they are watched."""
    assert len(count_text(count)) <= 5


def test_nouns_follow_their_count() -> None:
    """A single one is not several."""
    assert [plural(n, "query", "queries") for n in (0, 1, 2)] == [
        "0 queries",
        "1 query",
        "2 queries",
    ]


def test_a_long_path_keeps_both_ends() -> None:
    """The last part tells repositories apart, the first says whose they are."""
    assert shorten("/home/anna/projects/company/payments", 20) == "/home/…pany/payments"


@given(st.text(alphabet="ab/日本🙂é", max_size=40), st.integers(0, 30))
def test_shortened_text_is_never_wider(text: str, width: int) -> None:
    """One wide character too many breaks the whole table."""
    assert cell_len(shorten(text, width)) <= width
    assert shorten(text, cell_len(text)) == text


def test_padding_counts_cells() -> None:
    """A wide character takes two."""
    assert [pad("日", 4), pad("日", 4, right=True), pad("long", 2)] == ["日  ", "  日", "long"]
