"""What a sync worker makes of a job."""

from pathlib import Path

import pytest

from ggrep.clock import SystemClock
from ggrep.daemon.pace import Pace
from ggrep.daemon.sync_jobs import SyncJob
from ggrep.daemon.sync_work import Worker
from ggrep.errors import InvalidRequest
from tests.fakes.hosts import FLAGS
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.usefixtures("quick_parsing")


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
    return Worker(told, lambda: Pace(SystemClock(), lambda _: None, lambda: 0.0))


def test_a_first_index_is_published_early_and_whole(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever started the daemon waits for its first answer."""
    monkeypatch.setattr("ggrep.sync.portions.FIRST_BYTES", 250)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    told = Told()
    outcome = worker(told).do(SyncJob(root, home, flags=FLAGS))
    manifest = open_engine(root, home).view().manifest

    assert told.stages == ["scan", "index", "publish", "index", "publish", "upkeep"]
    assert (outcome.indexed, outcome.cpu_ms) == (6, 7)
    assert manifest.parent_snapshot_id is not None
    assert not manifest.partial


def test_a_job_for_a_store_that_the_settings_no_longer_lead_to_is_refused(
    root: Path, home: Path
) -> None:
    """Nothing is written where nobody looks for it."""
    write_tree(root, {"a.py": "a = 1\n"})

    with pytest.raises(InvalidRequest, match="lead to store"):
        worker(Told()).do(SyncJob(root, home, flags=FLAGS, store_id="another"))
    assert not home.exists()
