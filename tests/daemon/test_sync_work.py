"""What a sync worker makes of a job."""

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import anyio
import psutil
import pytest
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.sync_work import MOST_SLEEP_MS, Throttle, Worker, cpu_ms
from ggrep.index.store.view import open_snapshot
from ggrep.model.sync import SyncJob, SyncOutcome
from tests.fakes.clocks import ManualClock
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
        return 7


def worker(told: Told) -> Worker:
    return Worker(told, lambda: Throttle(SystemClock(), lambda _: None, lambda: 0.0))


def test_a_first_index_comes_early(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggrep.index.sync.portions.FIRST_BYTES", 250)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    reported = Told()
    outcome = worker(reported).do(SyncJob(root, home, flags=FLAGS))
    manifest = open_engine(root, home).view().manifest

    assert reported.stages == ["scan", "index", "publish", "index", "publish", "upkeep"]
    assert (outcome.indexed, outcome.cpu_ms) == (6, 7)
    assert manifest.parent_snapshot_id is not None
    assert not manifest.partial


def test_wanted_files_come_first(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    reported, syncing = Told(), worker(Told())
    for number in range(2):
        write_tree(root, {f"f{number}.py": f"retry = {number}\n"})
        outcome = syncing.do(job)
    merged = worker(reported).do(replace(job, compaction="alone", low_impact=True))

    assert (outcome.overdue, outcome.segments, outcome.compaction) == (True, 2, None)
    assert (merged.segments, merged.published, merged.cpu_ms) == (1, False, 7)
    assert reported.stages == []
    assert not syncing.do(job).overdue


def test_a_build_publishes_once(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggrep.index.sync.portions.FIRST_BYTES", 250)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    reported = Told()
    works = worker(reported)
    first = works.do(SyncJob(root, home, flags=FLAGS, abreast=2))
    again = works.do(SyncJob(root, home, flags=FLAGS, abreast=2))

    assert reported.stages.count("publish") == 1
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


def test_a_job_for_another_store_is_refused(root: Path, home: Path) -> None:
    """Nothing is written where nobody looks for it."""
    write_tree(root, {"a.py": "a = 1\n"})

    with pytest.raises(InvalidRequest, match="select store"):
        worker(Told()).do(SyncJob(root, home, flags=FLAGS, store_id="another"))
    assert not home.exists()


class Machine:
    """Works and rests; both take time, and only work takes processor time."""

    def __init__(self) -> None:
        self.clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.used_ms = 0.0
        self.looks = 0
        self.longest_ms = 0.0

    def work(self, milliseconds: float, cores: float = 1.0) -> None:
        self.clock.advance(milliseconds)
        self.used_ms += cores * milliseconds

    def rest(self, milliseconds: float) -> None:
        self.longest_ms = max(self.longest_ms, milliseconds)
        self.clock.advance(milliseconds)

    def cpu_ms(self) -> float:
        self.looks += 1
        return self.used_ms

    def pace(self, share: float) -> Throttle:
        return Throttle(self.clock, self.rest, self.cpu_ms, share)


def test_a_steady_worker_gets_its_share_and_no_more() -> None:
    """Two cores of work are thinned out as well as one."""
    machine = Machine()
    pace = machine.pace(0.4)
    for number in range(500):
        machine.work(10, cores=1 + number % 2)
        pace.keep()
    pace.settle()

    assert machine.used_ms / machine.clock.monotonic_ms() == pytest.approx(0.4)


def test_processor_time_is_looked_at_every_50_ms_at_most() -> None:
    """Looking costs some itself, and a sync of small files calls often."""
    machine = Machine()
    pace = machine.pace(0.4)
    for _ in range(1_000):
        machine.work(1, cores=0.1)
        pace.keep()

    assert machine.looks <= 1 + 1_000 / 50


def test_a_long_debt_is_paid_in_parts() -> None:
    machine = Machine()
    pace = machine.pace(0.4)
    machine.work(60_000)
    pace.settle()

    assert machine.longest_ms == MOST_SLEEP_MS
    assert machine.clock.monotonic_ms() == pytest.approx(150_000)


def test_who_used_little_never_rests() -> None:
    """A sync that finds nothing is not made slower."""
    machine = Machine()
    pace = machine.pace(0.4)
    machine.work(1_000, cores=0.2)
    pace.keep()
    pace.settle()

    assert machine.clock.monotonic_ms() == 1_000


_WORK = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"


@pytest.mark.slow
@pytest.mark.parametrize("ended", [True, False])
def test_what_a_child_uses_is_counted(ended: bool) -> None:
    """Parsing is done by children; who leaves them out paces the wrong process."""
    waiting = "" if ended else "import sys; sys.stdout.write('x'); sys.stdout.flush(); input()"
    before = cpu_ms()
    with subprocess.Popen(
        [sys.executable, "-c", _WORK + waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        if ended:
            child.wait()
        used = cpu_ms() - before
        child.kill()

    assert 150 <= used <= 2_000


FILES = 250


def source(number: int) -> str:
    """Return a file of some forty functions, none like those of another."""
    return "".join(
        f"def f{number}_{n}(first, second):\n"
        f"    total = [first * {number} + item for item in second if item != {n}]\n"
        f"    return sum(total) or {n}\n\n"
        for n in range(40)
    )


async def cost(root: Path, home: Path, *, low_impact: bool) -> tuple[float, SyncOutcome, int]:
    """Return processor time per wall time of one first sync, what it did and its niceness."""
    process, niceness = SyncProcess(), set()

    def watch(_: object) -> None:
        pid = process.pid
        if pid is not None:
            niceness.add(int(psutil.Process(pid).nice()))

    job = SyncJob(root, home, flags={"encoder": "hashed"}, low_impact=low_impact)
    begun = time.monotonic()
    try:
        outcome = await process.run(job, watch)
    finally:
        wall = time.monotonic() - begun
        await process.aclose()
    return outcome.cpu_ms / 1000 / wall, outcome, max(niceness)


@pytest.mark.deep
def test_low_impact_takes_half_the_processor_at_most(root: Path, tmp_path: Path) -> None:
    write_tree(root, {f"d{n % 10}/f{n}.py": source(n) for n in range(FILES)})
    normal, did, _ = anyio.run(lambda: cost(root, tmp_path / "normal", low_impact=False))
    low, same, niceness = anyio.run(lambda: cost(root, tmp_path / "low", low_impact=True))
    print(f"processor per wall time: normal {normal:.2f}, low impact {low:.2f}")  # noqa: T201 - figures

    assert did.indexed == same.indexed == FILES
    assert low <= 0.5 * normal
    assert low <= 0.5
    assert niceness >= 10
