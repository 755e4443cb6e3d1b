"""A writer that is stopped may be taken over, and then publishes nothing; a slow one may not."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, GgrepError, LeaseLost
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.maintenance import collection
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.store.needed_files import Unnamed
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import read_index_state
from ggrep.index.sync.syncer import sync
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import open_parent
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.crash.scenarios import ASK
from tests.fakes.repos import WokenClock, answer_bytes, open_engine, write_tree

pytestmark = pytest.mark.slow

TTL_MS = 300
SETTINGS = {
    "lease_ttl_ms": TTL_MS,
    "retain_snapshots_min": 1,
    "retain_snapshots_min_age_secs": 0,
    "gc_safety_margin_ms": 0,
    "query_timeout_ms": 60_000,
}
FLAGS: dict[str, object] = {"encoder": "none", "parse_workers": 1, **SETTINGS}
OLD = {"a.py": "def retry():\n    pass\n", "b.md": "# Queue\n"}
THEIRS = {"a.py": "def retry_theirs():\n    pass\n", "c.py": "queue = 3\n"}
OURS = {"a.py": "def retry_ours():\n    pass\n", "b.md": None, "c.py": None, "d.py": "queue = 4\n"}
POINTS = (
    "publish.after_preparation",
    "publish.before_segment",
    "publish.after_table",
    "publish.after_image",
    "publish.after_tombstones",
    "publish.after_segment_map",
    "publish.after_visibility",
    "publish.after_move",
    "publish.before_manifest",
    "publish.after_manifest",
    "publish.after_verification",
)
"""All before the swap at which the guard is not held."""
REST = {"publish.after_image", "publish.after_segment_map", "publish.before_manifest"}
"""Those that leave much the same as the one before."""


def engine_over(root: Path, home: Path) -> Engine:
    return open_engine(root, home, **FLAGS)


def two_engines(root: Path, home: Path) -> tuple[Engine, Engine]:
    """Return one that has indexed the root, and one that takes its lease for stale."""
    theirs = engine_over(root, home)
    write_tree(root, OLD)
    theirs.sync()
    return theirs, Engine(root, Home(home), flags=FLAGS, clock=WokenClock())


def configure(home: Path) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = "".join(f"{key} = {value}\n" for key, value in SETTINGS.items())
    (home / "config.toml").write_text(text)


@contextmanager
def stopped_at(point: str, root: Path, home: Path) -> Iterator[subprocess.Popen[str]]:
    """Run `ggrep index` until it is stopped there."""
    child = Path(__file__).with_name("stopped.py")
    configure(home)
    process = subprocess.Popen(
        [sys.executable, str(child), str(root), point],
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(child.parents[2]),
            "GGREP_HOME": str(home),
            "GGREP_ENCODER": "none",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        ended = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        assert ended is not None
        assert ended.si_code == os.CLD_STOPPED, process.communicate()
        yield process
    finally:
        process.kill()
        process.communicate()


def resumed(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Let it go on; return its exit status and what it said."""
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=1_200)
    return process.returncode, out, err


def check_fresh(root: Path, home: Path, fresh: Path) -> None:
    """Check that the store answers as one that is built this minute."""
    built = engine_over(root, fresh)
    built.sync()
    assert answer_bytes(engine_over(root, home), ASK) == answer_bytes(built, ASK)


@pytest.mark.parametrize(
    "point",
    [pytest.param(point, marks=pytest.mark.deep) if point in REST else point for point in POINTS],
)
def test_a_lost_lease_publishes_nothing(root: Path, home: Path, tmp_path: Path, point: str) -> None:
    theirs, ours = two_engines(root, home)
    write_tree(root, THEIRS)
    ours_next, reports = [OURS], list[SyncReport]()

    def take_over(reached: str) -> None:
        if reached == point and ours_next:
            write_tree(root, ours_next.pop())
            reports.append(ours.sync())
            with ours.target() as target:
                collect_garbage(target, deadline=Deadline.after(target.clock, 0))

    with durable.watched(take_over), pytest.raises(LeaseLost):
        theirs.sync()

    (report,) = reports
    view = engine_over(root, home).view()
    state = read_index_state(store_files.index_state_file(ours.identity.store))
    assert (view.manifest.snapshot_id, view.notices) == (report.snapshot_id, ())
    assert state is not None
    assert (state.active_snapshot_id, state.last_result) == (report.snapshot_id, "ok")
    assert not engine_over(root, home).sync().published
    check_fresh(root, home, tmp_path / "fresh")


def test_a_stopped_collector_stops(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows the manifests of before; to it a segment that came since has no name."""
    theirs, ours = two_engines(root, home)
    write_tree(root, THEIRS)
    theirs.sync()
    listed = collection.unnamed

    def stopped(store: Path, kept: Collection[Path]) -> Unnamed:
        write_tree(root, OURS)
        with suppress(Busy), ours.target() as target:  # or it is kept waiting
            sync(target, deadline=Deadline.after(target.clock, 0))
        return listed(store, kept)

    monkeypatch.setattr(collection, "unnamed", stopped)
    with theirs.target() as target, suppress(LeaseLost):
        collection.collect_garbage(target, deadline=Deadline.after(target.clock, 0))

    view = engine_over(root, home).view()
    assert view.notices == ()
    Verifier(view.store, full=True).manifest(view.manifest)
    assert ours.sync().published or PathKey("d.py") in view.live_files()


def test_a_rebuild_that_was_stopped_leaves_what_came_after_it(root: Path, home: Path) -> None:
    """Its index was active, and was followed by another before it cleared away what came before."""
    theirs, ours = two_engines(root, home)
    left = [OURS]

    def take_over(reached: str) -> None:
        if reached == "rebuild.after_swap" and left:
            write_tree(root, left.pop())
            ours.sync()

    with durable.watched(take_over), suppress(LeaseLost):
        theirs.sync(fresh=True)

    view = engine_over(root, home).view()
    assert (left, view.notices) == ([], ())
    Verifier(view.store, full=True).manifest(view.manifest)


def test_who_was_taken_over_removes_nothing_of_its_successors(root: Path, home: Path) -> None:
    """It was stopped before it cleared away what dead writers staged; now a living one stages."""
    theirs, ours = two_engines(root, home)
    write_tree(root, OURS)
    staged, cleared = threading.Event(), threading.Event()

    def hook(point: str) -> None:
        if threading.current_thread() is successor and point == "publish.after_visibility":
            staged.set()
            assert cleared.wait(30)

    ends = list[object]()

    def succeed() -> None:
        try:
            ends.append(ours.sync().published)
        except GgrepError as error:
            ends.append(error)

    successor = threading.Thread(target=succeed)

    def stopped(target: SyncTarget) -> SnapshotView | None:
        view = open_parent(target)
        successor.start()
        assert staged.wait(30)
        return view

    with durable.watched(hook):
        with theirs.target() as target, suppress(LeaseLost):
            try:
                sync(target, opening=stopped)
            finally:
                cleared.set()
        successor.join(30)

    assert ends == [True]


@pytest.mark.parametrize(
    "point",
    [
        "publish.after_verification",
        *(pytest.param(point, marks=pytest.mark.deep) for point in POINTS[:-1]),
    ],
)
def test_a_stopped_writer_is_replaced(root: Path, home: Path, tmp_path: Path, point: str) -> None:
    """A laptop sleeps in the middle of a sync; what it read then is old when it wakes."""
    write_tree(root, OLD)
    engine_over(root, home).sync()
    write_tree(root, THEIRS)
    with stopped_at(point, root, home) as process:
        write_tree(root, OURS)
        ours = engine_over(root, home)
        report = ours.sync()
        with ours.target() as target:
            collect_garbage(target, deadline=Deadline.after(target.clock, 0))
        status, out, err = resumed(process)

    assert report.published
    assert (status, out) == (1, ""), err
    assert "another writer took over" in err
    assert "Traceback" not in err
    view = engine_over(root, home).view()
    assert (view.manifest.snapshot_id, view.notices) == (report.snapshot_id, ())
    assert not engine_over(root, home).sync().published
    check_fresh(root, home, tmp_path / "fresh")


@pytest.mark.parametrize(
    "point",
    ["publish.before_swap", pytest.param("lease.after_record", marks=pytest.mark.deep)],
)
def test_a_guarded_writer_stays(root: Path, home: Path, tmp_path: Path, point: str) -> None:
    """Between check and swap no time to live counts: two pointers would be written."""
    write_tree(root, OLD)
    engine_over(root, home).sync()
    write_tree(root, THEIRS)
    ours = engine_over(root, home)
    with stopped_at(point, root, home) as process:
        with ours.target() as target, pytest.raises(Busy):
            sync(target, deadline=Deadline.after(target.clock, 3 * TTL_MS))
        status, out, err = resumed(process)

    assert (status, out) == (0, "swapped\n"), err
    assert not ours.sync().published, "the first published what there was"
    check_fresh(root, home, tmp_path / "fresh")


@pytest.mark.deep
def test_a_swap_before_the_takeover_counts(root: Path, home: Path, tmp_path: Path) -> None:
    """Its snapshot was active, and the next one follows it."""
    write_tree(root, OLD)
    with stopped_at("publish.after_record", root, home) as process:
        first = engine_over(root, home).view().manifest.snapshot_id
        write_tree(root, OURS)
        report = engine_over(root, home).sync()
        status, out, err = resumed(process)

    assert (status, out) == (0, "swapped\n"), err
    manifest = engine_over(root, home).view().manifest
    assert (manifest.snapshot_id, manifest.parent_snapshot_id) == (report.snapshot_id, first)
    assert not engine_over(root, home).sync().published
    check_fresh(root, home, tmp_path / "fresh")


def test_a_slow_writer_that_beats_is_never_taken_over(root: Path, home: Path) -> None:
    """A first index of a large tree takes longer than any time to live."""
    write_tree(root, OLD)
    ours, theirs = engine_over(root, home), engine_over(root, home)
    beats, refused = threading.Semaphore(0), []

    def hook(point: str) -> None:
        if point == "lease.after_heartbeat":
            beats.release()
        elif point == "publish.before_segment":
            with theirs.target() as target, pytest.raises(Busy) as caught:
                sync(target, deadline=Deadline.after(target.clock, 2 * TTL_MS))
            refused.append(caught.value)
            assert beats.acquire(timeout=600)
            assert beats.acquire(timeout=600)

    with durable.watched(hook):
        report = ours.sync()

    assert len(refused) == 1
    assert report.published
    assert ours.view().manifest.lease_epoch == 1
