"""A small tree that daemons serve, and searches that last."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.held import HeldSearches
from tests.fakes.repos import open_engine, write_tree

TREE = {
    "src/pay.py": "def settle_invoice():\n    return 'settled'\n",
    "src2/pay.py": "def settle_other():\n    return 'settled'\n",
    "docs/pay.md": "# Settling\n\nHow invoices are settled.\n",
}


@pytest.fixture
def indexed(root: Path, home: Path, quick_parsing: None) -> Path:
    """Return the small tree, indexed."""
    write_tree(root, TREE)
    open_engine(root, home).sync()
    return root


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldSearches]:
    """Return what holds every search until it is let go."""
    searches = HeldSearches(monkeypatch)
    yield searches
    searches.gate.set()
