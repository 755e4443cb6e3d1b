"""A store with two snapshots."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from ggrep.index.store.manifest import SnapshotManifest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine, write_tree


@dataclass
class Kept:
    """A store after two syncs, and the manifests they published."""

    engine: Engine
    store: Path
    first: SnapshotManifest
    second: SnapshotManifest


@pytest.fixture
def kept(root: Path, home: Path) -> Kept:
    """Return a store whose second snapshot replaced one file of two and added one."""
    engine = open_engine(root, home)
    write_tree(root, {"a.py": "def old_retry():\n    pass\n", "b.md": "# Queue\n\nretry\n"})
    engine.sync()
    first = engine.view().manifest
    write_tree(root, {"a.py": "def new_retry():\n    pass\n", "c.py": "x = 1\n"})
    engine.sync()
    return Kept(engine, engine.identity.store, first, engine.view().manifest)
