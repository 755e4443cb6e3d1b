"""Opens a store for writing, after checking its access mode and its disk.

Only this module creates the home's base directory, because only here it is known whether a group
shares it. All files and directories below it get the mode of this directory (`ggrep.base.durable`).
A home is private or shared as a whole: a file that one user of the group cannot replace would block
all others.
"""

import stat
from contextlib import AbstractContextManager
from pathlib import Path

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.base.durable import PRIVATE, SHARED, is_shared
from ggrep.base.errors import InvalidRequest, StoreError
from ggrep.base.lease import Lease, acquire
from ggrep.base.locks import Patience
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.filesystem import ADVICE, probe, refuse_network
from ggrep.index.store.view import newest_epoch


def admit_writer(store: Path, *, shared: bool) -> None:
    """Check that `store` can be written, before any of its files is locked or created.

    The file system is tested only if the store does not exist yet. For an existing store, a few
    calls of `stat` suffice.

    Args:
        store: the directory of the store, which need not exist.
        shared: whether a group shares the home, according to the settings.

    Raises:
        InvalidRequest: the home or the store has another mode, or is on a network file system.
        StoreError: the home cannot be created or used.
    """
    home = Home.of_store(store)
    try:
        require_mode(store, shared=shared)
        if store.exists():
            return
        for place in (home.base, home.data, home.locks):
            refuse_network(place)
        mode = (SHARED if shared else PRIVATE).directory
        durable.make_directory(home.base, mode=mode, lasting=True)
        durable.make_directory(home.data, lasting=True)
    except OSError as error:
        place = error.filename or home.base
        raise StoreError(f"{place} cannot be used: {error.strerror}; {ADVICE}") from error
    probe(home.data)


def hold_lease(
    store: Path, owner_id: str, clock: Clock, patience: Patience, *, ttl_ms: int
) -> AbstractContextManager[Lease]:
    """Return a context manager with the writer lease of a store; see `acquire`."""
    return acquire(
        store_files.lease_files(store),
        owner_id=owner_id,
        clock=clock,
        patience=patience,
        ttl_ms=ttl_ms,
        last_epoch=lambda: newest_epoch(store),
    )


def require_mode(store: Path, *, shared: bool) -> None:
    """Raise if an existing directory of the home or the store does not have the expected mode.

    Raises:
        InvalidRequest: a directory has another mode; the message names the first.
        OSError: a directory cannot be read.
    """
    for directory in (*Home.of_store(store).own_directories, store):
        if directory.exists() and is_shared(directory) != shared:
            raise InvalidRequest(_other_mode(directory, shared=shared))


def _other_mode(directory: Path, *, shared: bool) -> str:
    mode = stat.S_IMODE(directory.stat().st_mode)
    if shared:
        return (
            f"{directory} has mode {mode:04o}, but shared_store is on: all directories of a shared"
            f" home have mode {SHARED.directory:04o}; set GGREP_HOME to a new directory, or to an"
            " empty one of that mode and of the group that shares it"
        )
    return (
        f"{directory} has mode {mode:04o}, the mode of a shared home, but shared_store is off:"
        " switch it on, or set GGREP_HOME to another directory"
    )
