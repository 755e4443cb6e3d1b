"""Distinguishes damage of a store from bugs if a query fails.

Artifacts are hashed when a snapshot is opened; afterwards only their stat is compared. If a byte
changes in a mapped file without a change of the stat, only the code that reads the byte is
affected, and it can fail in any way.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ggrep.base.errors import CorruptStore, GgrepError
from ggrep.config import store_files
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import SnapshotView


@contextmanager
def suspecting_damage(view: SnapshotView) -> Iterator[None]:
    """Hash the snapshot if the block fails in an unexpected way.

    If the snapshot is damaged, the record of verified artifacts is deleted. The next opening then
    detects the damage, and repairs it or uses an older snapshot.

    Raises:
        CorruptStore: the snapshot is damaged; this error replaces the error of the block.
    """
    try:
        yield
    except CorruptStore:
        _forget(view)
        raise
    except (GgrepError, OSError, MemoryError):
        raise
    except Exception as error:
        try:
            Verifier(view.store, full=True).manifest(view.manifest)
        except CorruptStore as damage:
            _forget(view)
            raise damage from error
        raise


def _forget(view: SnapshotView) -> None:
    with suppress(OSError):
        store_files.verified_file(view.store).unlink()
