"""When a first word is taken for a command, and when for what is looked for."""

import builtins
import keyword
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.commands import (
    COMMANDS,
    OTHER_NAMES,
    WORDS_OF_CODE,
    correction,
    is_search,
    nearest,
    slip_of,
)

QUERIES = (
    "retry policy, timeout, Session.commit, status_code, index a file, Status, stop_all, list(),"
    " servers, lists, indexes, indexer, checks, checked, symbols, states, state, stats,"
    " stored, store, profile, reference, batch, match, patch, plate, clear, audio, reply, relay,"
    " compat, lint, last, step, edit, text, unit, self, heap, app, map, gcc, and, odd,"
    " src/status.py, /health, status?, 404, x, état"
)


@pytest.mark.parametrize("query", QUERIES.split(", "))
def test_a_word_of_code_is_searched_for(query: str) -> None:
    """Whoever looks for it should not have to know our commands."""
    assert is_search([query])


@pytest.mark.parametrize(
    ("slip", "name"),
    [
        ("stauts", "status"),
        ("tsatus", "status"),
        ("statu", "status"),
        ("statuss", "status"),
        ("sttus", "status"),
        ("lsit", "list"),
        ("hlep", "help"),
        ("serach", "search"),
        ("seach", "search"),
        ("stopall", "stop-all"),
        ("wrokspcae", "workspace"),
        ("refrencse", "references"),
        ("doctro", "doctor"),
    ],
)
def test_a_slip_of_the_hand_is_seen(slip: str, name: str) -> None:
    """One slip, in long names two."""
    assert slip_of(slip) == name
    assert not is_search([slip])


def test_the_words_python_is_written_in_are_searched_for() -> None:
    """All of them stand in every file of it."""
    words = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *dir(str), *dir(dict)}

    refused = {word for word in words if not is_search([word])} - COMMANDS - OTHER_NAMES.keys()

    assert refused == set()


def test_every_exception_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that no name is near needs no exception."""
    monkeypatch.setattr("ggrep.base.commands.WORDS_OF_CODE", frozenset())

    assert {word for word in WORDS_OF_CODE if slip_of(word) is None} == set()


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["stauts", "--json"], "did you mean: ggrep status --json; "),
        (["stauts"], "; to search for the word: ggrep search stauts"),
        (["init"], "instead: ggrep index; "),
        (["stetup", "--yes"], "did you mean: ggrep setup --yes; "),
        (["-m", "5", "status"], "options come after the command: ggrep status -m 5; "),
        (["-m", "5", "it's", "x"], None),
        (["--", "stauts"], None),
        (["search", "stauts"], None),
        (["status", "stauts"], None),
        (["--help"], None),
        ([], None),
    ],
)
def test_what_was_meant_can_be_typed(arguments: list[str], output: str | None) -> None:
    """Both the command, with all that was typed beside it, and the search."""
    answer = correction(arguments)

    assert (output is None and answer is None) or (output is not None and output in (answer or ""))


@given(st.lists(st.text(string.ascii_lowercase + "-_=. ", max_size=9), max_size=4))
def test_a_command_line_is_a_search_a_command_or_a_mistake(arguments: list[str]) -> None:
    """Nothing falls between them, and a mistake that is typed as a search is one."""
    mistaken = correction(arguments) is not None
    plain = not arguments or (arguments[0] in COMMANDS | {"--help", "-h", "--version"})

    assert [is_search(arguments), mistaken, plain].count(True) == 1
    assert correction(["search", *arguments]) is None


def test_the_nearest_name_is_near() -> None:
    """A guess that shares little with what was typed helps nobody."""
    assert nearest("jsn", ["json", "plain"]) == "json"
    assert nearest("frob", ["add", "remove"]) is None


def test_a_word_of_another_length_is_compared_with_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long key of a settings file would take seconds."""
    monkeypatch.setattr("ggrep.base.commands._distance", lambda *_: pytest.fail("compared"))

    assert nearest("a" * 64_000, ["status"]) is None
