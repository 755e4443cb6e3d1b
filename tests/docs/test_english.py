"""Pages for users and pages of help are plain English: sentences start with their subject.

`prose.py` checks words, with a linter.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import SOURCES, page
from tests.docs.prose import (
    HELP,
    USER_PAGES,
    help_text,
    messages,
    misspelt,
    plain_text,
    unplain,
)

OPENINGS = {"what", "who", "whose", "of", "those"}
"""A clause without a head noun makes the reader wait for the subject."""


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of paragraphs, list items and table cells."""
    for line in plain_text(text).splitlines():
        for cell in line.split("|") if line.startswith("|") else [line]:
            for each in re.split(r"(?<=[.!?])\s+|(?<=:)\s+(?=[A-Z])", cell.strip()):
                yield each.lstrip("*-( ")


def faults(text: str) -> list[str]:
    """Return the sentences that begin with one of these words."""
    return [
        sentence
        for sentence in sentences(text)
        if (first := re.match(r"[A-Za-z]+", sentence)) and first[0].lower() in OPENINGS
    ]


@pytest.mark.parametrize("name", USER_PAGES)
def test_sentences_of_a_page_begin_with_their_subject(name: str) -> None:
    assert faults(page(name)) == []


@pytest.mark.parametrize("name", HELP)
def test_sentences_of_a_page_of_help_begin_with_their_subject(name: str) -> None:
    assert faults(help_text(name)) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("What is shown depends on it.", 1),
        ("It runs.\nOf these\none ends.", 1),
        ("| `a` | those that end |\n| of | b |", 2),
        ('`what` is code. "Who knows" is quoted. It says what it does.', 0),
        ("```\nWhat is read.\n```\nThe index answers.", 0),
        ("## What is shown\n\nHits.", 0),
    ],
)
def test_openings_are_seen(text: str, count: int) -> None:
    assert len(faults(text)) == count


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Nobody waits.", True),
        ("- The setting in\n  force wins.", True),
        ("It is there.\n\n- It stands.", True),
        ('`in force` is code. "Nobody" is quoted. Outstanding.', False),
        ("```\nnobody\n```\nThe index answers.", False),
        ("It is in\n\nforce.", False),
    ],
)
def test_words_to_avoid_are_seen(text: str, seen: bool, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(plain_text(text))

    assert unplain(tmp_path) is seen


@pytest.mark.parametrize(("text", "seen"), [("It recieves words.", True), ("`teh` word.", False)])
def test_misspelt_words_are_seen(text: str, seen: bool, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(text)

    assert misspelt(tmp_path) is seen


def test_messages_are_texts_of_several_words() -> None:
    source = 'def f():\n    """Say it."""\n    raise E(f"no file {name} here", "code")\n'

    assert list(messages(source)) == [(3, "no file {} here")]


def test_sentences_of_messages_begin_with_their_subject() -> None:
    """Pieces of longer messages may begin with `of`."""
    texts = [
        (path, text)
        for path in SOURCES
        for _, text in messages(path.read_text(encoding="utf-8"))
        if not text.strip().startswith("of ")
    ]

    assert len(texts) > 2000
    assert [(path, wrong) for path, text in texts if (wrong := faults(text))] == []
