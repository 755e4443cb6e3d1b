"""Searches of several paths, and a line for each place."""

import shlex
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.interfaces.cli.queries.search import places
from ggrep.model.filters import keys_of_scope, scope_of_keys
from ggrep.model.request import Find, SearchRequest
from ggrep.service.location import Location, enclosing_index
from tests.fakes.repos import write_tree
from tests.journeys.command import Command


def files(ggrep: Command, *words: object) -> set[str]:
    done = ggrep("search", *words, "--json", "--offline")
    assert done.status == 0, done.err
    return {hit["path"] for hit in done.document["results"]}


def test_an_answer_is_of_all_that_was_named(ggrep: Command, shop: Path) -> None:
    every = files(ggrep, "charge_card")
    slate = ggrep("slate", "charge_card", "docs", "tests", "--json", "--offline").document["slate"]
    shown = {file["path"] for part in slate["sections"] for file in part["files"]}

    assert every == {"src/checkout.py", "src/app.py", "docs/payments.md", "tests/test_checkout.py"}
    assert files(ggrep, "charge_card", "docs", "src/app.py") == {"docs/payments.md", "src/app.py"}
    assert files(ggrep, "charge_card", "docs", ".") == every
    assert files(ggrep, "charge_card", "src", "src/app.py") == {"src/app.py", "src/checkout.py"}
    assert shown == {"docs/payments.md", "tests/test_checkout.py"}


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (
            ("charge", "a", "card", "docs", "src"),
            "one argument: ggrep search 'charge a card' docs src",
        ),
        # An unset variable would widen the question to all there is.
        (("charge", ""), "PATH is empty"),
        (("charge", "src", ""), "PATH is empty"),
    ],
)
def test_words_of_a_query_are_told_from_paths(
    ggrep: Command, shop: Path, words: tuple[str, ...], reported: str
) -> None:
    done = ggrep("search", *words)

    assert done.status == 2
    assert reported in done.err


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
    first, other = tmp_path.resolve() / "one", tmp_path.resolve() / "other"
    for root in (first, other):
        write_tree(root, {"a.py": "x = 1\n", ".ggrep.toml": ""})
    done = ggrep("search", "charge", first, other / "a.py")

    assert done.status == 2
    assert f"ggrep workspace init FILE {first} {other}" in done.err


def test_what_nothing_is_indexed_of_is_named(ggrep: Command, shop: Path) -> None:
    done = ggrep("search", "charge_card", "docs", "tests", "--filter", "lang:go", "--offline")

    assert "no indexed file matches lang:go" in done.err


def test_an_index_above_has_them_below_it(shop: Path, built: object) -> None:
    result = enclosing_index(
        Location(shop / "src", "a.py\0b.py"),
        {"GGREP_HOME": str(Home(built.home).base), "GGREP_ENCODER": "none"},  # type: ignore[attr-defined]
        {},
    )

    assert result == Location(shop, "src/a.py\0src/b.py")


@pytest.mark.parametrize(
    ("keys", "scope"),
    [((), ""), (("a",), "a"), (("a", "b", "a"), "a\0b"), (("a", ""), ""), (("",), "")],
)
def test_a_scope_is_a_text(keys: tuple[str, ...], scope: str) -> None:
    assert scope_of_keys(keys) == scope
    assert keys_of_scope(scope) == (() if "" in keys else tuple(dict.fromkeys(keys)))


def test_a_hit_is_the_line_that_was_asked_for(ggrep: Command, shop: Path) -> None:
    done = ggrep("charge_card", "--vimgrep", "--offline", "-m", "1")

    assert (done.status, done.out) == (0, "src/checkout.py:7:9:    def charge_card(self, card):\n")


def test_every_line_that_matches_is_a_place(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop / "docs")
    done = ggrep("charge_\\w+\\(c", "--find", "regex", "--vimgrep", "--repo", "..", "--offline")

    assert sorted(done.out.splitlines()) == [
        "../src/app.py:7:23:    return Checkout().charge_card(card)",
    ]


def test_a_text_in_double_quotes_is_a_place_wherever_it_stands(ggrep: Command, shop: Path) -> None:
    text = "def buy(cart):\n    cart.add(1)\n    return cart.pay(2)\n\n"
    (shop / "src/buying.py").write_text(text * 5, encoding="utf-8")
    done = ggrep('"return  Cart.pay"', "--vimgrep", "--offline", "--sync")

    assert done.out.splitlines() == [
        f"src/buying.py:{line}:5:    return cart.pay(2)" for line in (3, 7, 11, 15, 19)
    ]
    assert "limit:" not in done.err


def test_places_that_were_cut_are_told(ggrep: Command, shop: Path) -> None:
    """A list that looks whole and is not would mislead."""
    for number in range(4):
        text = f"def pay(cart):\n    return cart.total({number})\n"
        (shop / f"src/pay_{number}.py").write_text(text, encoding="utf-8")
    text = ("cart.total", "--find", "exact-text", "--vimgrep", "--offline", "--sync", "-m", "2")

    done = ggrep(*text)

    assert len(done.out.splitlines()) == 2
    assert "cut: " in done.err


def test_columns_are_bytes() -> None:
    hit = {"path": "a.py", "start_line": 3, "content": "x\né = card", "content_start_line": 3}
    asked = SearchRequest("card", find=Find.EXACT_TEXT)

    results = list(places({"results": [hit]}, asked, Path("/r"), Path("/r")))

    assert results == ["a.py:4:6:é = card"]


@pytest.mark.parametrize(
    "flags", ["--json", "--scores", "--format agent", "--workspace w.jsonc", "--receipt a.json"]
)
def test_what_such_lines_do_not_heed_is_refused(ggrep: Command, shop: Path, flags: str) -> None:
    """A flag without effect would mislead."""
    done = ggrep("charge", "--vimgrep", *flags.split())

    assert done.status == 2
    assert f"{flags.split(maxsplit=1)[0]}: not with --vimgrep" in done.err


def test_finding_nothing_is_as_elsewhere(ggrep: Command, shop: Path) -> None:
    none = ("charge", "--vimgrep", "--offline", "--filter", "lang:go")

    assert (ggrep(*none).status, ggrep(*none, "--exit-status").status) == (0, 1)
    assert ggrep(*none).out == ""
    assert "no indexed file matches lang:go" in ggrep(*none).err
