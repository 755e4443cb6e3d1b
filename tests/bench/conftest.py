"""Benchmarks ship with no package: their tests are deep."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test below this directory."""
    item.add_marker(pytest.mark.deep)
