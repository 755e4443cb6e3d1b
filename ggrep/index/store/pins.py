"""Pins: records in a store that keep a snapshot for an exploration session.

A session outlives its requests, and nobody holds a lock in between: a collection reads these
records instead, holding the readers' lock alone, and takes no snapshot that one of them names. A
pin is written under the same lock, shared, so that none appears while a collection decides. What
a dead session leaves is a record that ends by itself.
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
"""Sessions of a store that run at once; writers in a race may pass it by one each."""

_VERSION: Final = 1
"""Layout of a pin: 1. version, both ids, when it was made, when it ends."""

_TTL: Final = timedelta(seconds=SESSION_SECS)
_LONGEST: Final = 2 * _TTL
"""What claims to hold longer was not written by us, or by a clock that is far ahead of ours."""

_MAX_BYTES: Final = 4_096
_NAME: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}\.[0-9A-HJKMNP-TV-Z]{26}\.json")


class Pin(Struct, frozen=True):
    """A session's hold on a snapshot.

    Attributes:
        expires_at: after that a collection may take the snapshot; UTC.
    """

    snapshot_id: SnapshotId
    session_id: str
    created_at: datetime
    expires_at: datetime

    def holds(self, now: datetime) -> bool:
        """Return whether the snapshot is still kept."""
        return timedelta() < self.expires_at - now <= _LONGEST


class _Record(Struct, frozen=True):
    """A pin's file, as JSON has it."""

    version: int
    snapshot_id: str
    session_id: str
    created_at: str
    expires_at: str


def write_pin(store: Path, snapshot_id: SnapshotId, session_id: str, now: datetime) -> Pin:
    """Keep a snapshot for a session, durably, and return the pin.

    Requires: the caller holds the readers' lock, and the snapshot is there.

    Raises:
        Busy: as many sessions as there may be run already.
        StoreError: those that run cannot be read now.
        OSError: it cannot be written.
    """
    held = read_pin(store, snapshot_id, session_id)
    if held is None or not held.holds(now):
        _require_room(store, now)
    pin = Pin(snapshot_id, session_id, now.replace(microsecond=0), _end(now))
    _write(store, pin)
    return pin


def extend(store: Path, pin: Pin, now: datetime) -> Pin:
    """Keep the snapshot for as long again from now, and return the pin.

    Requires: the caller holds the readers' lock, and the pin holds.

    Raises:
        OSError: it cannot be written.
    """
    longer = Pin(pin.snapshot_id, pin.session_id, pin.created_at, _end(now))
    _write(store, longer)
    return longer


def read_pin(store: Path, snapshot_id: SnapshotId, session_id: str) -> Pin | None:
    """Return a session's pin, whether or not it still holds; None when there is none.

    Raises:
        StoreError: it cannot be read now.
    """
    return _read(store_files.pin_file(store, snapshot_id, session_id))


def pinned(store: Path, now: datetime) -> frozenset[SnapshotId]:
    """Return the snapshots that sessions keep.

    Raises:
        StoreError: a pin cannot be read now, so what has to stay is not known.
    """
    return frozenset(pin.snapshot_id for pin in _holding(store, now))


def sweep_pins(store: Path, now: datetime) -> None:
    """Remove pins that hold no longer, damaged ones, and what dead writers left of some.

    Requires: the caller holds the readers' lock alone.
    """
    live = {_file(store, pin) for pin in _holding(store, now)}
    for path in entries(store_files.pins_dir(store)):
        if path not in live:
            with suppress(OSError):  # no file of ours, or gone
                path.unlink()


def _require_room(store: Path, now: datetime) -> None:
    """Do nothing while there is room for one more; expired pins give way.

    Collections may be rare, and the directory must not grow for ever. A session whose pin is
    removed here just as it is extended finds that it expired.
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
        raise Busy(f"{len(live)} sessions explore this index", retry_after_ms=wait_ms)


def _end(now: datetime) -> datetime:
    """Return when a pin that is used now ends: a whole second, as its file has it, not before."""
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
    with suppress(FileExistsError):  # not its parents: a store that is gone stays gone
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
    """Return the pin in a file; None when it is gone or none of ours."""
    if not _NAME.fullmatch(path.name):
        return None
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError as error:
        failure = read_failure(f"pins/{path.name}", error)
        if isinstance(failure, CorruptStore):
            return None  # gone, or a directory
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
