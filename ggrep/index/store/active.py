"""The ACTIVE_SNAPSHOT pointer: one line, the id of the snapshot that new queries pin.

A query reads the pointer once. The writer that holds the lease replaces the file atomically, so a
reader sees either the old or the new id.
"""

from contextlib import suppress
from pathlib import Path

from ggrep.base.durable import replace_file
from ggrep.base.errors import CorruptStore, InvalidRequest
from ggrep.base.ids import SnapshotId, parse_snapshot_id
from ggrep.config import store_files
from ggrep.index.store.read_failures import read_failure
from ggrep.index.store.way import make_way_for_file


def read_active(store: Path) -> SnapshotId | None:
    """Return the active snapshot id, or None if nothing was ever published.

    Raises:
        CorruptStore: the pointer exists but is not a snapshot id.
        StoreError: the pointer cannot be read now.
    """
    path = store_files.active_file(store)
    try:
        text = path.read_bytes()[:64].decode("ascii")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise read_failure(path.name, error) from error
    except UnicodeDecodeError as error:
        raise CorruptStore(f"{path.name} is not ASCII") from error
    try:
        return parse_snapshot_id(text.removesuffix("\n"))
    except InvalidRequest as error:
        raise CorruptStore(f"the file {path.name} does not contain a snapshot id") from error


def has_index(store: Path) -> bool:
    """Return whether any snapshot was published, damaged or not."""
    if store_files.active_file(store).exists():
        return True
    with suppress(OSError):
        snapshots = store_files.snapshots_dir(store).iterdir()
        return any(
            store_files.manifest_file(store, SnapshotId(path.name)).exists() for path in snapshots
        )
    return False


def swap_active(store: Path, snapshot_id: SnapshotId) -> None:
    """Make `snapshot_id` the snapshot that new queries pin.

    Requires: the snapshot's manifest is on disk and verified, and the caller holds the writer lease
    with the epoch under which it staged the snapshot.
    """
    path = store_files.active_file(store)
    make_way_for_file(store, path)
    replace_file(path, f"{snapshot_id}\n".encode("ascii"))
