"""A few repositories that are indexed once, for the tests of this directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.packs import Stores, some_stores


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    """Return repositories of a home of their own."""
    with some_stores(tmp_path) as made:
        yield made
