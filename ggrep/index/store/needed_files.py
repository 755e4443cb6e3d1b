"""The files that a snapshot needs, and the files of a store that no snapshot needs.

All code that copies, deletes or counts files of a store uses this module, so that no file is
forgotten. Caches and pins belong to neither group: no manifest refers to them, and the code that
writes them removes them.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec import Struct

from ggrep.config import store_files
from ggrep.index.store.manifest import FileRef, SnapshotManifest


class Unnamed(Struct, frozen=True):
    """The unreferenced files of a store, by path.

    Attributes:
        snapshots: snapshot directories without a referenced file, and the unreferenced files in
            other snapshot directories. A journal file can be needed long after its own snapshot.
        segments: tables and images.
        leftovers: staged and discarded files, to which no manifest refers.
    """

    snapshots: tuple[Path, ...]
    segments: tuple[Path, ...]
    leftovers: tuple[Path, ...]


def file_refs(manifest: SnapshotManifest) -> tuple[FileRef, ...]:
    """Return every file that a manifest refers to: images, journal, masks."""
    images = (segment.image for segment in manifest.segments)
    return (*images, *manifest.tombstones, *manifest.segment_map, manifest.visibility)


def named(store: Path, manifest: SnapshotManifest) -> frozenset[Path]:
    """Return the paths that a snapshot needs: manifest, directories of tables, and other files."""
    tables = {store_files.table_dir(store, segment.table) for segment in manifest.segments}
    files = {store / ref.path for ref in file_refs(manifest)}
    return frozenset({store_files.manifest_file(store, manifest.snapshot_id)} | tables | files)


def unnamed(store: Path, kept: Collection[Path]) -> Unnamed:
    """Return the artifacts of a store that are not in `kept`, and staged and discarded files."""
    tables = (path for path in entries(store) if store_files.is_table(path))
    return Unnamed(
        snapshots=tuple(_of_snapshots(store, kept)),
        segments=tuple(
            path for path in (*tables, *entries(store_files.images_dir(store))) if path not in kept
        ),
        leftovers=(
            *entries(store_files.staging_dir(store)),
            *entries(store_files.store_trash_dir(store)),
        ),
    )


def entries(directory: Path) -> list[Path]:
    """Return the entries of a directory, sorted by name; none if it is not a directory."""
    try:
        return sorted(directory.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _of_snapshots(store: Path, kept: Collection[Path]) -> Iterator[Path]:
    for directory in entries(store_files.snapshots_dir(store)):
        files = entries(directory)
        going = [file for file in files if file not in kept]
        if len(going) == len(files):
            yield directory
        else:
            yield from going
