"""Many processes write one store at once: their snapshots form one line and nothing is lost."""

import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.errors import GgrepError, LeaseLost
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.maintenance.clone import clone_store
from ggrep.index.store.judging import open_active
from ggrep.index.sync.index_state import read_index_state
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.crash.log import Event, Grant, Log, Release, Swap
from tests.crash.writer import open_writer
from tests.fakes.repos import WokenClock, answer_bytes, indexed, write_tree

ASK = SearchRequest("retry", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def run_writers(root: Path, home: Path, file: Path, writers: int, rounds: int) -> list[Event]:
    """Let all writers work; return what they wrote down."""
    child = Path(__file__).with_name("writer.py")
    done = subprocess.run(
        [sys.executable, child, root, home, file, str(rounds), str(writers)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(child.parents[2])},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return list(Log(file).events())


def check_one_line(swaps: list[Swap]) -> None:
    """Each snapshot follows the one before it, in order of epochs."""
    parents = [None, *(swap.snapshot for swap in swaps[:-1])]
    epochs = [swap.epoch for swap in swaps]
    assert [swap.parent for swap in swaps] == parents
    assert epochs == sorted(set(epochs)), "each publish here has a lease of its own"
    assert len({swap.snapshot for swap in swaps}) == len(swaps)


def check_one_holder(events: list[Event]) -> None:
    """Between a grant and its release nobody else is granted anything or publishes."""
    holder: Grant | None = None
    last = 0
    for event in events:
        match event:
            case Grant(epoch):
                assert holder is None, f"{event} while {holder}"
                assert epoch > last
                holder, last = event, epoch
            case Swap(_, _, epoch):
                assert holder is not None
                assert holder.epoch == epoch
            case Release(epoch, pid):
                assert holder == Grant(epoch, pid)
                holder = None
    assert holder is None


def prove(root: Path, home: Path, folder: Path, writers: int, rounds: int) -> None:
    """Let the writers work and check all that must hold."""
    events = run_writers(root, home, folder / "log", writers, rounds)
    swaps = [event for event in events if isinstance(event, Swap)]
    check_one_line(swaps)
    check_one_holder(events)
    engine, fresh = open_writer(root, home), open_writer(root, folder / "fresh")
    fresh.sync()
    on_disk = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in root.iterdir()}
    assert engine.view().manifest.snapshot_id == swaps[-1].snapshot
    assert engine.view().live_files() == on_disk, "an edit was lost"
    assert answer_bytes(engine, ASK) == answer_bytes(fresh, ASK)
    assert not engine.sync().published
    assert len(swaps) >= writers * rounds


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("writers", "rounds"), [(3, 3), pytest.param(8, 250, marks=pytest.mark.deep)]
)
def test_writers_publish_one_line_of_snapshots(
    root: Path, home: Path, tmp_path: Path, writers: int, rounds: int
) -> None:
    """Agents in one checkout index whenever they like; compactions and collections come between."""
    prove(root, home, tmp_path, writers, rounds)


FLAGS: dict[str, object] = {"encoder": "none", "parse_workers": 1, "lease_ttl_ms": 300}


class Successor:
    """A writer that takes over from whoever comes to a point, and stops there itself."""

    def __init__(self, point: str, work: Callable[[], object]) -> None:
        self._point = point
        self._work = work
        self._arrived, self._resumed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.ends: list[object] = []

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """Take over in the block, and go on after it."""
        try:
            with durable.watched(self._hook):
                yield
                self._resumed.set()
                self._thread.join(30)
        finally:
            self._resumed.set()

    def _hook(self, point: str) -> None:
        if point != self._point:
            return
        if threading.current_thread() is self._thread:
            self._arrived.set()
            assert self._resumed.wait(30)
        else:
            self._thread.start()
            assert self._arrived.wait(30)

    def _run(self) -> None:
        try:
            self.ends.append(self._work())
        except GgrepError as error:
            self.ends.append(error)


def rebuild(engine: Engine) -> object:
    return engine.sync(fresh=True).published


def clone(engine: Engine) -> object:
    """Return whether a clone opens without damage."""
    source = engine.identity.store_id
    target = StoreId(f"{source}-eval")
    clone_store(engine.home, source, target, engine.settings, clock=engine.clock)
    return open_active(engine.home.store_dir(target)).notices == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "point"),
    [
        (rebuild, "rebuild.before_adoption"),
        (clone, "clone.after_copy"),
        (clone, "clone.before_move"),
    ],
)
def test_who_was_taken_over_leaves_what_its_successor_puts_together(
    root: Path, home: Path, work: Callable[[Engine], object], point: str
) -> None:
    """Both build beside the store, and the first cleans up when the second has half of it."""
    stopped = indexed(
        root, home, {"a.py": "def retry():\n    pass\n", "b.md": "# Queue\n"}, **FLAGS
    )
    later = Engine(root, Home(home), flags=FLAGS, clock=WokenClock())
    successor = Successor(point, lambda: work(later))
    with successor.at_hand(), pytest.raises(LeaseLost):
        work(stopped)

    assert successor.ends == [True]
    assert [path.name for path in stopped.home.data.iterdir() if path.name[0] == "."] == []


@pytest.mark.slow
def test_a_writer_that_lost_its_lease_keeps_off_the_memory(root: Path, home: Path) -> None:
    stopped = indexed(root, home, {"a.py": "def retry():\n    pass\n"}, **FLAGS)
    later = Engine(root, Home(home), flags=FLAGS, clock=WokenClock())
    reports = []

    def take_over(point: str) -> None:
        if point == "rebuild.after_swap":
            write_tree(root, {"b.md": "# Queue\n"})
            reports.append(later.sync())

    with durable.watched(take_over), suppress(LeaseLost):
        stopped.sync(fresh=True)

    state = read_index_state(store_files.index_state_file(later.identity.store))
    assert state is not None
    assert [state.active_snapshot_id] == [report.snapshot_id for report in reports]
