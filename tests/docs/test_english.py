"""Pages for users, help, messages and docstrings are plain English, as the linter checks it."""

from pathlib import Path

import pytest

from tests.docs.prose import HELP, USER_PAGES, all_texts, faults, misspelt, texts_of


@pytest.mark.deep
def test_sentences_begin_with_their_subject_and_use_plain_words() -> None:
    """`dev.py docs`, which CI runs, checks the same in each run."""
    texts = all_texts()

    assert len(texts) - len(USER_PAGES) - len(HELP) > 5000
    assert faults(texts) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("What is shown depends on it.", 1),
        ("It runs.\nOf these\none ends.", 1),
        ("| `a` | those that end |\n| of | b |", 2),
        ('`what` is code. "Who knows" is quoted. It says what it does.', 0),
        ("```\nWhat is read.\n```\nThe index answers.", 0),
        ("## What is shown\n\nHits.", 0),
        ("Nobody waits.", 1),
        ("- The setting in\n  force wins.", 1),
        ("It is there.\n\n- It stands.", 1),
        ('`in force` is code. "Nobody" is quoted. Outstanding.', 0),
        ("```\nnobody\n```\nThe index answers.", 0),
        ("It is in\n\nforce.", 0),
        ("Lists are on the whitelist.", 1),
        ("It is an added bonus.", 1),
    ],
)
def test_openings_pictures_and_wrong_terms_are_seen(text: str, count: int) -> None:
    seen = faults({"a": "It runs.", "page": text})

    assert [name for name, _, _ in seen] == ["page"] * count


@pytest.mark.parametrize(("text", "seen"), [("It recieves words.", True), ("`teh` word.", False)])
def test_misspelt_words_are_seen(text: str, seen: bool, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(text)

    assert misspelt(tmp_path / "page.md") is seen


def test_texts_are_messages_and_docstrings() -> None:
    source = (
        'def f():\n    """Say it.\n\n    Args:\n        at: of it.\n    """\n    g(f" of {n}")\n'
    )
    source += '    raise E(f"no file {name} here", "code")\n'

    docstring, message = texts_of(source)
    assert docstring[1].endswith("\nof it.\n    ")
    assert message == (8, "no file {} here")
