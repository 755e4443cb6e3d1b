"""A session explores one snapshot, knows what it returned, and ends by itself."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import (
    CorruptStore,
    InvalidRequest,
    SessionExpired,
    SessionFull,
    SnapshotGone,
)
from ggrep.base.identifiers import derived_id
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config import store_files
from ggrep.index.store.pins import read_pin
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SESSION_SECS, SessionOp, SessionState
from ggrep.search.engine import snapshots
from ggrep.search.engine.engine import Engine
from ggrep.search.slate.sessions import Sessions
from ggrep.search.slate.tokens import MAX_SEEN, SessionToken, path_hash, seen_set_digest
from tests.fakes.repos import open_engine, write_tree

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
TTL = timedelta(seconds=SESSION_SECS)
STORE_ID = StoreId("shop-0123456789ab-0123456789ab")
SNAPSHOT = SnapshotId("01ARZ3NDEKTSV4RRFFQ69G5FAV")
SESSION = derived_id("a question")
KEY = bytes(32)
MISSING = SnapshotId("01BX5ZZKBKACTAV9WEVGEMMVRZ")


@pytest.fixture
def store(home: Path) -> Path:
    """Return a store that holds one snapshot's manifest, as far as its being there goes."""
    path = home / "data" / STORE_ID
    file = store_files.manifest_file(path, SNAPSHOT)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"{}")
    return path


def begun(store: Path) -> SessionToken:
    return Sessions(store, STORE_ID, KEY, NOW).begin(SNAPSHOT, SESSION)


def advance(session: SessionToken, paths: Iterable[str], op: SessionOp) -> SessionState:
    """Return the state after a step; the store itself does not matter."""
    return Sessions(Path(), STORE_ID, KEY, NOW).advance(session, paths, op)


def gone_on(token: str, store: Path, now: datetime = NOW) -> SessionToken:
    return Sessions(store, STORE_ID, KEY, now).resume(token)


def test_a_session_knows_what_it_returned(store: Path) -> None:
    """The next slate leaves that out, in whatever process it is made."""
    first = advance(begun(store), ["b.py", "a.py", "b.py"], "start")
    session = gone_on(first.token, store)
    second = advance(session, ["a.py", "c.py"], "refine")

    assert (first.op, first.seen_files, first.expires_in_secs) == ("start", 2, 3_600)
    assert [session.has_seen(path) for path in ("a.py", "b.py", "c.py")] == [True, True, False]
    assert (second.op, second.seen_files) == ("refine", 3)
    assert second.seen_set_digest == seen_set_digest(map(path_hash, ("a.py", "b.py", "c.py")))
    assert session.snapshot_id == SNAPSHOT


def test_the_same_steps_give_the_same_tokens(store: Path) -> None:
    """A token says nothing of when or where it was made; asking again goes nowhere else."""
    first = advance(begun(store), ["a.py"], "start")
    later = gone_on(first.token, store, NOW + TTL / 2)
    again = gone_on(first.token, store, NOW + TTL)

    assert advance(begun(store), ("a.py",), "start") == first
    assert advance(later, ["c.py", "b.py"], "expand") == advance(again, ["b.py", "c.py"], "expand")


def test_a_session_lives_an_hour_beyond_its_last_use(store: Path) -> None:
    """Its client may think for a while; nobody else has to keep the snapshot for ever."""
    token = advance(begun(store), [], "start").token
    gone_on(token, store, NOW + TTL / 2)
    gone_on(token, store, NOW + TTL)

    assert Sessions(store, STORE_ID, KEY, NOW + TTL * 1.9).snapshot_of(token) == SNAPSHOT
    with pytest.raises(SessionExpired, match="start a new session"):
        gone_on(token, store, NOW + TTL * 2)
    pin = read_pin(store, SNAPSHOT, SESSION)
    assert pin is not None
    assert pin.expires_at == NOW + TTL * 2, "an expired one is not brought back"


def test_looking_for_its_snapshot_does_not_prolong_a_session(store: Path) -> None:
    """The snapshot is not held yet, so a collection may be deciding right now."""
    token = advance(begun(store), [], "start").token
    before = read_pin(store, SNAPSHOT, SESSION)
    Sessions(store, STORE_ID, KEY, NOW + TTL / 2).snapshot_of(token)

    assert read_pin(store, SNAPSHOT, SESSION) == before


def test_a_session_without_a_pin_has_expired(store: Path) -> None:
    """A collection removed it, or a clone took the store's place: clients start anew."""
    token = advance(begun(store), [], "start").token
    store_files.pin_file(store, SNAPSHOT, SESSION).unlink()

    with pytest.raises(SessionExpired):
        Sessions(store, STORE_ID, KEY, NOW).snapshot_of(token)
    with pytest.raises(SessionExpired):
        gone_on(token, store)
    assert not store_files.pin_file(store, SNAPSHOT, SESSION).exists()


def test_a_session_whose_snapshot_went_has_expired(store: Path) -> None:
    """A rebuild drops all snapshots of before, and asks no pin."""
    token = advance(begun(store), [], "start").token
    store_files.manifest_file(store, SNAPSHOT).unlink()

    with pytest.raises(SessionExpired):
        Sessions(store, STORE_ID, KEY, NOW).snapshot_of(token)


def test_a_token_of_another_store_starts_nothing(store: Path) -> None:
    """Nor does it prolong anything."""
    token = advance(begun(store), [], "start").token
    other = StoreId(STORE_ID + "-copy")

    with pytest.raises(InvalidRequest):
        Sessions(store, other, KEY, NOW + TTL / 2).resume(token)
    with pytest.raises(InvalidRequest):
        Sessions(store, STORE_ID, bytes([1] * 32), NOW + TTL / 2).resume(token)
    pin = read_pin(store, SNAPSHOT, SESSION)
    assert pin is not None
    assert pin.expires_at == NOW + TTL


def test_a_session_is_full_rather_than_forgetful(store: Path) -> None:
    """It still goes on with files that it has returned."""
    paths = [f"{number}.py" for number in range(MAX_SEEN)]
    session = gone_on(advance(begun(store), paths, "start").token, store)

    assert advance(session, paths[:9], "refine").seen_files == MAX_SEEN
    with pytest.raises(SessionFull):
        advance(session, ["new.py"], "refine")


def test_a_key_is_not_shown(store: Path) -> None:
    """Sessions may reach a log."""
    assert repr(KEY) not in repr(Sessions(store, STORE_ID, KEY, NOW))


def never() -> Deadline:
    return Deadline.never(SystemClock())


def published(root: Path, home: Path, count: int) -> tuple[Engine, list[SnapshotId]]:
    """Return an engine over snapshots of different answers, the oldest first."""
    engine, ids = open_engine(root, home), []
    for number in range(count):
        write_tree(root, {"a.py": f"def retry_{number}():\n    pass\n"})
        engine.sync()
        ids.append(engine.view().manifest.snapshot_id)
    return engine, ids


def shown(engine: Engine, snapshot_id: SnapshotId) -> list[str]:
    """Return the names that a snapshot answers with."""
    with engine.pin(never(), snapshot_id=snapshot_id) as view:
        assert view.manifest.snapshot_id == snapshot_id
    answer = engine.search(SearchRequest("retry", deterministic=True), snapshot_id=snapshot_id)
    return [hit.name for hit in answer.hits]


@pytest.mark.slow
def test_an_older_snapshot_is_answered_from(root: Path, home: Path) -> None:
    """A session sees what it saw at first, whatever was published since."""
    engine, ids = published(root, home, 4)

    assert [shown(engine, each) for each in ids] == [[f"retry_{n}"] for n in range(4)]
    assert engine.view().manifest.snapshot_id == ids[-1]
    assert shown(engine, ids[0]) == ["retry_0"]


@pytest.mark.slow
def test_the_snapshots_asked_for_last_stay_open(root: Path, home: Path) -> None:
    """A follow-up costs what a query costs; and what is open is bounded."""
    engine, ids = published(root, home, 4)

    def view(number: int) -> object:
        with engine.pin(never(), snapshot_id=ids[number]) as result:
            return result

    first, second = view(0), view(1)
    assert (view(0), view(1)) == (first, second)
    assert view(0) is first
    assert view(3) is engine.view(), "the active one is open already"
    third = view(2)
    assert view(0) is first
    assert view(2) is third
    assert view(1) is not second
    assert snapshots.MAX_OPENED == 2


@pytest.mark.slow
def test_a_snapshot_that_went_is_said_to_be_gone(root: Path, home: Path) -> None:
    """Opened before or not; and neither damage nor another snapshot is answered from."""
    engine, ids = published(root, home, 2)
    shown(engine, ids[0])
    store_files.manifest_file(engine.identity.store, ids[0]).unlink()

    for snapshot_id in (ids[0], MISSING):
        with (
            pytest.raises(SnapshotGone, match=snapshot_id),
            engine.pin(never(), snapshot_id=snapshot_id),
        ):
            pass


@pytest.mark.slow
def test_damage_of_a_pinned_snapshot_is_said(root: Path, home: Path) -> None:
    """No other snapshot stands in for it: the session is about this one."""
    engine, ids = published(root, home, 2)
    store_files.manifest_file(engine.identity.store, ids[0]).write_bytes(b"x")
    with pytest.raises(CorruptStore), engine.pin(never(), snapshot_id=ids[0]):
        raise CorruptStore("as a query finds it")

    with pytest.raises(CorruptStore), engine.pin(never(), snapshot_id=ids[0]):
        pass
    assert shown(engine, ids[1]) == ["retry_1"]
