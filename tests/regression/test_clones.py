"""A clone is a store in its own right."""

from pathlib import Path

import pytest

from ggrep.base.ids import StoreId
from ggrep.config.home import Home
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import open_snapshot
from tests.journeys.command import Command

pytestmark = pytest.mark.slow


def test_a_clone_carries_its_own_id_and_verifies(ggrep: Command, indexed: Path, home: Path) -> None:
    """Cloning once looked for a layout that was long gone, and failed always.

    Had it not, the clone would have named the store it came from, and been refused by whoever
    opened it.
    """
    source = ggrep("status", "--json").document["store_id"]
    clone = StoreId(f"{source}-eval")
    assert ggrep("clone-store", source, clone).status == 0
    assert ggrep("clean", source).status == 0
    store = Home(home).data / clone
    active = read_active(store)
    assert active is not None
    manifest = read_manifest(store, active)
    Verifier(store, full=True).manifest(manifest, store_id=clone)
    view = open_snapshot(store, active, store_id=clone)

    assert manifest.store_id == clone
    assert set(view.live_files()) == {"a.py", "docs/b.md"}
