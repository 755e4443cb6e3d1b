"""Promise P1: whatever happens while a snapshot is published, the old or the new one answers."""

from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, CorruptStore, LeaseLost
from ggrep.base.ids import SnapshotId
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import SnapshotManifest, read_manifest
from ggrep.index.store.transaction import Journal, Staged, stage
from ggrep.search.engine.engine import Engine
from tests.crash.faults import recorded
from tests.crash.scenarios import ASK, CHANGE, FIRST
from tests.fakes.repos import answer, open_engine, write_tree


def results(engine: Engine) -> object:
    return answer(engine, ASK)["results"]


def engine_over(root: Path, home: Path) -> Engine:
    return open_engine(root, home, max_segments=2)


def test_everything_is_on_disk_before_the_pointer_names_it(root: Path, home: Path) -> None:
    """A power cut keeps what was synced and nothing else."""
    write_tree(root, FIRST)
    engine = engine_over(root, home)
    with recorded() as recorder:
        engine.sync()
    _check_order(engine, recorder.events, new_store=True)
    write_tree(root, CHANGE)
    with recorded() as recorder:
        engine.sync()
    _check_order(engine, recorder.events, new_store=False)


def _check_order(engine: Engine, events: list[tuple[str, int | str]], *, new_store: bool) -> None:
    store, manifest = engine.identity.store, engine.view().manifest
    swap = events.index(("replace", "ACTIVE_SNAPSHOT"))
    move = events.index(("replace", manifest.snapshot_id))
    named = events.index(("replace", "manifest.json"), move)
    synced = [what for kind, what in events[:swap] if kind == "sync"]
    moved = [what for kind, what in events[move:named] if kind == "sync"]
    home = store_files.snapshot_dir(store, manifest.snapshot_id)
    written = set(_own_files(store, manifest))
    for path in written:
        assert path.stat().st_ino in synced, path
        for directory in path.relative_to(store).parents:
            assert (store / directory).stat().st_ino in synced, directory
    assert store_files.manifest_file(store, manifest.snapshot_id) in written
    assert store.stat().st_ino in moved, "the names of a segment's table and of new directories"
    assert home.parent.stat().st_ino in moved, "the move of the snapshot's directory"
    staging = store_files.staging_dir(store)
    assert staging.stat().st_ino in moved, "a name that came back would be swept with its files"
    assert ("sync", home.stat().st_ino) in events[named:swap], "the manifest's name"
    assert events[swap + 1] == ("sync", store.stat().st_ino), "the pointer's name"
    if new_store:
        for directory in (store.parent, engine.home.base, engine.home.base.parent):
            assert directory.stat().st_ino in synced, directory


def _own_files(store: Path, manifest: SnapshotManifest) -> list[Path]:
    """Return the files that this snapshot brought."""
    ours = [
        store / manifest.visibility.path,
        store_files.manifest_file(store, manifest.snapshot_id),
    ]
    for ref in (*manifest.tombstones, *manifest.segment_map):
        ours += [store / ref.path] if manifest.snapshot_id in ref.path else []
    for segment in manifest.segments:
        if manifest.snapshot_id in segment.table:
            ours.append(store / segment.image.path)
            ours += [
                p for p in store_files.table_dir(store, segment.table).rglob("*") if p.is_file()
            ]
    return ours


def test_publishes_are_verified(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that loses bytes must cost this publish, not the index."""
    write_tree(root, FIRST)
    engine = engine_over(root, home)
    engine.sync()
    before = engine.view().manifest.snapshot_id
    write_tree(root, CHANGE)

    def damaged(store: Path, snapshot_id: SnapshotId, journal: Journal) -> Staged:
        refs = stage(store, snapshot_id, journal)
        path = store / refs.segment_map[-1].path
        path.write_bytes(path.read_bytes()[:-1] + b" ")
        return refs

    monkeypatch.setattr("ggrep.index.sync.snapshot_assembly.stage", damaged)
    with pytest.raises(CorruptStore, match=r"segment_file_index\.jsonl is corrupt"):
        engine.sync()

    assert read_active(engine.identity.store) == before


def test_the_pointer_is_swapped_under_the_guard(root: Path, home: Path) -> None:
    """A writer that was stopped between look and swap would bring its old view up.

    1. It looks whether it holds the lease, 2. it is stopped, 3. another takes over, publishes and
    ends, 4. the first goes on.
    """
    write_tree(root, FIRST)
    engine = engine_over(root, home)
    guard = store_files.lease_files(engine.identity.store).guard
    kept_out = []

    def try_it(point: str) -> None:
        if point == "publish.before_swap":
            patience = Patience(Deadline.after(engine.clock, 0), lambda _: None)
            with pytest.raises(Busy), alone(guard, patience):
                pass
            kept_out.append(point)

    with durable.watched(try_it):
        engine.sync()

    assert kept_out == ["publish.before_swap"]


def test_a_lease_that_is_lost_at_the_last_moment_publishes_nothing(root: Path, home: Path) -> None:
    """All is written and verified; whose turn it is was looked at long before."""
    write_tree(root, FIRST)
    engine = engine_over(root, home)
    engine.sync()
    before = read_active(engine.identity.store)
    write_tree(root, CHANGE)

    def lose_it(point: str) -> None:
        if point == "publish.after_verification":
            store_files.lease_files(engine.identity.store).record.unlink()

    with durable.watched(lose_it), pytest.raises(LeaseLost):
        engine.sync()

    assert read_active(engine.identity.store) == before


def test_a_published_manifest_carries_its_writers_epoch(root: Path, home: Path) -> None:
    engine = engine_over(root, home)
    epochs = []
    for number in range(2):
        write_tree(root, {"a.py": f"x = {number}\n"})
        report = engine.sync()
        result = read_manifest(engine.identity.store, engine.view().manifest.snapshot_id)
        assert result.snapshot_id == report.snapshot_id
        epochs.append(result.lease_epoch)

    assert epochs == [1, 2]
