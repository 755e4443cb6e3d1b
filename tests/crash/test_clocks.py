"""The date may be set by years at any moment: leases, order and retention do not mind."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import Busy
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.store.verify import Verifier
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import answer_bytes, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
JUMPS = [-10, 10]


class JumpingClock(SystemClock):
    """A clock whose date is set; what the machine counts since its start goes on."""

    def __init__(self, years: int = 0) -> None:
        self.years = years

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=365 * self.years)


def engine_over(root: Path, home: Path, clock: JumpingClock, **flags: object) -> Engine:
    chosen = {"encoder": "none", "parse_workers": 1} | flags
    return Engine(root, Home(home), flags=chosen, clock=clock)


def settled(root: Path, home: Path) -> tuple[Engine, JumpingClock]:
    """Return an engine over an indexed tree, and its clock."""
    clock = JumpingClock()
    engine = engine_over(root, home, clock)
    write_tree(root, {"a.py": "def retry():\n    pass\n"})
    engine.sync()
    return engine, clock


@pytest.mark.parametrize("years", JUMPS)
def test_snapshots_stand_in_by_epoch_and_not_by_date(root: Path, home: Path, years: int) -> None:
    """The one that was published last is the newest, whatever its name or date say."""
    ours, clock = settled(root, home)
    clock.years = years
    write_tree(root, {"a.py": "def retry_jumped():\n    pass\n"})
    jumped = ours.sync().snapshot_id
    clock.years = 0
    write_tree(root, {"a.py": "def retry_after():\n    pass\n"})
    after = ours.sync().snapshot_id
    clock.years = -years
    write_tree(root, {"a.py": "def retry_last():\n    pass\n"})
    last = ours.sync().snapshot_id
    store = ours.identity.store
    results = []
    for gone in (last, after):
        store_files.manifest_file(store, gone).unlink()  # type: ignore[arg-type] # a name
        results.append(engine_over(root, home, JumpingClock()).view())

    assert [view.manifest.snapshot_id for view in results] == [after, jumped]
    assert all(view.notices for view in results)
    assert ours.sync().published, "and the next sync publishes what is on disk"
    assert answer_bytes(engine_over(root, home, JumpingClock()), ASK) == fresh(root, home)


def fresh(root: Path, home: Path) -> bytes:
    """Return the answer of a store that is built this minute."""
    built = engine_over(root, home.with_name("fresh"), JumpingClock())
    built.sync()
    return answer_bytes(built, ASK)


@pytest.mark.parametrize("years", JUMPS)
def test_a_collector_of_another_date_spares_readers(root: Path, home: Path, years: int) -> None:
    """To a clock ten years ahead everything is old, also what a query reads right now."""
    ours, clock = settled(root, home)
    for number in range(7):
        write_tree(root, {f"{number}.py": f"def retry_{number}():\n    pass\n"})
        ours.sync()
    clock.years = years
    before = answer_bytes(ours, ASK)
    reader = engine_over(root, home, JumpingClock())
    with reader.pin(Deadline.never(reader.clock)) as view:
        with ours.target() as target, pytest.raises(Busy, match="a query is reading"):
            collect_garbage(target, deadline=Deadline.after(target.clock, 0), readers_ms=0)
        Verifier(view.store, full=True).manifest(view.manifest)
    with ours.target() as target:
        report = collect_garbage(target, deadline=Deadline.after(target.clock, 0))

    assert bool(report.deleted_snapshots) == (years > 0), "what is dated ahead is young"
    assert answer_bytes(engine_over(root, home, JumpingClock()), ASK) == before
    Verifier(view.store, full=True).manifest(reader.view().manifest)


def test_after_a_jump_edits_are_still_seen(root: Path, home: Path) -> None:
    """The memory of what was read when must not hide an edit from a clock that runs ahead."""
    ours, clock = settled(root, home)
    clock.years = 10
    write_tree(root, {"a.py": "def retry_1():\n    pass\n"})
    assert ours.sync().published
    clock.years = 0
    write_tree(root, {"a.py": "def retry_2():\n    pass\n"})
    assert ours.sync().published
    clock.years = -10
    write_tree(root, {"a.py": "def retry_3():\n    pass\n"})

    assert ours.sync().published
    assert answer_bytes(ours, ASK) == fresh(root, home)
