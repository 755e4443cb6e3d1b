"""A few repositories that are indexed once, for the tests of this directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.config.home import Home
from tests.fakes.built_store import restored
from tests.fakes.packs import CLOCK, TREES, Stores, some_stores
from tests.fakes.repos import open_engine


def build(base: Path) -> None:
    with some_stores(base):
        pass


@pytest.fixture(scope="session")
def stores_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packs").resolve()


@pytest.fixture
def stores(stores_folder: Path) -> Iterator[Stores]:
    """Return repositories of a home of their own."""
    base = restored(stores_folder, build)
    made = Stores(Home(base / "home"), base)
    for name in TREES:
        made.engines[name] = open_engine(base / name, made.home.base, clock=CLOCK)
    yield made
    made.close()
