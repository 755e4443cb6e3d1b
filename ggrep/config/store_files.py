"""The names of all files of one store. No other module contains these names."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ggrep.base.ids import SegmentName, SnapshotId
from ggrep.base.lease import LeaseFiles
from ggrep.config.home import Home

TABLE_SUFFIX = ".lance"
_REMAINS: Final = re.compile(r"\.(?:trash|clone|rebuild)-(?P<store>[^~]+)(?:~[0-9]+)?")
"""Names of directories from earlier builds contain no epoch."""


def active_file(store: Path) -> Path:
    """Return the pointer to the active snapshot."""
    return store / "ACTIVE_SNAPSHOT"


def index_state_file(store: Path) -> Path:
    """Return the record of the last sync, which can be rebuilt."""
    return store / "index_state.json"


def snapshots_dir(store: Path) -> Path:
    """Return the parent of all snapshot directories."""
    return store / "snapshots"


def snapshot_dir(store: Path, snapshot_id: SnapshotId) -> Path:
    """Return one snapshot's directory."""
    return snapshots_dir(store) / snapshot_id


def manifest_file(store: Path, snapshot_id: SnapshotId) -> Path:
    """Return the snapshot's manifest."""
    return snapshot_dir(store, snapshot_id) / "manifest.json"


def segment_name(snapshot_id: SnapshotId, sequence: int) -> SegmentName:
    """Return the table name of the `sequence`-th segment that was published with a snapshot."""
    return SegmentName(f"seg_{snapshot_id}_{sequence}")


def table_dir(store: Path, segment: SegmentName) -> Path:
    """Return LanceDB's directory of a segment's table."""
    return store / f"{segment}{TABLE_SUFFIX}"


def sizes_file(store: Path, segment: SegmentName) -> Path:
    """Return the file with the sizes of a table's source files; part of the table's digest."""
    return table_dir(store, segment) / "file_sizes.json"


def is_table(path: Path) -> bool:
    """Return whether an entry of the store is a segment's table."""
    return path.name.startswith("seg_") and path.suffix == TABLE_SUFFIX


def images_dir(store: Path) -> Path:
    """Return the parent of the segments' images."""
    return store / "images"


def image_file(store: Path, segment: SegmentName) -> Path:
    """Return a segment's memory-mapped image."""
    return images_dir(store) / f"{segment}.image"


def staging_dir(store: Path) -> Path:
    """Return the staging directory of snapshots."""
    return store / "staging"


def lease_files(store: Path) -> LeaseFiles:
    """Return the files of the writer lease, which are outside the store and outlive it."""
    stem = Home.of_store(store).locks / store.name
    return LeaseFiles(
        record=stem.with_name(f"{store.name}.lease.json"),
        guard=stem.with_name(f"{store.name}.guard"),
        writer_queue=stem.with_name(f"{store.name}.queue"),
        alive=stem.with_name(f"{store.name}.alive"),
    )


def readers_lock(store: Path) -> Path:
    """Return the file of the readers' lock, which readers share while they read the store."""
    return Home.of_store(store).locks / f"{store.name}.readers"


def healing_lock(store: Path) -> Path:
    """Return the file that is locked while derived files of the store are rebuilt."""
    return Home.of_store(store).locks / f"{store.name}.healing"


def trash_dir(store: Path, epoch: int) -> Path:
    """Return the directory to which a store is moved before its files are deleted.

    The name contains the epoch of the deleting writer, like the names of clones and rebuilds. A
    writer that was stopped, lost the lease and continues later thus deletes only its own files.
    """
    return _beside(store, "trash", epoch)


def store_trash_dir(store: Path) -> Path:
    """Return the directory to which a collection moves files before it deletes them."""
    return store / "trash"


def clone_dir(store: Path, epoch: int) -> Path:
    """Return the directory of an unfinished clone that will become this store."""
    return _beside(store, "clone", epoch)


def rebuild_dir(store: Path, epoch: int) -> Path:
    """Return the directory of a rebuilt store, while the old store is still in use."""
    return _beside(store, "rebuild", epoch)


def store_of_remains(directory: Path) -> Path | None:
    """Return the store of a leftover trash, clone or rebuild directory; None for other paths."""
    match = _REMAINS.fullmatch(directory.name)
    return None if match is None else directory.with_name(match["store"])


def pins_dir(store: Path) -> Path:
    """Return the parent of the records that keep snapshots for sessions."""
    return store / "pins"


def pin_file(store: Path, snapshot_id: SnapshotId, session_id: str) -> Path:
    """Return the record that keeps a snapshot for one session."""
    return pins_dir(store) / f"{snapshot_id}.{session_id}.json"


def _cached(name: str) -> Callable[[Path], Path]:
    return lambda store: store / "cache" / name


# Derived files, safe to delete.
packed_file = _cached("packed.json")
"""The file with digests of the segments' packed tables."""
last_used_file = _cached("last_used")
"""The file that records the time of the last use of the store."""
stat_cache_file = _cached("files.json")
"""The file with facts about unchanged source files."""
unchanged_file = _cached("unchanged.json")
"""The file with data by which a sync detects that no source file has changed."""
verified_file = _cached("verified.json")
"""The file that lists verified artifacts."""
healed_file = _cached("healed.json")
"""The file that records the last repair."""

TOMBSTONES = "tombstones.jsonl"
SEGMENT_MAP = "segment_file_index.jsonl"
VISIBILITY = "visibility.image"
"""Names of the artifacts inside a snapshot directory."""


def _beside(store: Path, kind: str, epoch: int) -> Path:
    return store.with_name(f".{kind}-{store.name}~{epoch}")
