"""What a session explores is not collected before the session ends, and then like all else."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import force_setattr

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, NoIndex, SessionExpired
from ggrep.base.identifiers import derived_id
from ggrep.base.ids import SnapshotId
from ggrep.base.locks import Patience
from ggrep.config import store_files
from ggrep.index.maintenance.checks import audit
from ggrep.index.maintenance.clone import clone_store
from ggrep.index.maintenance.collection import collect_garbage, preview
from ggrep.index.maintenance.inventory import remove_store
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.pins import pinned
from ggrep.index.store.verify import Verifier
from ggrep.model.maintenance import CollectionReport
from ggrep.model.slate import SESSION_SECS
from ggrep.search.engine.engine import Engine
from ggrep.search.slate.sessions import Sessions, session_key
from ggrep.search.slate.tokens import SessionToken
from tests.fakes.built_store import built_once
from tests.fakes.clocks import ManualClock
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.slow

TTL = timedelta(seconds=SESSION_SECS)
SESSION = derived_id("a question")
FLAGS = {"retain_snapshots_min": 2, "retain_snapshots_min_age_secs": 60, "max_segments": 3}


class Explored:
    """A store of many snapshots, the oldest of which is explored two days from now.

    Attributes:
        oldest: what the session explores.
        now: when it began.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.store = self.engine.identity.store
        self.oldest = SnapshotId(snapshots(self.store)[0])
        self.now: datetime = (self.engine.clock.now() + timedelta(days=2)).replace(microsecond=0)
        never = Deadline.never(self.engine.clock)
        self.key = session_key(
            engine.home, engine.identity.store_id, Patience(never, lambda _: None)
        )

    def begin(self) -> SessionToken:
        with self.engine.pin(self._never(), snapshot_id=self.oldest):
            return self._sessions(self.now).begin(self.oldest, SESSION)

    def resume(self, token: str, now: datetime) -> SessionToken:
        """Go on with it as a request does."""
        ours = self._sessions(now)
        with self.engine.pin(self._never(), snapshot_id=ours.snapshot_of(token)):
            return ours.resume(token)

    def _sessions(self, now: datetime) -> Sessions:
        return Sessions(self.store, self.engine.identity.store_id, self.key, now)

    def token(self, *paths: str) -> str:
        return self._sessions(self.now).advance(self.begin(), paths, "start").token

    def collect(self, now: datetime, readers_ms: int = 0) -> CollectionReport:
        """Collect at that moment."""
        with self.engine.target() as target:
            force_setattr(target, "clock", ManualClock(now))
            deadline = Deadline.after(target.clock, 0)
            return collect_garbage(target, deadline=deadline, readers_ms=readers_ms)

    def look(self, now: datetime) -> CollectionReport:
        return preview(self.store, self.engine.settings, ManualClock(now))

    def _never(self) -> Deadline:
        return Deadline.never(self.engine.clock)


def build(root: Path, home: Path) -> None:
    """Publish five snapshots."""
    engine = open_engine(root, home, **FLAGS)
    for number in range(5):
        write_tree(root, {f"{number}.py": f"def retry_{number}():\n    pass\n"})
        engine.sync()


engine = built_once(build, **FLAGS)


@pytest.fixture
def explored(engine: Engine) -> Explored:
    """Return it with nothing begun yet."""
    return Explored(engine)


def snapshots(store: Path) -> list[str]:
    return sorted(path.name for path in store_files.snapshots_dir(store).iterdir())


def pin_files(store: Path) -> list[str]:
    return [path.name for path in store_files.pins_dir(store).iterdir()]


def test_an_explored_snapshot_stays_whole_until_the_session_ends(explored: Explored) -> None:
    """A follow-up reads its rows; then it goes as any other, and the pin with it."""
    token = explored.token("0.py")
    report = explored.collect(explored.now + TTL / 2)

    assert explored.oldest in report.retained_snapshots
    assert len(report.deleted_snapshots) == 2, "all others went"
    manifest = read_manifest(explored.store, explored.oldest)
    Verifier(explored.store, full=True).manifest(manifest)
    assert explored.resume(token, explored.now + TTL / 2).has_seen("0.py")

    assert explored.look(explored.now + TTL).deleted_snapshots == ()
    end = explored.now + TTL * 1.5
    assert explored.look(end).deleted_snapshots == (explored.oldest,)
    assert explored.collect(end).deleted_snapshots == (explored.oldest,)
    assert pin_files(explored.store) == []
    with pytest.raises(SessionExpired):
        explored.resume(token, end)


def test_what_a_killed_request_pinned_goes_in_time(explored: Explored) -> None:
    """Its client never got the token: nobody will go on, and nobody can let go."""
    explored.begin()
    place = store_files.pins_dir(explored.store)
    (place / f".{explored.oldest}.{SESSION}.json.1.0.tmp").write_bytes(b'{"ver')

    explored.collect(explored.now)
    assert pin_files(explored.store) == [f"{explored.oldest}.{SESSION}.json"]
    assert explored.collect(explored.now + TTL).deleted_snapshots == (explored.oldest,)
    assert pin_files(explored.store) == []


def test_no_session_begins_while_a_collection_decides(explored: Explored) -> None:
    with explored.engine.pin(explored._never()):
        explored.begin()
        with pytest.raises(Busy, match="query"):
            explored.collect(explored.now)

    assert explored.oldest in explored.collect(explored.now).retained_snapshots


def test_pins_are_no_damage_and_no_garbage(explored: Explored) -> None:
    """An audit finds nothing, a preview sees them and touches none, and a clone takes none over."""
    bare = explored.look(explored.now)
    explored.begin()
    result = audit(explored.store, explored.engine.identity.store_id)

    assert result.ok
    assert result.orphans == ()
    assert bare.freed_bytes > explored.look(explored.now).freed_bytes > 0

    before = pin_files(explored.store)

    assert explored.oldest in explored.look(explored.now).retained_snapshots
    assert explored.oldest in explored.look(explored.now + 3 * TTL).deleted_snapshots
    assert pin_files(explored.store) == before

    assert pinned(clone(explored), explored.now) == frozenset()
    assert pinned(explored.store, explored.now) == {explored.oldest}


def clone(explored: Explored) -> Path:
    store_id = explored.engine.identity.store_id
    home = explored.engine.home
    clone_store(home, store_id, f"{store_id}-copy", explored.engine.settings)
    return explored.store.with_name(f"{store_id}-copy")


def rebuild(explored: Explored) -> None:
    explored.engine.sync(fresh=True)


def remove(explored: Explored) -> None:
    remove_store(explored.engine.home, explored.engine.identity.store_id)


@pytest.mark.parametrize(
    ("replace", "error"), [(rebuild, SessionExpired), (remove, (SessionExpired, NoIndex))]
)
def test_sessions_end_with_the_store_they_explored(
    explored: Explored, replace: Callable[[Explored], None], error: type[Exception]
) -> None:
    """A rebuild drops what was there before, damaged or not; clients start anew."""
    token = explored.token()
    replace(explored)

    with pytest.raises(error):
        explored.resume(token, explored.now)
