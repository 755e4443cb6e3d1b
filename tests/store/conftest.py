"""A store with two snapshots."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from ggrep.index.store.manifest import SnapshotManifest, read_manifest
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.repos import indexed, write_tree


@dataclass
class Kept:
    """A store after two syncs, and the manifests they published."""

    engine: Engine
    store: Path
    first: SnapshotManifest
    second: SnapshotManifest


def build(root: Path, home: Path) -> None:
    """Make a store whose second snapshot replaced one file of two and added one."""
    engine = indexed(
        root, home, {"a.py": "def old_retry():\n    pass\n", "b.md": "# Queue\n\nretry\n"}
    )
    write_tree(root, {"a.py": "def new_retry():\n    pass\n", "c.py": "x = 1\n"})
    engine.sync()


two_snapshots = built_once(build)


@pytest.fixture
def kept(two_snapshots: Engine) -> Kept:
    second, store = two_snapshots.view().manifest, two_snapshots.identity.store
    assert second.parent_snapshot_id
    return Kept(two_snapshots, store, read_manifest(store, second.parent_snapshot_id), second)
