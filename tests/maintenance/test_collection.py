"""What no retained snapshot names goes, and nothing else, whoever is at work."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import force_setattr

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, CorruptStore, Incompatible, LeaseLost, NoIndex
from ggrep.base.formats import MANIFEST
from ggrep.base.ids import SnapshotId
from ggrep.base.locks import Patience, alone, shared
from ggrep.config import store_files
from ggrep.index.maintenance import collection
from ggrep.index.maintenance.collection import collect_garbage, due, preview
from ggrep.index.store.active import swap_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.pins import write_pin
from ggrep.index.store.verify import Verifier
from ggrep.model.maintenance import CollectionReport
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.leases import OTHER_WRITER, held_lease
from tests.fakes.repos import LaterClock, answer_bytes, open_engine, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


FLAGS = {"retain_snapshots_min": 2, "max_segments": 3}


def engine_over(root: Path, home: Path, **flags: object) -> Engine:
    return open_engine(root, home, **(FLAGS | flags))


def aged(root: Path, home: Path, publishes: int, **flags: object) -> Engine:
    """Return an engine over a store that published so often."""
    engine = engine_over(root, home, **flags)
    for number in range(publishes):
        write_tree(root, {f"{number % 5}.py": f"def retry_{number}():\n    pass\n"})
        if number == 4:
            write_tree(root, {"0.py": None})
        engine.sync()
    return engine


def build(root: Path, home: Path) -> None:
    """Publish so often that segments are folded."""
    aged(root, home, 8)


engine = built_once(build, **FLAGS)


def collect(engine: Engine, **options: object) -> CollectionReport:
    with engine.target() as target:
        force_setattr(target, "clock", LaterClock())
        deadline = Deadline.after(target.clock, 0)
        return collect_garbage(target, deadline=deadline, **options)  # type: ignore[arg-type] # handed through


def look(engine: Engine) -> CollectionReport:
    return preview(engine.identity.store, engine.settings, LaterClock())


def snapshots(engine: Engine) -> list[str]:
    return sorted(p.name for p in store_files.snapshots_dir(engine.identity.store).iterdir())


def test_old_snapshots_and_their_segments_go(engine: Engine) -> None:
    before, present = answer_bytes(engine, ASK), snapshots(engine)
    planned = look(engine)
    assert planned.dry_run
    assert snapshots(engine) == present
    report = collect(engine)

    assert report.deleted_snapshots == planned.deleted_snapshots
    assert len(report.deleted_snapshots) == 6
    assert report.deleted_segments == planned.deleted_segments != ()
    assert report.freed_bytes == planned.freed_bytes > 0
    assert answer_bytes(engine_over(engine.identity.root, engine.home.base), ASK) == before
    for snapshot_id in report.retained_snapshots:
        manifest = read_manifest(engine.identity.store, snapshot_id)  # type: ignore[arg-type] # from JSON
        Verifier(engine.identity.store, full=True).manifest(manifest)
    assert collect(engine).freed_bytes == 0, "and all went at once"


def test_a_pinned_snapshot_stays(engine: Engine) -> None:
    oldest = snapshots(engine)[0]
    write_pin(engine.identity.store, SnapshotId(oldest), "0" * 26, LaterClock().now())
    report = collect(engine)

    assert oldest in report.retained_snapshots
    manifest = read_manifest(engine.identity.store, oldest)  # type: ignore[arg-type] # a name
    Verifier(engine.identity.store, full=True).manifest(manifest)


def test_the_active_snapshot_stays_however_old(engine: Engine) -> None:
    """A publish that failed late leaves newer ones that nobody points at."""
    store, oldest = engine.identity.store, snapshots(engine)[0]
    swap_active(store, SnapshotId(oldest))
    report = collect(engine)

    assert oldest in report.retained_snapshots
    Verifier(store, full=True).manifest(read_manifest(store, SnapshotId(oldest)))


def test_journal_files_stay_while_a_snapshot_names_them_and_go_then(root: Path, home: Path) -> None:
    """Their own snapshot is gone long before; a directory without a manifest is looked at too."""
    engine = aged(root, home, 4, max_segments=12)
    collect(engine)
    store = engine.identity.store
    bare = [
        d for d in store_files.snapshots_dir(store).iterdir() if not (d / "manifest.json").exists()
    ]
    assert bare, "deltas of snapshots that are gone"
    Verifier(store, full=True).manifest(engine.view().manifest)
    for number in range(20):
        write_tree(root, {"a.py": f"x = {number}\n"})
        engine.sync()
    collect(engine)

    assert not any(directory.exists() for directory in bare)
    Verifier(store, full=True).manifest(engine.view().manifest)


def test_what_dead_writers_left_goes(root: Path, home: Path) -> None:
    """Tables, images, snapshots without a manifest, and their staging."""
    engine = aged(root, home, 1)
    store = engine.identity.store
    write_tree(store, {"seg_dead_0.lance/data/x.lance": "x", "images/seg_dead_0.image": "x"})
    write_tree(store, {"snapshots/01DEAD/tombstones.jsonl": "x", "staging/01DEAD/x": "x"})
    write_tree(store, {"trash/old": "x"})
    report = collect(engine)

    assert report.deleted_segments == ("seg_dead_0",)
    assert not list(store.glob("**/*dead*")) + list(store.glob("**/*DEAD*"))
    assert not (store / "trash" / "old").exists()


def test_writers_queries_and_youth_keep_snapshots(engine: Engine) -> None:
    """LanceDB opens a table's files anew for each read; a writer's files are named by nothing."""
    before = snapshots(engine)
    with held_lease(engine.identity.store, engine.clock), pytest.raises(Busy, match="is writing"):
        collect(engine)
    with reading(engine), pytest.raises(Busy, match="query"):
        collect(engine, readers_ms=0)
    with engine.target() as target:
        report = collect_garbage(target, deadline=Deadline.after(target.clock, 0))

    assert report.deleted_snapshots == ()
    assert snapshots(engine) == before


@contextmanager
def reading(engine: Engine) -> Iterator[None]:
    patience = Patience(Deadline.after(engine.clock, 0), lambda _: None)
    with shared(store_files.readers_lock(engine.identity.store), patience):
        yield


def spoil_manifest(engine: Engine) -> None:
    active = engine.view().manifest.snapshot_id
    store_files.manifest_file(engine.identity.store, active).write_bytes(b"{")


def remove_table(engine: Engine) -> None:
    segment = engine.view().manifest.segments[-1].table
    shutil.rmtree(store_files.table_dir(engine.identity.store, segment))


@pytest.mark.parametrize("damage", [spoil_manifest, remove_table])
def test_nothing_goes_while_the_active_snapshot_is_damaged(
    engine: Engine, damage: Callable[[Engine], None]
) -> None:
    """An older one stands in for it, and may be the only whole one."""
    damage(engine)
    before = snapshots(engine)

    with pytest.raises(CorruptStore):
        collect(engine)
    assert snapshots(engine) == before


def test_nothing_goes_where_a_newer_build_wrote(engine: Engine) -> None:
    path = store_files.manifest_file(engine.identity.store, snapshots(engine)[0])  # type: ignore[arg-type] # a name
    current = b'"schema_version": %d' % MANIFEST.writes
    path.write_bytes(path.read_bytes().replace(current, b'"schema_version": 99'))

    with pytest.raises(Incompatible, match="99"):
        collect(engine)


def test_nothing_is_collected_before_the_first_publish(root: Path, home: Path) -> None:
    """There is nothing, or a first sync is at work."""
    with pytest.raises(NoIndex):
        look(engine_over(root, home))


def test_it_is_due_when_enough_is_old(engine: Engine) -> None:
    """Asked after every sync, so it reads no manifest."""
    store, settings = engine.identity.store, engine.settings

    assert due(store, settings, LaterClock().now())
    assert not due(store, settings, engine.clock.now() - timedelta(hours=1))
    collect(engine)
    assert not due(store, settings, LaterClock().now())


def test_a_lost_lease_takes_none(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped between its grant and its work, it would take what its follower published."""
    before = snapshots(engine)
    record = store_files.lease_files(engine.identity.store).record

    def taken_over(*arguments: object, **options: object) -> object:
        record.write_bytes(OTHER_WRITER)
        return alone(*arguments, **options)  # type: ignore[arg-type] # handed through

    monkeypatch.setattr(collection, "alone", taken_over)
    with pytest.raises(LeaseLost):
        collect(engine)

    assert snapshots(engine) == before
