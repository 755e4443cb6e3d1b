"""Trees and stores that are built once and put back for each test that changes them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine


def restored(base: Path, build: Callable[[Path], object]) -> Path:
    """Return a directory below `base` as `build` makes it, which is called the first time.

    Its path is the same each time, as a store's name follows from the root. Its files have new
    inodes: a sync reads them again and finds them unchanged.
    """
    place, built = base / "now", base / "built"
    if not built.exists():
        place.mkdir(parents=True)
        build(place)
        place.rename(built)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(built, place, symlinks=True)
    return place


def built_once(build: Callable[[Path, Path], object], **flags: object) -> Any:
    """Return a fixture: an engine over what `build` makes of an empty tree and a missing home."""
    bases: list[Path] = []

    def make(place: Path) -> None:
        (place / "repo").mkdir()
        build(place / "repo", place / "home")

    @pytest.fixture
    def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
        if not bases:
            bases.append(tmp_path_factory.mktemp("built").resolve())
        place = restored(bases[0], make)
        return open_engine(place / "repo", place / "home", **flags)

    return engine
