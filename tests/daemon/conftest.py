"""A small tree that daemons serve, and searches that last."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.held import HeldSearches
from tests.fakes.hosts import Served, served
from tests.fakes.places import home, short_directory
from tests.fakes.repos import open_engine, write_tree

__all__ = ["home"]

TREE = {
    "src/pay.py": "def settle_invoice():\n    return 'settled'\n",
    "src2/pay.py": "def settle_other():\n    return 'settled'\n",
    "docs/pay.md": "# Settling\n\nHow invoices are settled.\n",
}


def descriptors(below: Path | str = "") -> int:
    """Return how many files below a directory this process has open; all without one."""
    kept = list(Path("/proc/self/fd").iterdir())
    return sum(os.path.realpath(entry).startswith(str(below)) for entry in kept)


@pytest.fixture
def indexed(root: Path, home: Path) -> Path:
    """Return the small tree, indexed."""
    write_tree(root, TREE)
    open_engine(root, home).sync()
    return root


@pytest.fixture(scope="module")
def lasting_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a daemon of the small tree that serves all tests of a module."""
    root = tmp_path_factory.mktemp("d").resolve() / "repo"
    write_tree(root, TREE)
    with (
        short_directory() as base,
    ):
        open_engine(root, base / "home").sync()
        with served(root, base / "home") as result:
            result.settled()
            yield result


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldSearches]:
    """Return what holds every search until it is let go."""
    searches = HeldSearches(monkeypatch)
    yield searches
    searches.gate.set()
