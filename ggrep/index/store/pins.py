"""Pins: records in a store that keep a snapshot for a session.

A session lasts longer than its requests and has no lock between them. A collection, which deletes
unused files, takes the readers' lock exclusively, reads the pins, and keeps every pinned snapshot.
A pin is written under the readers' lock, taken shared, so no pin is added during a collection. The
pin of an abandoned session expires.
"""

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.clock import rfc3339
from ggrep.base.errors import Busy, CorruptStore
from ggrep.base.ids import SnapshotId
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config import store_files
from ggrep.index.store.needed_files import entries
from ggrep.index.store.read_failures import read_failure
from ggrep.model.slate import SESSION_SECS

MAX_PINS: Final = 256
"""Maximum number of sessions of a store; each simultaneous writer can exceed it by one."""

_VERSION: Final = 1
"""Layout of a pin: 1. version, both ids, time of creation, time of expiry."""

_TTL: Final = timedelta(seconds=SESSION_SECS)
_LONGEST: Final = 2 * _TTL
"""Longest time until a pin's expiry.

A pin that expires later is not from ggrep, or from a machine whose clock is far ahead.
"""

_MAX_BYTES: Final = 4_096
_NAME: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}\.[0-9A-HJKMNP-TV-Z]{26}\.json")


class Pin(Struct, frozen=True):
    """A record that keeps a snapshot for a session.

    Attributes:
        expires_at: when a collection may delete the snapshot; UTC.
    """

    snapshot_id: SnapshotId
    session_id: str
    created_at: datetime
    expires_at: datetime

    def holds(self, now: datetime) -> bool:
        """Return whether the pin still keeps the snapshot."""
        return timedelta() < self.expires_at - now <= _LONGEST


class _Record(Struct, frozen=True):
    version: int
    snapshot_id: str
    session_id: str
    created_at: str
    expires_at: str


def write_pin(store: Path, snapshot_id: SnapshotId, session_id: str, now: datetime) -> Pin:
    """Write a pin that keeps a snapshot for a session, sync it, and return it.

    Requires: the caller holds the readers' lock, and the snapshot exists.

    Raises:
        Busy: there are already MAX_PINS sessions.
        StoreError: the other pins cannot be read now.
        OSError: the pin cannot be written.
    """
    current = read_pin(store, snapshot_id, session_id)
    if current is None or not current.holds(now):
        _require_room(store, now)
    pin = Pin(snapshot_id, session_id, now.replace(microsecond=0), _end(now))
    _write(store, pin)
    return pin


def extend(store: Path, pin: Pin, now: datetime) -> Pin:
    """Set the expiry of a pin to the full lifetime from now, and return the new pin.

    Requires: the caller holds the readers' lock, and the pin has not expired.

    Raises:
        OSError: the pin cannot be written.
    """
    longer = Pin(pin.snapshot_id, pin.session_id, pin.created_at, _end(now))
    _write(store, longer)
    return longer


def read_pin(store: Path, snapshot_id: SnapshotId, session_id: str) -> Pin | None:
    """Return a session's pin, expired or not; None without one.

    Raises:
        StoreError: the pin cannot be read now.
    """
    return _read(store_files.pin_file(store, snapshot_id, session_id))


def pinned(store: Path, now: datetime) -> frozenset[SnapshotId]:
    """Return the snapshots that pins keep.

    Raises:
        StoreError: a pin cannot be read now, so the pinned snapshots are unknown.
    """
    return frozenset(pin.snapshot_id for pin in _holding(store, now))


def sweep_pins(store: Path, now: datetime) -> None:
    """Remove expired and damaged pins, and temporary files of dead processes.

    Requires: the caller holds the readers' lock exclusively.
    """
    live = {_file(store, pin) for pin in _holding(store, now)}
    for path in entries(store_files.pins_dir(store)):
        if path not in live:
            with suppress(OSError):  # the file is not from ggrep, or already removed
                path.unlink()


def _require_room(store: Path, now: datetime) -> None:
    """Raise Busy if there are MAX_PINS pins; expired pins are removed first.

    Collections can be rare, and the directory must not grow without limit. A pin that expires while
    its session extends it can be removed.
    """
    files = [path for path in entries(store_files.pins_dir(store)) if _NAME.fullmatch(path.name)]
    if len(files) < MAX_PINS:
        return
    live = {_file(store, pin): pin for pin in _holding(store, now)}
    for path in files:
        if path not in live:
            with suppress(OSError):
                path.unlink()
    if len(live) >= MAX_PINS:
        ends = min(pin.expires_at for pin in live.values())
        wait_ms = math.ceil((ends - now).total_seconds() * 1000)
        raise Busy(f"too many sessions are open on this index: {len(live)}", retry_after_ms=wait_ms)


def _end(now: datetime) -> datetime:
    """Return the expiry of a pin that is written now, rounded up to the seconds that it stores."""
    return (now + _TTL + timedelta(microseconds=999_999)).replace(microsecond=0)


def _holding(store: Path, now: datetime) -> Iterator[Pin]:
    for path in entries(store_files.pins_dir(store)):
        pin = _read(path)
        if pin is not None and pin.holds(now):
            yield pin


def _file(store: Path, pin: Pin) -> Path:
    return store_files.pin_file(store, pin.snapshot_id, pin.session_id)


def _write(store: Path, pin: Pin) -> None:
    file = _file(store, pin)
    with suppress(FileExistsError):  # no parents: the store may be deleted
        durable.create_directory(file.parent)
        durable.sync_directory(store)
    record: dict[str, stable_json.Json] = {
        "version": _VERSION,
        "snapshot_id": pin.snapshot_id,
        "session_id": pin.session_id,
        "created_at": rfc3339(pin.created_at),
        "expires_at": rfc3339(pin.expires_at),
    }
    durable.replace_file(file, stable_json.dumps_pretty(record))


def _read(path: Path) -> Pin | None:
    """Return the pin in a file; None if it is missing or not a valid pin."""
    if not _NAME.fullmatch(path.name):
        return None
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError as error:
        failure = read_failure(f"pins/{path.name}", error)
        if isinstance(failure, CorruptStore):
            return None  # the file was removed, or is a directory
        raise failure from error
    pin = _pin(data)
    named = pin is not None and path.name == f"{pin.snapshot_id}.{pin.session_id}.json"
    return pin if named else None


def _pin(data: bytes) -> Pin | None:
    try:
        record = decode(_Record, stable_json.loads(data))
        made, ends = map(datetime.fromisoformat, (record.created_at, record.expires_at))
    except (DecodeError, ValueError):
        return None
    if record.version != _VERSION or (made.tzinfo, ends.tzinfo) != (UTC, UTC):
        return None
    return Pin(SnapshotId(record.snapshot_id), record.session_id, made, ends)
