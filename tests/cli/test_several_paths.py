"""One question of several directories and files."""

import shlex
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.model.filters import keys_of_scope, scope_of_keys
from ggrep.service.location import Location, enclosing_index
from tests.fakes.repos import write_tree
from tests.journeys.command import Command


def files(ggrep: Command, *words: object) -> set[str]:
    """Return the files of the hits."""
    done = ggrep("search", *words, "--json", "--offline")
    assert done.status == 0, done.err
    return {hit["path"] for hit in done.document["results"]}


def test_an_answer_is_of_all_that_was_named(ggrep: Command, shop: Path) -> None:
    """In one order, as of one place."""
    every = files(ggrep, "charge_card")

    assert every == {"src/checkout.py", "src/app.py", "docs/payments.md", "tests/test_checkout.py"}
    assert files(ggrep, "charge_card", "docs", "src/app.py") == {"docs/payments.md", "src/app.py"}
    assert files(ggrep, "charge_card", "docs", ".") == every
    assert files(ggrep, "charge_card", "src", "src/app.py") == {"src/app.py", "src/checkout.py"}


def test_a_slate_is_gathered_from_all_of_them(ggrep: Command, shop: Path) -> None:
    done = ggrep("slate", "charge_card", "docs", "tests", "--json", "--offline")

    sections = done.document["slate"]["sections"]
    shown = {file["path"] for part in sections for file in part["files"]}
    assert shown == {"docs/payments.md", "tests/test_checkout.py"}


def test_words_of_a_query_are_told_from_paths(ggrep: Command, shop: Path) -> None:
    """People forget quotes."""
    done = ggrep("search", "charge", "a", "card", "docs", "src")

    assert done.status == 2
    assert "one argument: ggrep search 'charge a card' docs src" in done.err


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("*.py", "ggrep search charge_card -g '*.py'"),
        ("src/app.py:3", "ggrep search charge_card src/app.py"),
    ],
)
def test_what_was_meant_by_another_kind_of_path_can_be_typed(
    ggrep: Command, shop: Path, path: str, line: str
) -> None:
    """A glob that the shell left alone, a place of an earlier answer."""
    done = ggrep("search", "charge_card", path)

    assert (done.status, done.err.rpartition(": ")[2].rstrip()) == (2, line)
    assert ggrep(*shlex.split(line)[1:], "--offline").status == 0


def test_two_repositories_are_no_place(ggrep: Command, shop: Path, tmp_path: Path) -> None:
    """A workspace holds both; the line that makes one is told."""
    one, other = tmp_path.resolve() / "one", tmp_path.resolve() / "other"
    for root in (one, other):
        write_tree(root, {"a.py": "x = 1\n", ".ggrep.toml": ""})
    done = ggrep("search", "charge", one, other / "a.py")

    assert done.status == 2
    assert f"ggrep workspace init FILE {one} {other}" in done.err


def test_a_path_that_names_nothing_is_refused(ggrep: Command, shop: Path) -> None:
    """An unset variable would widen the question to all there is."""
    for words in (("charge", ""), ("charge", "src", "")):
        done = ggrep("search", *words)
        assert (done.status, "PATH is empty" in done.err) == (2, True)


def test_what_nothing_is_indexed_of_is_named(ggrep: Command, shop: Path) -> None:
    done = ggrep("search", "charge_card", "docs", "tests", "--filter", "lang:go", "--offline")

    assert "nothing indexed matches lang:go" in done.err


def test_an_index_above_has_them_below_it(shop: Path, built: object) -> None:
    """Outside of git a directory may be a root of its own, or below one."""
    found = enclosing_index(
        Location(shop / "src", "a.py\0b.py"),
        {"GGREP_HOME": str(Home(built.home).base), "GGREP_ENCODER": "none"},  # type: ignore[attr-defined]
        {},
    )

    assert found == Location(shop, "src/a.py\0src/b.py")


@pytest.mark.parametrize(
    ("keys", "scope"),
    [((), ""), (("a",), "a"), (("a", "b", "a"), "a\0b"), (("a", ""), ""), (("",), "")],
)
def test_a_scope_is_a_text(keys: tuple[str, ...], scope: str) -> None:
    assert scope_of_keys(keys) == scope
    assert keys_of_scope(scope) == (() if "" in keys else tuple(dict.fromkeys(keys)))
