"""Promise P1: whatever happens while a snapshot is published, the old or the new one answers."""

import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from ggrep.domain.request import SearchRequest
from ggrep.engine.engine import Engine
from ggrep.errors import CorruptStore, NoIndex
from ggrep.layout import names
from ggrep.store.active import read_active
from ggrep.store.manifest import SnapshotManifest, read_manifest
from tests.crash.faults import Death, recorded
from tests.fakes.repos import answer, answer_bytes, open_engine, write_tree

pytestmark = pytest.mark.usefixtures("quick_parsing")

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
OLD = {"a.py": "def retry():\n    pass\n", "b.md": "# Queue\n", "c.py": "queue = 1\n"}
NEW = {"a.py": "def retry_new():\n    pass\n", "b.md": None, "d.json": '{"queue": 1}\n'}


def results(engine: Engine) -> object:
    return answer(engine, ASK)["results"]


def engine_over(root: Path, home: Path) -> Engine:
    return open_engine(root, home, max_segments=2)


@pytest.mark.slow
def test_death_at_any_step_leaves_the_old_or_the_new_snapshot(root: Path, home: Path) -> None:
    """And the next sync ends where an undisturbed one would have."""
    old = _two_segments(root, home / "kept")
    write_tree(root, NEW)
    fresh = engine_over(root, home / "fresh")
    fresh.sync()
    whole, new = answer_bytes(fresh, ASK), results(fresh)
    seen = []
    for step in range(1000):
        copy = home / f"copy{step}"
        shutil.copytree(home / "kept", copy)
        try:
            with recorded(die_at=step):
                engine_over(root, copy).sync()
        except Death:
            found = results(engine_over(root, copy))
            assert found in (old, new), f"step {step}"
            assert answer(engine_over(root, copy), ASK)["warnings"] == []
            seen.append(found == new)
        else:
            break
        finally:
            _converges(root, copy, whole)
            shutil.rmtree(copy)

    assert len(seen) > 20
    assert seen == sorted(seen), "once new, always new"
    assert {True, False} == set(seen)


def _two_segments(root: Path, home: Path) -> object:
    """Publish twice, so that the next publish merges; return what the store answers."""
    write_tree(root, OLD)
    engine = engine_over(root, home)
    engine.sync()
    write_tree(root, {"e.py": "retry = 2\n"})
    engine.sync()
    return results(engine)


def _converges(root: Path, home: Path, whole: bytes) -> None:
    engine = engine_over(root, home)
    engine.sync()
    assert answer_bytes(engine, ASK) == whole
    assert not any(names.staging_dir(engine.identity.store).glob("*"))


@pytest.mark.slow
def test_death_in_a_first_publish_leaves_no_index_or_a_whole_one(root: Path, home: Path) -> None:
    """There is no old snapshot to keep, and half of one is worth nothing."""
    write_tree(root, OLD)
    fresh = engine_over(root, home / "fresh")
    fresh.sync()
    whole, new = answer_bytes(fresh, ASK), results(fresh)
    deaths = 0
    for step in range(1000):
        copy = home / f"copy{step}"
        try:
            with recorded(die_at=step):
                engine_over(root, copy).sync()
        except Death:
            deaths += 1
            with suppress(NoIndex):
                assert results(engine_over(root, copy)) == new
        else:
            break
        finally:
            _converges(root, copy, whole)
            shutil.rmtree(copy)

    assert deaths > 10


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, 12, 24])
def test_a_killed_process_holds_nothing_up(root: Path, home: Path, step: int) -> None:
    """Its lock dies with it, and what it left behind is in nobody's way."""
    old = _two_segments(root, home)
    write_tree(root, NEW)
    victim = Path(__file__).with_name("victim.py")
    done = subprocess.run(
        [sys.executable, str(victim), str(root), str(home), str(step)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(victim.parents[2])},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b""), done.stderr
    assert results(engine_over(root, home)) == old
    fresh = engine_over(root, home / "fresh")
    fresh.sync()
    _converges(root, home, answer_bytes(fresh, ASK))


def test_everything_is_on_disk_before_the_pointer_names_it(root: Path, home: Path) -> None:
    """A power cut keeps what was synced and nothing else."""
    write_tree(root, OLD)
    engine = engine_over(root, home)
    with recorded() as recorder:
        engine.sync()
    _check_order(engine, recorder.events, new_store=True)
    write_tree(root, NEW)
    with recorded() as recorder:
        engine.sync()
    _check_order(engine, recorder.events, new_store=False)


def _check_order(engine: Engine, events: list[tuple[str, int | str]], *, new_store: bool) -> None:
    store, manifest = engine.identity.store, engine.view().manifest
    swap = events.index(("replace", "ACTIVE_SNAPSHOT"))
    move = events.index(("replace", manifest.snapshot_id))
    synced = [what for kind, what in events[:swap] if kind == "sync"]
    moved = [what for kind, what in events[move:swap] if kind == "sync"]
    home = names.snapshot_dir(store, manifest.snapshot_id)
    written = set(_own_files(store, manifest))
    for path in written:
        assert path.stat().st_ino in synced, path
        for directory in path.relative_to(store).parents:
            assert (store / directory).stat().st_ino in synced, directory
    assert names.manifest_file(store, manifest.snapshot_id) in written
    assert home.parent.stat().st_ino in moved, "the move of the snapshot's directory"
    assert home.stat().st_ino in moved, "the manifest's name"
    assert events[swap + 1] == ("sync", store.stat().st_ino), "the pointer's name"
    if new_store:
        for directory in (store.parent, engine.home.base, engine.home.base.parent):
            assert directory.stat().st_ino in synced, directory


def _own_files(store: Path, manifest: SnapshotManifest) -> list[Path]:
    """Return the files that this snapshot brought."""
    own = [store / manifest.visibility.path, names.manifest_file(store, manifest.snapshot_id)]
    for ref in (*manifest.tombstones, *manifest.segment_map):
        own += [store / ref.path] if manifest.snapshot_id in ref.path else []
    for segment in manifest.segments:
        if manifest.snapshot_id in segment.table:
            own.append(store / segment.image.path)
            own += [p for p in names.table_dir(store, segment.table).rglob("*") if p.is_file()]
    return own


def test_what_is_published_was_verified_first(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that loses bytes must cost this publish, not the index."""
    write_tree(root, OLD)
    engine = engine_over(root, home)
    engine.sync()
    before = engine.view().manifest.snapshot_id
    write_tree(root, NEW)
    from ggrep.store import transaction

    stage = transaction.stage

    def damaged(store: Path, *arguments: object, **options: object) -> object:
        refs = stage(store, *arguments, **options)  # type: ignore[arg-type] # handed through
        path = store / refs[1][-1].path
        path.write_bytes(path.read_bytes()[:-1] + b" ")
        return refs

    monkeypatch.setattr("ggrep.sync.publication.stage", damaged)
    with pytest.raises(CorruptStore, match="not the file that was published"):
        engine.sync()

    assert read_active(engine.identity.store) == before


def test_a_published_manifest_carries_its_writers_epoch(root: Path, home: Path) -> None:
    """It tells which of two writers came later."""
    engine = engine_over(root, home)
    epochs = []
    for number in range(2):
        write_tree(root, {"a.py": f"x = {number}\n"})
        report = engine.sync()
        found = read_manifest(engine.identity.store, engine.view().manifest.snapshot_id)
        assert found.snapshot_id == report.snapshot_id
        epochs.append(found.lease_epoch)

    assert epochs == [1, 2]
