"""A small shop, indexed once, and the command that answers from it without a daemon."""

from pathlib import Path

import pytest
from msgspec import Struct

from tests.fakes.repos import open_engine, write_tree
from tests.journeys.command import Command, CommandOver

SHOP = {
    "src/checkout.py": (
        '"""Checkout."""\n\n\n'
        "class Checkout:\n"
        '    """Takes money."""\n\n'
        "    def charge_card(self, card):\n"
        '        """Charge a card."""\n'
        "        return card.debit(self.total)\n"
    ),
    "src/app.py": (
        "from checkout import Checkout\n\n\n"
        "def main(card):\n"
        "    # charge_card comes last\n"
        '    print("charge_card")\n'
        "    return Checkout().charge_card(card)\n"
    ),
    "docs/payments.md": "# Payments\n\nA card is charged by `charge_card` once.\n",
    "tests/test_checkout.py": "def test_charge_card():\n    assert Checkout().charge_card(None)\n",
}


class Shop(Struct, frozen=True):
    """An indexed tree, which tests only read, and the home that holds its store."""

    root: Path
    home: Path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    place = tmp_path_factory.mktemp("shop").resolve()
    shop = Shop(place / "repo", place / "home")
    shop.root.mkdir()
    write_tree(shop.root, SHOP)
    open_engine(shop.root, shop.home, encoder="none").sync()
    return shop


@pytest.fixture
def shop(built: Shop, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the shop's root, which is the current directory."""
    monkeypatch.chdir(built.root)
    return built.root


@pytest.fixture
def ggrep(built: Shop, command_over: CommandOver) -> Command:
    """Return the command over the shop's home, without colours."""
    return command_over(built.home, GGREP_ENCODER="none", COLUMNS="80")
