"""Leftovers beside a store of an interrupted removal, clone or rebuild."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.lease import Lease, is_live
from ggrep.base.locks import Patience
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.needed_files import entries
from ggrep.index.store.store_opening import hold_lease


class Swept(Struct, frozen=True):
    """What was swept; `freed_bytes` counts a file once for each of its links."""

    directories: int = 0
    freed_bytes: int = 0


def lying_remains(home: Home) -> dict[Path, list[Path]]:
    """Return what lies beside each store of a home whose writer is dead, all by name."""
    found: dict[Path, list[Path]] = {}
    for path in entries(home.data):
        store = store_files.store_of_remains(path)
        if store is not None:
            found.setdefault(store, []).append(path)
    return {store: paths for store, paths in sorted(found.items()) if not _has_writer(store)}


def sweep_home(home: Home, clock: Clock, wait: Callable[[float], None], ttl_ms: int) -> Swept:
    """Delete what lies beside the stores of a home, as far as nobody is at work there.

    What cannot be deleted stays: it is in nobody's way.
    """
    directories = freed = 0
    with suppress(OSError):  # a home that is none is refused by whoever needs it
        for store, paths in lying_remains(home).items():
            with suppress(GgrepError, OSError):
                size = sum(store_bytes(path) for path in paths)
                sweep_store(store, clock, wait, ttl_ms)
                directories, freed = directories + len(paths), freed + size
    return Swept(directories, freed)


def sweep_store(store: Path, clock: Clock, wait: Callable[[float], None], ttl_ms: int) -> None:
    """Delete what lies beside one store.

    Raises:
        Busy: a writer holds the store.
    """
    owner_id = f"collection by process {os.getpid()}"
    patience = Patience(Deadline.after(clock, 0), wait, "a writer holds this store")
    with hold_lease(store, owner_id, clock, patience, ttl_ms=ttl_ms) as lease:
        sweep_remains(store, lease)


def sweep_remains(store: Path, lease: Lease) -> None:
    """Delete them, whatever writer they are of: it is dead, or finds that it was taken over.

    Under the guard, so that whoever was stopped here itself deletes nothing of its successor's.

    Requires: the caller holds the store's lease, and has made nothing beside the store yet.

    Raises:
        LeaseLost: another writer took over; nothing was deleted.
    """
    with lease.fenced():
        found = [
            path for path in entries(store.parent) if store_files.store_of_remains(path) == store
        ]
        for path in found:
            with suppress(FileNotFoundError):  # whose it was may be deleting it as well
                shutil.rmtree(path)
        if found:
            durable.sync_directory(store.parent)


def _has_writer(store: Path) -> bool:
    try:
        return is_live(store_files.lease_files(store))
    except (GgrepError, OSError):
        return True  # a newer build's, or not ours to read: then neither to delete
