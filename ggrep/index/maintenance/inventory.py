"""The stores of this home: their repositories, their sizes, and their removal."""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline, SystemClock, rfc3339
from ggrep.base.durable import reach
from ggrep.base.errors import Busy, GgrepError, InvalidRequest
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.active import read_active
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.last_used import modified_at, read_last_use
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.remains import sweep_remains
from ggrep.index.store.store_opening import hold_lease
from ggrep.model.maintenance import Store
from ggrep.model.sanitise import sanitise_line

_TTL_MS = 120_000
_READERS_MS = 1000
"""How long a removal waits for queries to end."""


class StoreEntry(Store, frozen=True):
    """One store; without a `canonical_root` if its snapshot names none, as in a clone.

    Attributes:
        published: whether it has an active snapshot, readable or not.
    """

    published: bool = False

    @property
    def last_touched_at(self) -> str:
        """Return when it was last used or published to, RFC 3339."""
        return max(self.modified_at, self.last_used_at or self.modified_at)


def list_stores(home: Home) -> tuple[StoreEntry, ...]:
    """Return all stores of a home, the most recently used first, then by id.

    The scan reads one directory level and writes nothing. A store that vanishes is left out.
    """
    if not home.data.is_dir():
        return ()
    entries = []
    for path in sorted(home.data.iterdir()):
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            with suppress(FileNotFoundError):
                entries.append(_entry_or_problem(path))
    return tuple(sorted(entries, key=lambda entry: entry.last_touched_at, reverse=True))


def remove_store(
    home: Home,
    store_id: str,
    *,
    clock: Clock | None = None,
    wait: Callable[[float], None] = time.sleep,
    readers_ms: int = _READERS_MS,
    wanted: Callable[[], bool] = lambda: True,
) -> int:
    """Delete a store; return the bytes that became free.

    The store is moved aside in one step. So a later process, also after a crash, finds no index
    instead of a partial one. Its locks stay: a writer may be waiting for them.

    Args:
        home: the directory of the store.
        store_id: the store to remove.
        clock: measures how long readers are waited for.
        wait: sleeps that many seconds.
        readers_ms: how long to wait for queries over the store.
        wanted: called under the locks; returns whether to remove the store.

    Raises:
        InvalidRequest: the store does not exist.
        Busy: a writer holds it, a reader did not finish in time, or it is no longer to be removed.
    """
    store = home.data / store_id
    if "/" in store_id or store_id.startswith(".") or not store_id or not store.is_dir():
        raise InvalidRequest(f"there is no store {store_id!r}; see: ggrep list")
    clock = clock or SystemClock()
    owner_id = f"removal by process {os.getpid()}"
    patience = Patience(Deadline.after(clock, 0), wait, "another process is writing to this store")
    with hold_lease(store, owner_id, clock, patience, ttl_ms=_TTL_MS) as lease:
        sweep_remains(store, lease)
        trash = store_files.trash_dir(store, lease.epoch)
        size = store_bytes(store)
        readers = Deadline.after(clock, readers_ms)
        no_reader = Patience(readers, wait, "a query is reading this store")
        with alone(store_files.readers_lock(store), no_reader), lease.fenced():
            if not wanted():
                raise Busy("another process has just used this store", retry_after_ms=1000)
            store.replace(trash)
            reach("removal.after_move")
        durable.sync_directory(home.data)
        shutil.rmtree(trash)
    return size


def _entry_or_problem(store: Path) -> StoreEntry:
    """Return a store's entry; an unreadable store gets an entry with its problem.

    Raises:
        FileNotFoundError: it is gone.
    """
    try:
        return _entry(store)
    except PermissionError as error:
        return StoreEntry(
            store.name,
            size_bytes=0,
            modified_at=rfc3339(datetime.fromtimestamp(store.stat().st_mtime, UTC)),
            last_used_at=None,
            published=True,
            problem=f"cannot be read: {error.strerror}",
        )


def _entry(store: Path) -> StoreEntry:
    """Return a store's entry.

    Raises:
        FileNotFoundError: it is gone.
    """
    used = read_last_use(store)
    bare = StoreEntry(
        store.name,
        store_bytes(store),
        rfc3339(modified_at(store)),
        rfc3339(used) if used else None,
    )
    try:
        active = read_active(store)
        if active is None:
            return replace(bare, problem="never published")
        manifest = read_manifest(store, active)
    except GgrepError as error:
        return replace(bare, published=True, problem=sanitise_line(str(error)))
    return replace(
        bare,
        canonical_root=sanitise_line(manifest.canonical_root) or None,
        root_exists=Path(manifest.canonical_root).is_dir() if manifest.canonical_root else None,
        config_fingerprint=manifest.config_fingerprint,
        active_snapshot_id=manifest.snapshot_id,
        created_at=manifest.created_at,
        files=manifest.counts.files_indexed,
        chunks=manifest.counts.chunks_visible,
        published=True,
    )
