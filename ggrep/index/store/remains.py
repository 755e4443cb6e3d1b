"""Deletes the directories that an interrupted removal or rebuild of a store leaves."""

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
    """Counts of the removed leftovers; `freed_bytes` counts a file once for each of its links."""

    directories: int = 0
    freed_bytes: int = 0


def lying_remains(home: Home) -> dict[Path, list[Path]]:
    """Return the leftovers of each store of a home without a running writer, sorted by name."""
    paths_of: dict[Path, list[Path]] = {}
    for path in entries(home.data):
        store = store_files.store_of_remains(path)
        if store is not None:
            paths_of.setdefault(store, []).append(path)
    return {store: paths for store, paths in sorted(paths_of.items()) if not _has_writer(store)}


def sweep_home(home: Home, clock: Clock, wait: Callable[[float], None], ttl_ms: int) -> Swept:
    """Delete the leftovers of all stores of a home without a writer.

    Leftovers that cannot be deleted remain; they have no effect.
    """
    directories = freed = 0
    with suppress(OSError):  # commands that need the home report an invalid one
        for store, paths in lying_remains(home).items():
            with suppress(GgrepError, OSError):
                size = sum(store_bytes(path) for path in paths)
                sweep_store(store, clock, wait, ttl_ms)
                directories, freed = directories + len(paths), freed + size
    return Swept(directories, freed)


def sweep_store(store: Path, clock: Clock, wait: Callable[[float], None], ttl_ms: int) -> None:
    """Delete the leftovers of one store.

    Raises:
        Busy: a writer has the store's lease.
    """
    owner_id = f"collection by process {os.getpid()}"
    patience = Patience(Deadline.after(clock, 0), wait, "another process is writing to this store")
    with hold_lease(store, owner_id, clock, patience, ttl_ms=ttl_ms) as lease:
        sweep_remains(store, lease)


def sweep_remains(store: Path, lease: Lease) -> None:
    """Delete the leftovers of other writers, which are dead or have lost the lease.

    The lease's guard is locked, so that a caller that was suspended and lost the lease deletes no
    files of the next writer.

    Requires: the caller holds the store's lease, and has not yet created a directory for its own
    removal, clone or rebuild of the store.

    Raises:
        LeaseLost: another writer took over; nothing was deleted.
    """
    with lease.fenced():
        leftovers = [
            path for path in entries(store.parent) if store_files.store_of_remains(path) == store
        ]
        for path in leftovers:
            with suppress(FileNotFoundError):  # its writer may delete it meanwhile
                shutil.rmtree(path)
        if leftovers:
            durable.sync_directory(store.parent)


def _has_writer(store: Path) -> bool:
    try:
        return is_live(store_files.lease_files(store))
    except (GgrepError, OSError):
        return True  # from a newer build, or unreadable: not deleted
