"""Screens of tmux: complete and readable at 80 and 120 columns, in colour and without."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Shop
from tests.fakes.places import short_directory
from tests.terminal_views.terminals import Tmux

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
]


@pytest.fixture
def tmux() -> Iterator[Tmux]:
    """Return a terminal of 80 columns."""
    with short_directory() as base:
        terminal = Tmux(base / "s", 80, 16)
        yield terminal
        terminal.close()


def fits(lines: list[str], columns: int) -> bool:
    """Return whether no line is wider, and the widest takes the room."""
    widths = [cell_len(line) for line in lines]
    return max(widths) <= columns


def test_a_picker_is_drawn_anew_in_another_size(tmux: Tmux, built: Shop) -> None:
    """List above, preview below; only their heights and widths differ."""
    tmux.start(built, "pick", "charge_card")
    small = tmux.screen("Charge a card")
    tmux.resize(120, 30)
    tmux.keys("Down")
    large = tmux.screen("> src/app.py")

    assert small[:4] == [
        "> charge_card",
        "4 hits",
        "> src/checkout.py:7  class Checkout",
        "  src/app.py:5  function main",
    ]
    assert small[7].startswith("src/checkout.py ──")
    assert small[8] == "4 │ class Checkout:"
    assert fits(small, 80)
    assert large[12].startswith("src/app.py ──")
    assert large[13:15] == ["4 │ def main(card):", "5 │     # charge_card comes last"]
    assert fits(large, 120)


def test_a_picker_is_readable_without_colour(tmux: Tmux, built: Shop) -> None:
    """The chosen row has a mark; a hostile query stays text."""
    tmux.start(built, "pick", "charge_card", NO_COLOR="1")
    plain = tmux.screen("Charge a card", colour=True)
    tmux.start(built, "pick", "charge_card\x1b[2J")
    coloured = tmux.screen("src/app.py", colour=True)

    assert not any("\x1b" in line for line in plain)
    assert plain[2].startswith("> src/checkout.py:7")
    assert any("\x1b[1m\x1b[36m" in line for line in coloured)
    assert coloured[0].endswith("charge_card")


def test_live_views_tell_the_state_at_each_width(tmux: Tmux, built: Shop, tmp_path: Path) -> None:
    """Of daemons, and of a workspace that is taller than the screen."""
    file = tmp_path / "team.jsonc"
    roots = ", ".join(
        f'{{"root": "{built.root}", "alias": "shop"}}'
        if number == 3
        else f'{{"root": "r{number}"}}'
        for number in range(4)
    )
    file.write_text(f'{{"schemaVersion": 1, "repos": [{roots}]}}')

    tmux.start(built, "status", "--watch", NO_COLOR="1")
    daemons = tmux.screen("no daemon runs", colour=True)
    tmux.start(built, "workspace", "status", str(file), "--watch", NO_COLOR="1")
    small = tmux.screen("shop", colour=True)
    tmux.resize(120, 8)
    short = tmux.screen("more lines")

    assert daemons == ["no daemon runs"]
    assert small[0] == "4 repos, 4 enabled, 1 indexed"
    assert small[2].split() == ["repo", "index", "files", "chunks", "commit", "daemon"]
    assert any(line.startswith("shop") and "ready" in line for line in small)
    assert fits(small, 80)
    assert len(short) == 8
    assert fits(short, 120)
