"""Moves an entry to the trash if a store needs its path for a file or directory instead."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

from ggrep.base import durable
from ggrep.config import store_files


def make_way_for_file(store: Path, path: Path) -> None:
    """Move a directory to the store's trash if it is at the path of a file to write.

    Raises:
        OSError: the entry cannot be moved.
    """
    _make_way(store, path, is_wanted=lambda there: not there.is_dir())


def make_way_for_directory(store: Path, path: Path) -> None:
    """Move a file or link to the store's trash if it is at the path of a needed directory.

    Raises:
        OSError: the entry cannot be moved.
    """
    _make_way(store, path, is_wanted=Path.is_dir)


def _make_way(store: Path, path: Path, *, is_wanted: Callable[[Path], bool]) -> None:
    if not (path.exists() or path.is_symlink()) or is_wanted(path):
        return
    trash = store_files.store_trash_dir(store)
    durable.make_directory(trash)
    free = (trash / f"{path.name}.{number}" for number in count())
    path.rename(next(place for place in free if not place.exists()))
