"""What a sync worker makes of a job."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.daemon.sync_work import Throttle, Worker
from ggrep.index.store.view import open_snapshot
from ggrep.model.sync import SyncJob
from tests.fakes.hosts import FLAGS
from tests.fakes.repos import open_engine, write_tree


class Told:
    """Who is told how far a job is."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def progress(self, stage: str, done: int, total: int) -> None:
        """Take the stage down."""
        del done, total
        if self.stages[-1:] != [stage]:
            self.stages.append(stage)

    def used_ms(self) -> int:
        """Return a figure."""
        return 7


def worker(told: Told) -> Worker:
    """Return a worker that never rests."""
    return Worker(told, lambda: Throttle(SystemClock(), lambda _: None, lambda: 0.0))


def test_a_first_index_is_published_early_and_whole(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever started the daemon waits for its first answer."""
    monkeypatch.setattr("ggrep.index.sync.portions.FIRST_BYTES", 250)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    told = Told()
    outcome = worker(told).do(SyncJob(root, home, flags=FLAGS))
    manifest = open_engine(root, home).view().manifest

    assert told.stages == ["scan", "index", "publish", "index", "publish", "upkeep"]
    assert (outcome.indexed, outcome.cpu_ms) == (6, 7)
    assert manifest.parent_snapshot_id is not None
    assert not manifest.partial


def test_a_first_index_begins_with_what_is_wanted_of_its_store(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host tells it whenever somebody asks, for whatever store."""
    monkeypatch.setattr("ggrep.index.sync.portions.FIRST_BYTES", 120)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    engine = open_engine(root, home)
    wanted = {str(engine.identity.store_id): (PathKey("f5.py"),)}
    pace = Throttle(SystemClock(), lambda _: None, lambda: 0.0)
    Worker(Told(), lambda: pace, lambda store_id: wanted.get(store_id, ())).do(
        SyncJob(root, home, flags=FLAGS, upkeep=False)
    )
    second = engine.view().manifest.parent_snapshot_id
    assert second is not None
    first = open_snapshot(engine.identity.store, second)

    assert list(first.live_files()) == ["f5.py"]


def test_a_merge_that_is_due_is_left_to_another_worker(root: Path, home: Path) -> None:
    """A saved file does not wait for it."""
    job = SyncJob(root, home, flags=FLAGS | {"compaction_overdue_segments": 2}, compaction="apart")
    told, syncing = Told(), worker(Told())
    for number in range(2):
        write_tree(root, {f"f{number}.py": f"retry = {number}\n"})
        outcome = syncing.do(job)
    merged = worker(told).do(replace(job, compaction="alone", low_impact=True))

    assert (outcome.overdue, outcome.segments, outcome.compaction) == (True, 2, None)
    assert (merged.segments, merged.published, merged.cpu_ms) == (1, False, 7)
    assert told.stages == []
    assert not syncing.do(job).overdue


def test_of_a_build_of_many_nothing_is_published_early(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for the first answer, and each publish takes as long as a small index."""
    monkeypatch.setattr("ggrep.index.sync.portions.FIRST_BYTES", 250)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    told = Told()
    works = worker(told)
    first = works.do(SyncJob(root, home, flags=FLAGS, abreast=2))
    again = works.do(SyncJob(root, home, flags=FLAGS, abreast=2))

    assert told.stages.count("publish") == 1
    assert (first.published, again.published) == (True, False)
    assert again.snapshot_id == first.snapshot_id


def test_of_a_build_of_many_the_home_is_swept_once(root: Path, home: Path) -> None:
    """Else each of ten thousand repositories would look at ten thousand stores."""
    write_tree(root, {"a.py": "a = 1\n"})
    left = store_files.trash_dir(home / "data" / "gone", 1)
    works, alone = worker(Told()), worker(Told())
    works.do(SyncJob(root, home, flags=FLAGS, abreast=2))
    left.mkdir()
    works.do(SyncJob(root, home, flags=FLAGS, abreast=2))
    stayed = left.exists()
    alone.do(SyncJob(root, home, flags=FLAGS))

    assert stayed
    assert not left.exists()


def test_a_job_for_a_store_that_the_settings_no_longer_lead_to_is_refused(
    root: Path, home: Path
) -> None:
    """Nothing is written where nobody looks for it."""
    write_tree(root, {"a.py": "a = 1\n"})

    with pytest.raises(InvalidRequest, match="select store"):
        worker(Told()).do(SyncJob(root, home, flags=FLAGS, store_id="another"))
    assert not home.exists()
