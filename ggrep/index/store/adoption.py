"""Adopts a snapshot from another store of the same home, without reading or encoding files.

Artifacts never change once they are published, so both stores share them by hard links where the
file system has such, and hold copies of their own elsewhere.
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
    """How many files of artifacts were taken over, and how."""

    linked: int
    copied: int


def adopt_artifacts(source: Path, manifest: SnapshotManifest, target: Path) -> Adopted:
    """Bring every artifact that a manifest names from one store into another, durably.

    The manifest itself stays behind: without it nobody opens what lies there.

    Requires: the caller holds the writer lease of the target, and nobody collects the source.
    """
    return adopt(source, _artifacts(source, manifest), target)


def adopt(source: Path, files: Iterable[Path], target: Path) -> Adopted:
    """Bring files of one store to their places in another, durably; as `adopt_artifacts` else."""
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
    """Return whether both names are one file now; what lay at the goal is replaced."""
    goal.unlink(missing_ok=True)
    try:
        goal.hardlink_to(path)
    except OSError:
        # Another file system or owner, or no more links to be had. A file that is gone fails
        # once more in the copy, which names it.
        return False
    return True


def _copy(path: Path, goal: Path) -> None:
    with (
        path.open("rb") as data,
        durable.new_file(goal) as descriptor,
        os.fdopen(os.dup(descriptor), "wb") as file,
    ):
        shutil.copyfileobj(data, file)
