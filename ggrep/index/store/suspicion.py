"""Tells damage from bugs when a query fails midway.

Artifacts are hashed when a snapshot is opened and remembered by their stat. A byte that changes
under an open map, or under a stat that stays, is noticed by nobody but the code that stumbles over
it, in whatever way.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ggrep.base.errors import CorruptStore, GgrepError
from ggrep.config import store_files
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import SnapshotView


@contextmanager
def suspecting_damage(view: SnapshotView) -> Iterator[None]:
    """Hash the snapshot when the block fails as no sound one lets it.

    What was verified is forgotten then: whoever opens the store next finds the damage first, and
    goes on from an older snapshot, or heals it.

    Raises:
        CorruptStore: the snapshot is damaged, whatever the block raised.
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
