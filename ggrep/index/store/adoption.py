"""Adopts a snapshot from another store of the same home, without reading or encoding files.

Published artifacts never change, so both stores share them by hard links if the file system
supports links. On other file systems the artifacts are copied.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.needed_files import file_refs
from ggrep.index.store.tables import table_files


class Adopted(Struct, frozen=True):
    """The numbers of adopted files: linked and copied."""

    linked: int
    copied: int


def adopt_artifacts(source: Path, manifest: SnapshotManifest, target: Path) -> Adopted:
    """Link or copy every artifact of a manifest from one store into another, and sync them.

    The manifest itself is not copied: without it no reader opens the artifacts.

    Requires: the caller holds the writer lease of the target, and no file of the source is deleted
    meanwhile.
    """
    return adopt(source, _artifacts(source, manifest), target)


def adopt(source: Path, files: Iterable[Path], target: Path) -> Adopted:
    """Link or copy files of one store to the same paths in another, like `adopt_artifacts`."""
    linked = copied = 0
    touched: set[Path] = set()
    for path in files:
        goal = target / path.relative_to(source)
        durable.make_directory(goal.parent, lasting=True)
        touched.add(goal.parent)
        if _link(path, goal):
            linked += 1
        else:
            _copy(path, goal)
            copied += 1
    for directory in sorted(touched):
        durable.sync_directory(directory)
    return Adopted(linked, copied)


def _artifacts(source: Path, manifest: SnapshotManifest) -> Iterator[Path]:
    for segment in manifest.segments:
        yield from (path for path, _ in table_files(source, segment.table))
    for ref in file_refs(manifest):
        yield source / ref.path


def _link(path: Path, goal: Path) -> bool:
    """Make `goal` a hard link to `path`, replacing any file; return False if that is impossible."""
    goal.unlink(missing_ok=True)
    try:
        goal.hardlink_to(path)
    except OSError:
        # Another file system or owner, or too many links. If the file is missing, the copy also
        # fails, and its error names the file.
        return False
    return True


def _copy(path: Path, goal: Path) -> None:
    with (
        path.open("rb") as data,
        durable.new_file(goal) as descriptor,
        os.fdopen(os.dup(descriptor), "wb") as file,
    ):
        shutil.copyfileobj(data, file)
