"""The first words of documentation comments."""

import pytest

from training.encoder.doc_summaries import summary_of


@pytest.mark.parametrize(
    ("raw", "first"),
    [
        ('"""Return the name of a file."""', "Return the name of a file"),
        ("/// Counts [words](url) in `text`.", "Counts words in text"),
        ("/** @brief Opens a file, e.g. a log. More. */", "Opens a file, e.g. a log"),
        ("# Sends +Money+ to the bank", "Sends Money to the bank"),
        ("-- | Like 'map' but in reverse order.", "Like map but in reverse order"),
        ('r"""Use :class:`~a.b.Thing` for pictures."""', "Use a.b.Thing for pictures"),
        ("/**\n * @return the number of open files\n */", "returns the number of open files"),
        ("// Purpose: keeps every session in memory", "keeps every session in memory"),
        ("// settings.swift\n// Reads the user's settings", "Reads the user's settings"),
    ],
)
def test_the_first_sentence_is_told_without_markup(raw: str, first: str) -> None:
    """Nobody types marks of a documentation tool."""
    assert summary_of(raw).first == first


@pytest.mark.parametrize(
    "raw",
    [
        "// Copyright 2020 Somebody, all of it",
        "// TODO write something useful here",
        "// eslint-disable-next-line no-console at all",
        "// a = b + c; d = e;",
        "// Adapted from somebody's other program",
        "// 数を数える関数です",
    ],
)
def test_what_is_no_phrase_says_nothing(raw: str) -> None:
    """It would be learnt as if it were a question."""
    assert not summary_of(raw).first


def test_the_description_ends_where_parameters_begin() -> None:
    """They are named in the code already."""
    raw = '''"""Return a list.

    It is sorted by size and then by name.

    Args:
        size: most of it.
    """'''

    assert summary_of(raw).rest == "It is sorted by size and then by name"


def test_long_sentences_are_clipped() -> None:
    """Questions are short."""
    raw = "// " + " ".join(f"word{chr(97 + at % 26)}x{chr(97 + at // 26)}" for at in range(90))

    assert len(summary_of(raw).first.split()) == 40
