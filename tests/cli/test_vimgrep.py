"""`--vimgrep`: a line a place, as editors read them."""

from pathlib import Path

import pytest

from ggrep.interfaces.cli.queries.editor_search import places
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
