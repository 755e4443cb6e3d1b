"""The stores of this home: what they are of, how large, and their removal."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ggrep.domain.ids import StoreId
from ggrep.errors import Busy, GgrepError, InvalidRequest
from ggrep.home import Home
from ggrep.layout import names
from ggrep.maintenance.health import store_bytes
from ggrep.store.active import read_active
from ggrep.store.manifest import read_manifest
from ggrep.store.tables import forget_connections


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
    return tuple(_entry(path) for path in found)


def remove_store(home: Home, store_id: str) -> int:
    """Delete a store; return the bytes that became free.

    Raises:
        InvalidRequest: there is no such store.
        Busy: a writer holds it.
    """
    store = home.data / store_id
    if "/" in store_id or store_id in {"", ".", ".."} or not store.is_dir():
        raise InvalidRequest(f"no store {store_id!r}; see: ggrep list")
    with _no_writer(store):
        size = store_bytes(store)
        # The pointer goes first: a reader that comes now finds no index, not half of one.
        names.active_file(store).unlink(missing_ok=True)
        shutil.rmtree(store)
    forget_connections()
    return size


@contextmanager
def _no_writer(store: Path) -> Iterator[None]:
    guard = names.lease_guard(store)
    if not guard.exists():
        yield
        return
    descriptor = os.open(guard, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise Busy("a writer holds this store", retry_after_ms=1000) from error
    finally:
        os.close(descriptor)


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
