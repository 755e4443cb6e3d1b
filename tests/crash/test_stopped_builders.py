"""What is put together beside a store is of one writer: its predecessor takes none of it away."""

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
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import WokenClock, indexed, write_tree

pytestmark = pytest.mark.slow

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
    """Return whether a reset published."""
    return engine.sync(fresh=True).published


def clone(engine: Engine) -> object:
    """Return whether a clone opens without damage."""
    source = engine.identity.store_id
    target = StoreId(f"{source}-eval")
    clone_store(engine.home, source, target, engine.settings, clock=engine.clock)
    return open_active(engine.home.store_dir(target)).notices == ()


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


def test_who_was_taken_over_after_its_swap_leaves_the_memory_of_its_successor(
    root: Path, home: Path
) -> None:
    """What a stopped rebuild knew of the files is of before the sync that followed it."""
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
