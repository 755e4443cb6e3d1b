"""A few repositories that are indexed once, for the tests of this directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.config.home import Home
from tests.fakes.packs import TREES, Stores


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    """Return repositories of a home of their own."""
    made = Stores(Home(tmp_path / "home"), tmp_path)
    with made.cheap_parsing():
        for name, files in TREES.items():
            made.write(name, files)
        yield made
    made.close()
