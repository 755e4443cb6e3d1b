"""`--vimgrep`: a line a place, as editors read them."""

from pathlib import Path

import pytest

from ggrep.interfaces.cli.queries.search import places
from ggrep.model.request import Find, SearchRequest
from tests.journeys.command import Command


def test_a_hit_is_the_line_that_was_asked_for(ggrep: Command, shop: Path) -> None:
    """An editor jumps to the name, not to what stands above it."""
    done = ggrep("charge_card", "--vimgrep", "--offline", "-m", "1")

    assert (done.status, done.out) == (0, "src/checkout.py:7:9:    def charge_card(self, card):\n")


def test_every_line_that_matches_is_a_place(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And paths are told from where the command runs."""
    monkeypatch.chdir(shop / "docs")
    done = ggrep("charge_\\w+\\(c", "--find", "regex", "--vimgrep", "--repo", "..", "--offline")

    assert sorted(done.out.splitlines()) == [
        "../src/app.py:7:23:    return Checkout().charge_card(card)",
    ]


def test_a_text_in_double_quotes_is_a_place_wherever_it_stands(ggrep: Command, shop: Path) -> None:
    """It was told by the line that names the function around it, as if it stood there."""
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
    """As editors count them."""
    hit = {"path": "a.py", "start_line": 3, "content": "x\né = card", "content_start_line": 3}
    asked = SearchRequest("card", find=Find.EXACT_TEXT)

    found = list(places({"results": [hit]}, asked, Path("/r"), Path("/r")))

    assert found == ["a.py:4:6:é = card"]


@pytest.mark.parametrize(
    "flags", ["--json", "--scores", "--format agent", "--workspace w.jsonc", "--receipt a.json"]
)
def test_what_such_lines_do_not_heed_is_refused(ggrep: Command, shop: Path, flags: str) -> None:
    """A flag without effect would mislead."""
    done = ggrep("charge", "--vimgrep", *flags.split())

    assert done.status == 2
    assert f"{flags.split(maxsplit=1)[0]}: not with --vimgrep" in done.err


def test_finding_nothing_is_as_elsewhere(ggrep: Command, shop: Path) -> None:
    """No line, no failure; what is amiss stands beside it."""
    none = ("charge", "--vimgrep", "--offline", "--filter", "lang:go")

    assert (ggrep(*none).status, ggrep(*none, "--exit-status").status) == (0, 1)
    assert ggrep(*none).out == ""
    assert "nothing indexed matches lang:go" in ggrep(*none).err
