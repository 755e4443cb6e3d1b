"""A pin keeps a snapshot for a while after each use, and never longer."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import Busy, StoreError
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.index.store import pins
from ggrep.index.store.pins import (
    MAX_PINS,
    extend,
    pinned,
    read_pin,
    sweep_pins,
    write_pin,
)
from ggrep.model.slate import SESSION_SECS
from tests.crash.faults import Death, recorded

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
TTL = timedelta(seconds=SESSION_SECS)
SECOND = timedelta(seconds=1)
SNAPSHOT = SnapshotId("01ARZ3NDEKTSV4RRFFQ69G5FAV")
OTHER = SnapshotId("01BX5ZZKBKACTAV9WEVGEMMVRZ")


def session(number: int) -> str:
    return f"{number:026}"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return an empty store."""
    path = tmp_path / "home" / "data" / "store"
    path.mkdir(parents=True)
    return path


def files(store: Path) -> list[str]:
    return sorted(path.name for path in store_files.pins_dir(store).iterdir())


def test_a_pin_keeps_its_snapshot_for_an_hour(store: Path) -> None:
    """The client was told so."""
    pin = write_pin(store, SNAPSHOT, session(1), NOW)

    assert read_pin(store, SNAPSHOT, session(1)) == pin
    assert pin.expires_at == NOW + TTL
    assert pinned(store, NOW) == pinned(store, NOW + TTL - SECOND) == {SNAPSHOT}
    assert pinned(store, NOW + TTL) == frozenset()


def test_a_pin_says_what_its_file_says(store: Path) -> None:
    """Files have whole seconds; a client's hour is not cut short by one."""
    pin = write_pin(store, SNAPSHOT, session(1), NOW + SECOND / 3)
    longer = extend(store, pin, NOW + SECOND * 4 / 3)

    assert (pin.created_at, pin.expires_at) == (NOW, NOW + TTL + SECOND)
    assert longer == read_pin(store, SNAPSHOT, session(1))
    assert longer.expires_at == NOW + TTL + 2 * SECOND


def test_each_use_keeps_it_for_as_long_again(store: Path) -> None:
    """An exploration takes as long as it takes; when it began stays known."""
    pin = write_pin(store, SNAPSHOT, session(1), NOW)
    longer = extend(store, pin, NOW + TTL / 2)

    assert read_pin(store, SNAPSHOT, session(1)) == longer
    assert (longer.created_at, longer.expires_at) == (NOW, NOW + TTL * 1.5)
    assert pinned(store, NOW + TTL) == {SNAPSHOT}


def test_a_snapshot_stays_until_its_last_session_ends(store: Path) -> None:
    """Sessions know nothing of each other."""
    write_pin(store, SNAPSHOT, session(1), NOW)
    write_pin(store, SNAPSHOT, session(2), NOW + TTL / 2)
    write_pin(store, OTHER, session(3), NOW)

    assert pinned(store, NOW + TTL / 2) == {SNAPSHOT, OTHER}
    assert pinned(store, NOW + TTL) == {SNAPSHOT}


def test_a_store_without_sessions_pins_nothing(store: Path) -> None:
    """Most have none; a pin that is written late does not bring back a part of a removed store."""
    assert pinned(store, NOW) == frozenset()
    assert read_pin(store, SNAPSHOT, session(1)) is None
    sweep_pins(store, NOW)
    assert not store_files.pins_dir(store).exists()

    store.rmdir()

    with pytest.raises(FileNotFoundError):
        write_pin(store, SNAPSHOT, session(1), NOW)
    assert not store.exists()


def test_pins_have_the_modes_of_their_store(store: Path) -> None:
    """In a shared home every daemon of the group extends them; else they are nobody's business."""
    store.chmod(0o2770)
    write_pin(store, SNAPSHOT, session(1), NOW)

    file = store_files.pin_file(store, SNAPSHOT, session(1))
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o2770
    assert stat.S_IMODE(file.stat().st_mode) == 0o660


DAMAGE = {
    "empty": b"",
    "cut": b'{"version": 1, "snap',
    "no object": b"[]",
    "no version": b'{"snapshot_id": "x"}',
    "not text": b"\xff" * 100,
    "long": b" " * 10_000 + b"{}",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_pin_keeps_nothing_and_goes(store: Path, damage: str) -> None:
    """It would keep its snapshot for ever: nobody knows when it ends."""
    write_pin(store, SNAPSHOT, session(1), NOW)
    write_pin(store, OTHER, session(2), NOW)
    store_files.pin_file(store, SNAPSHOT, session(1)).write_bytes(DAMAGE[damage])

    assert pinned(store, NOW) == {OTHER}
    assert read_pin(store, SNAPSHOT, session(1)) is None
    sweep_pins(store, NOW)
    assert files(store) == [f"{OTHER}.{session(2)}.json"]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"snapshot_id": OTHER},
        {"session_id": session(2)},
        {"expires_at": "2026-01-01T13:00:00"},
        {"expires_at": "2026-01-01T13:00:00+05:00"},
        {"expires_at": "9999-12-31T23:59:59Z"},
        {"expires_at": None},
        {"created_at": "soon"},
    ],
)
def test_a_foreign_pin_keeps_nothing(store: Path, change: dict[str, stable_json.Json]) -> None:
    """Neither another session's, nor one that claims to hold for ever."""
    write_pin(store, SNAPSHOT, session(1), NOW)
    file = store_files.pin_file(store, SNAPSHOT, session(1))
    file.write_bytes(stable_json.dumps(stable_json.loads(file.read_bytes()) | change))

    assert pinned(store, NOW) == frozenset()
    sweep_pins(store, NOW)
    assert files(store) == []


def test_strange_names_are_no_pins(store: Path) -> None:
    """A directory, a link to nowhere, somebody's notes: none of them stops a collection."""
    write_pin(store, SNAPSHOT, session(1), NOW)
    place = store_files.pins_dir(store)
    (place / "notes").write_bytes(b"x")
    (place / f"{OTHER}.{session(2)}.json").mkdir()
    (place / f"{OTHER}.{session(3)}.json").symlink_to("nowhere")
    (place / f".{OTHER}.{session(4)}.json.7.0.tmp").write_bytes(b"{")

    assert pinned(store, NOW) == {SNAPSHOT}
    sweep_pins(store, NOW)
    assert files(store) == [f"{SNAPSHOT}.{session(1)}.json", f"{OTHER}.{session(2)}.json"]


def test_an_unreadable_pin_is_an_error(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process without descriptors would let a collection take what a session explores."""
    write_pin(store, SNAPSHOT, session(1), NOW)

    def fail(*_: object, **__: object) -> int:
        raise OSError(24, os.strerror(24))

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(StoreError, match=r"pins/01ARZ.*Too many open files"):
        pinned(store, NOW)


def test_sessions_are_bounded(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that starts sessions in a loop does not end those of others."""
    monkeypatch.setattr(pins, "MAX_PINS", 3)
    for number in range(3):
        write_pin(store, SNAPSHOT, session(number), NOW + number * SECOND)
    with pytest.raises(Busy) as caught:
        write_pin(store, SNAPSHOT, session(9), NOW + 10 * SECOND)

    assert caught.value.retry_after_ms == (SESSION_SECS - 10) * 1000
    assert len(files(store)) == 3
    first = write_pin(store, SNAPSHOT, session(0), NOW + 10 * SECOND)
    extend(store, first, NOW + 20 * SECOND)
    write_pin(store, SNAPSHOT, session(9), NOW + TTL + SECOND)
    assert len(files(store)) == 3, "the one that had ended gave way"
    assert MAX_PINS == 256


@pytest.mark.parametrize("step", range(4))
def test_a_death_leaves_no_pin_or_a_whole_one(store: Path, step: int) -> None:
    """Its client got no token, so nobody misses it; and nothing of it stays for ever."""
    with pytest.raises(Death), recorded(die_at=step):
        write_pin(store, SNAPSHOT, session(0), NOW)

    assert pinned(store, NOW) == (frozenset() if step < 3 else {SNAPSHOT})
    sweep_pins(store, NOW + TTL)
    assert files(store) == []


@pytest.mark.parametrize("step", range(3))
def test_a_death_leaves_the_pin_of_before_or_a_longer_one(store: Path, step: int) -> None:
    """A session that runs survives a daemon that is killed while it prolongs it."""
    pin = write_pin(store, SNAPSHOT, session(0), NOW)
    with pytest.raises(Death), recorded(die_at=step):
        extend(store, pin, NOW + TTL / 2)

    assert pinned(store, NOW + TTL - SECOND) == {SNAPSHOT}
    assert pinned(store, NOW + TTL) == (frozenset() if step < 2 else {SNAPSHOT})
