"""What READMEs and packages say first of themselves."""

import pytest

from ggrep.search.tour.sentences import readme_says, source_says


@pytest.mark.parametrize(
    ("text", "output", "line"),
    [
        ("# A\n\nA counts all the money. Fast.\nMore.\n", "A counts all the money. Fast.", 3),
        ("A\n=\n\nA counts `all` **the** money.\n", "A counts all the money.", 4),
        (
            "# A\n\n[![CI\nx](https://a/b.svg)](https://a)\n[![D](e)][f]\n\n"
            "[A](https://a) counts all the money.\n",
            "A counts all the money.",
            7,
        ),
        ("<p>\n<img src='a'>\n</p>\n\nA counts all the money.\n", "A counts all the money.", 5),
        ("```\nwhat a lot of code\n```\n\nA counts all the money.\n", "A counts all the money.", 5),
        ("This README is short and says little.\n\nA counts all the money.\n", None, 3),
        ("Copyright 2020 by all of us here.\n\nA counts all the money.\n", None, 3),
        ("Run the following command:\n\n    a\n\nA counts all the money.\n", None, 5),
        ("[See full documentation](https://a)\n\nA counts all the money.\n", None, 3),
        ("\u27a4 See the full documentation at https://a.\n\nA counts all the money.\n", None, 3),
        ("**Full documentation is at** https://a.b\n\nA counts all the money.\n", None, 3),
        (
            "[Home page](a) | [Live demo](b) | [Bug tracker](c)\n\nA counts all the money.\n",
            None,
            3,
        ),
        (
            "\U0001f44c Easy to use\n\U0001f485 Fancy output for all\n\nA counts all the money.\n",
            None,
            4,
        ),
        ("Read the docs on https://a.b.\n\nA counts all the money.\n", None, 3),
        ("# A - counts all the money.\n\nMore of it is said here.\n", "counts all the money.", 1),
        ("    A counts all the money.\n\nMore.\n", "A counts all the money.", 1),
        ("# A\n\nYou will need to install b first.\n\nA counts all the money.\n", None, 5),
        ("A counts all the money. It has:\n\n- parts\n", "A counts all the money.", 1),
        (".. image:: a\n\n`A <https://a>`_ counts all the money.\n", None, 3),
    ],
)
def test_a_readme_begins_with_its_first_prose(text: str, output: str | None, line: int) -> None:
    """Not with badges, titles, code or what is said of the README itself."""
    result = readme_says(text)

    assert result is not None
    assert (result.text, result.line) == (output or "A counts all the money.", line)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A\n\n## B\n\n## C\n\nThe demo counts all the money.\n",
        "# A\n",
        "- a b c d\n",
        "[![CI](https://a)](https://b)\n",
    ],
)
def test_a_readme_without_prose_says_nothing(text: str) -> None:
    """And nobody else speaks for it."""
    assert readme_says(text) is None


def test_a_long_sentence_is_cut() -> None:
    """The bytes of a tour are few."""
    result = readme_says("Word " * 200, 40)

    assert result is not None
    assert len(result.text) <= 40
    assert result.text.endswith("…")


@pytest.mark.parametrize(
    ("language", "text", "output", "line"),
    [
        ("python", '# x\n"""Counts money. Fast."""\n', "Counts money.", 2),
        ("python", '"""\nCounts\nmoney.\n\nMore.\n"""\n', "Counts money.", 2),
        ("go", "// Copyright x\n\n// Package a counts.\npackage a\n", "Package a counts.", 3),
        ("rust", "//! Counts money.\n\nfn a() {}\n", "Counts money.", 1),
        (
            "java",
            "/* Copyright x */\n/**\n * Counts {@link a.A A}.\n * @since 1\n */\n",
            "Counts A.",
            3,
        ),
    ],
)
def test_a_package_says_what_it_is_for(language: str, text: str, output: str, line: int) -> None:
    """In the comment or string that documents it; licences are none."""
    result = source_says(text, language, 100)

    assert result is not None
    assert (result.text, result.line) == (output, line)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "x = 1\n"),
        ("go", "package a\n"),
        ("rust", "fn a() {}\n"),
        ("java", "class A {}\n"),
        ("javascript", "/** Splits a line. */\nfunction a() {}\n"),
    ],
)
def test_a_package_without_documentation_says_nothing(language: str, text: str) -> None:
    """Its size is told alone."""
    assert source_says(text, language, 100) is None
