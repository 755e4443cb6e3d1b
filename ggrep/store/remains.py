"""What a removal, clone or rebuild of a store that died left beside it."""

import shutil
from contextlib import suppress
from pathlib import Path

from ggrep import durable
from ggrep.layout import names
from ggrep.lease import Lease
from ggrep.store.contents import entries


def sweep_remains(store: Path, lease: Lease) -> None:
    """Delete them, whatever writer they are of: it is dead, or finds that it was taken over.

    Under the guard, so that whoever was stopped here itself deletes nothing of its successor's.

    Requires: the caller holds the store's lease, and has made nothing beside the store yet.

    Raises:
        LeaseLost: another writer took over; nothing was deleted.
    """
    with lease.fenced():
        found = [path for path in entries(store.parent) if names.store_of_remains(path) == store]
        for path in found:
            with suppress(FileNotFoundError):  # whose it was may be deleting it as well
                shutil.rmtree(path)
        if found:
            durable.sync_directory(store.parent)
