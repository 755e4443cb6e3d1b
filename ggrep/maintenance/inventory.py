"""The stores of this home: what they are of, how large, and their removal."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ggrep import durable
from ggrep.clock import Clock, SystemClock
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import StoreId
from ggrep.errors import GgrepError, InvalidRequest
from ggrep.home import Home
from ggrep.layout import names
from ggrep.lease import Patience, alone
from ggrep.store.active import read_active
from ggrep.store.disk import store_bytes
from ggrep.store.manifest import read_manifest
from ggrep.store.tables import forget_connections

_READERS_MS = 1000
"""How long a removal waits for queries to end."""


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One store.

    Attributes:
        problem: why its snapshot could not be read; None when it could.
    """

    store_id: StoreId
    size_bytes: int
    canonical_root: str | None
    config_fingerprint: str | None
    active_snapshot_id: str | None
    created_at: str | None
    files: int
    chunks: int
    problem: str | None


def list_stores(home: Home) -> tuple[StoreEntry, ...]:
    """Return all stores of a home, by id. A single-level scan; nothing is written."""
    if not home.data.is_dir():
        return ()
    found = sorted(path for path in home.data.iterdir() if path.is_dir())
    return tuple(_entry(path) for path in found if not path.name.startswith("."))


def remove_store(
    home: Home,
    store_id: str,
    *,
    clock: Clock | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Delete a store; return the bytes that became free.

    It is moved aside in one step, so that whoever comes meanwhile, or after a crash, finds no
    index and not half of one. Its locks stay: a writer may be waiting for them.

    Args:
        home: the home that the store lies in.
        store_id: its name.
        clock: measures how long readers are waited for.
        wait: sleeps that many seconds.

    Raises:
        InvalidRequest: there is no such store.
        Busy: a writer holds it, or a reader did not finish within a second.
    """
    store = home.data / store_id
    if "/" in store_id or store_id.startswith(".") or not store_id or not store.is_dir():
        raise InvalidRequest(f"no store {store_id!r}; see: ggrep list")
    clock = clock or SystemClock()
    trash = names.trash_dir(store)
    no_writer = Patience(Deadline.after(clock, 0), wait, "a writer holds this store")
    with alone(names.lease_guard(store), no_writer):
        if trash.exists():
            shutil.rmtree(trash)  # left by a removal that died
        size = store_bytes(store)
        readers = Deadline.after(clock, _READERS_MS)
        no_reader = Patience(readers, wait, "a query is reading this store")
        with alone(names.readers_lock(store), no_reader):
            store.replace(trash)
        durable.sync_directory(home.data)
        shutil.rmtree(trash)
    forget_connections()
    return size


def _entry(store: Path) -> StoreEntry:
    store_id, size = StoreId(store.name), store_bytes(store)
    try:
        active = read_active(store)
        manifest = read_manifest(store, active) if active else None
    except GgrepError as error:
        return StoreEntry(store_id, size, None, None, None, None, 0, 0, str(error))
    if manifest is None:
        return StoreEntry(store_id, size, None, None, None, None, 0, 0, "never published")
    return StoreEntry(
        store_id=store_id,
        size_bytes=size,
        canonical_root=manifest.canonical_root,
        config_fingerprint=manifest.config_fingerprint,
        active_snapshot_id=manifest.snapshot_id,
        created_at=manifest.created_at,
        files=manifest.counts.files_indexed,
        chunks=manifest.counts.chunks_visible,
        problem=None,
    )
