"""Goldens of `ggrep list --json` and `ggrep clean --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.config.home import Home
from ggrep.index.maintenance.inventory import remove_store
from tests.golden.documents import (
    Repos,
    inventory_document,
    neutral_bytes,
    removal_document,
    stores_gc_document,
    upgrade_document,
)


def test_stores_are_listed_readable_or_not(golden: SnapshotAssertion, tmp_path: Path) -> None:
    """A store that lost its snapshot still takes space and must be found."""
    repos = Repos(tmp_path.resolve())
    engine, _ = repos.index("ledger")
    (engine.identity.store.parent / "left-behind").mkdir()

    assert neutral_bytes(inventory_document(repos.home), repos) == golden


def test_an_upgrade_tells_versions(golden: SnapshotAssertion, tmp_path: Path) -> None:
    """Whoever upgrades many stores wants to know which were old."""
    repos = Repos(tmp_path.resolve())
    engine, _ = repos.index("ledger")

    assert neutral_bytes(upgrade_document(engine), repos) == golden


def test_a_collection_of_stores_gives_its_reasons(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """Before anything is deleted."""
    repos = Repos(tmp_path.resolve())
    engine, _ = repos.index("ledger")
    (engine.identity.store.parent / ".trash-left-behind").mkdir()

    assert neutral_bytes(stores_gc_document(repos.home), repos) == golden


def test_removed_stores_are_named_with_their_size(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """Whoever cleans up wants to know what it brought."""
    repos = Repos(tmp_path.resolve())
    engine, _ = repos.index("ledger")
    store_id = engine.identity.store_id
    freed = remove_store(Home(repos.home), store_id)

    assert freed > 0
    assert neutral_bytes(removal_document({store_id: freed}), repos) == golden
