"""Stores in a known state, and the one write of each that a crash test interrupts."""

import shutil
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.clock import Deadline, SystemClock
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.index.maintenance.clone import clone_store
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.inventory import remove_store
from ggrep.index.maintenance.repair import repair
from ggrep.index.remote.collect import collect
from ggrep.index.remote.objects import open_objects
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.push_pull import pull_from, push_to
from tests.fakes.packs import pack
from tests.fakes.repos import open_engine, write_tree

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
FIRST = {"a.py": "def retry():\n    pass\n", "b.md": "# Queue\n", "c.py": "queue = 1\n"}
SECOND = {"e.py": "retry = 2\n", "c.py": "queue = 2\n"}
NAMED = {".ggrep.toml": 'repo_key = "team/shop"\n'}
CHANGE = {"a.py": "def retry_new():\n    pass\n", "b.md": None, "d.json": '{"queue": 1}\n'}


def engine_over(root: Path, home: Path) -> Engine:
    """Return an engine whose third segment folds the others, and that retains next to nothing."""
    return open_engine(
        root,
        home,
        max_segments=2,
        retain_snapshots_min=1,
        retain_snapshots_min_age_secs=0,
        query_timeout_ms=1,
        gc_safety_margin_ms=0,
        lease_ttl_ms=60_000,
    )


class Scenario(Struct, frozen=True):
    """One write and what stands before it.

    Attributes:
        prepare: writes the tree and brings the store into its first state.
        change: edits the tree before `act`.
        act: the write that is interrupted; returns when it is acknowledged.
        shows: whether `act` makes a change of the tree visible.
        answers_before: whether there is an index before `act`.
    """

    prepare: Callable[[Path, Path], None]
    change: Callable[[Path], None]
    act: Callable[[Path, Path], None]
    shows: bool = True
    answers_before: bool = True


def _nothing(root: Path, home: Path) -> None:
    write_tree(root, FIRST)


def _two_segments(root: Path, home: Path) -> None:
    write_tree(root, FIRST)
    engine_over(root, home).sync()
    write_tree(root, SECOND)
    engine_over(root, home).sync()


def _folded(root: Path, home: Path) -> None:
    """Leave two segments that only an old snapshot names."""
    _two_segments(root, home)
    _change(root)
    engine_over(root, home).sync()


def _damaged(root: Path, home: Path) -> None:
    _two_segments(root, home)
    engine = engine_over(root, home)
    _collect(root, home)
    last = engine.view().manifest.segments[-1]
    shutil.rmtree(store_files.table_dir(engine.identity.store, last.table))


def _taken_over(root: Path, home: Path) -> None:
    """Leave the record of a writer that died."""
    _two_segments(root, home)
    record = store_files.lease_files(engine_over(root, home).identity.store).record
    values = stable_json.loads(record.read_bytes())
    record.write_bytes(stable_json.dumps(seal(values | {"released": False})))


def _change(root: Path) -> None:
    write_tree(root, CHANGE)


def _keep(root: Path) -> None:
    """Leave the tree as it is."""


def _sync(root: Path, home: Path) -> None:
    engine_over(root, home).sync()


def _sync_slowly(root: Path, home: Path) -> None:
    """Sync under a lease whose heart beats before the publish."""
    engine = open_engine(root, home, max_segments=2, lease_ttl_ms=250)
    stopped = threading.Event()
    engine.sync(progress=lambda _: bool(stopped.wait(0.4)) or None)  # longer than a third of it


def _compact(root: Path, home: Path) -> None:
    with engine_over(root, home).target() as target:
        compact(target, force=True)


def _collect(root: Path, home: Path) -> None:
    with engine_over(root, home).target() as target:
        collect_garbage(target, deadline=Deadline.after(target.clock, 1000))


def _repair(root: Path, home: Path) -> None:
    with engine_over(root, home).target() as target:
        repair(target)


def _remove(root: Path, home: Path) -> None:
    engine = engine_over(root, home)
    remove_store(Home(home), engine.identity.store_id, clock=SystemClock())


def _rebuild(root: Path, home: Path) -> None:
    engine_over(root, home).sync(fresh=True)


def _clone(root: Path, home: Path) -> None:
    engine = engine_over(root, home)
    from_id = engine.identity.store_id
    clone_store(Home(home), from_id, f"{from_id}-copy", engine.settings)


def _some_packed(root: Path, home: Path) -> None:
    """Leave a pack of the first of two repositories, and the second beside it."""
    _two_segments(root, home)
    _pack(root, home)
    other = root.with_name("other")
    write_tree(other, CHANGE)
    engine_over(other, home).sync()


def _pack(_: Path, home: Path) -> None:
    pack(Home(home))


def _sync_over_a_small_cache(root: Path, home: Path) -> None:
    open_engine(root, home, max_segments=2, max_cache_bytes=1).sync()


def remote_beside(home: Path) -> Remote:
    return Remote("origin", f"file://{home}/remote")


def _to_be_pulled(root: Path, home: Path) -> None:
    """Leave files that somebody else has indexed and pushed as they will be."""
    home.mkdir(mode=0o700)
    write_tree(root, FIRST | NAMED)
    other = root.with_name("other")
    write_tree(other, FIRST | SECOND | CHANGE | NAMED)
    engine = engine_over(other, home.with_name("elsewhere"))
    engine.sync()
    push_to(engine, remote_beside(home))


def _stale(root: Path, home: Path) -> None:
    _to_be_pulled(root, home)
    engine_over(root, home).sync()
    write_tree(root, SECOND)
    engine_over(root, home).sync()


def _to_be_pushed(root: Path, home: Path) -> None:
    write_tree(root, NAMED)
    _two_segments(root, home)


def _as_pushed(root: Path) -> None:
    write_tree(root, SECOND | CHANGE)


def _pull(root: Path, home: Path) -> None:
    pull_from(engine_over(root, home), remote_beside(home))


def _push(root: Path, home: Path) -> None:
    push_to(engine_over(root, home), remote_beside(home))


def _pushed_twice(root: Path, home: Path) -> None:
    """Leave a push that the ref remembers and objects that nothing leads to."""
    _to_be_pushed(root, home)
    _push(root, home)
    objects = open_objects(remote_beside(home), time.sleep)
    objects.put("blobs/" + "0" * 64, b"left")


def _collect_remote(_: Path, home: Path) -> None:
    objects = open_objects(remote_beside(home), time.sleep)
    collect(objects, SystemClock(), grace=timedelta(0), force=True)


SCENARIOS = {
    "first": Scenario(_nothing, _keep, _sync, answers_before=False),
    "fold": Scenario(_two_segments, _change, _sync),
    "takeover": Scenario(_taken_over, _change, _sync),
    "heartbeat": Scenario(_two_segments, _change, _sync_slowly),
    "compact": Scenario(_two_segments, _keep, _compact, shows=False),
    "collect": Scenario(_folded, _keep, _collect, shows=False),
    "repair": Scenario(_damaged, _keep, _repair, answers_before=False),
    "rebuild": Scenario(_two_segments, _change, _rebuild),
    "evict": Scenario(_two_segments, _change, _sync_over_a_small_cache),
    "clone": Scenario(_two_segments, _keep, _clone, shows=False),
    "remove": Scenario(_two_segments, _keep, _remove),
    "first pull": Scenario(_to_be_pulled, _as_pushed, _pull, answers_before=False),
    "pull": Scenario(_stale, _as_pushed, _pull),
    "push": Scenario(_to_be_pushed, _keep, _push, shows=False),
    "collect remote": Scenario(_pushed_twice, _keep, _collect_remote, shows=False),
    "pack": Scenario(_some_packed, _keep, _pack, shows=False),
}
