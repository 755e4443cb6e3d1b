"""Finds the differences between the work tree and the active snapshot."""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.index.sync.stat_cache import Known, KnownFile, KnownSkip, is_put_off
from ggrep.model.files import SourceFile


class ChangeSet(Struct, frozen=True):
    """The files that a sync must process.

    Attributes:
        suspects: files to read: unknown files, and files whose stat differs from the recorded stat.
        same: records of the unchanged files.
        skipped: unchanged files whose content was not text when it was read.
        waiting: unchanged files whose parsing was put off.
        deleted: visible paths that the walk does not contain.
    """

    suspects: tuple[SourceFile, ...]
    same: tuple[KnownFile, ...]
    skipped: tuple[KnownSkip, ...]
    waiting: tuple[KnownSkip, ...]
    deleted: tuple[PathKey, ...]


def detect(
    files: Iterable[SourceFile],
    live: Mapping[PathKey, str],
    known: Mapping[PathKey, Known],
    *,
    again: Collection[PathKey] = (),
) -> ChangeSet:
    """Compare the files of the walk with the visible files and the recorded stats.

    Args:
        files: files of the walk.
        live: digests of the visible files, by path.
        known: the files in the stat cache, by path.
        again: paths of files to read even if their stat is unchanged.
    """
    suspects, same, present = [], [], set()
    skipped: list[KnownSkip] = []
    waiting: list[KnownSkip] = []
    for file in files:
        present.add(file.path_key)
        memory = known.get(file.path_key)
        if memory is None or memory.file != file or file.path_key in again:
            suspects.append(file)
        elif isinstance(memory, KnownSkip):
            (waiting if is_put_off(memory) else skipped).append(memory)
        elif live.get(file.path_key) == memory.digest:
            same.append(memory)
        else:
            suspects.append(file)
    deleted = sorted(live.keys() - present, key=lambda key: key.encode())
    return ChangeSet(tuple(suspects), tuple(same), tuple(skipped), tuple(waiting), tuple(deleted))
