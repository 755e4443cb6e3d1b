"""Divides the files of a sync into portions, which are read and published one after the other."""

from collections.abc import Sequence
from typing import Final

from ggrep.base.ids import PathKey
from ggrep.model.files import SourceFile

FIRST_BYTES: Final = 8 << 20
"""Maximum size of the first of several portions, so that search works early."""
FIRST_MS: Final = 5_000.0
"""Time to read and cut the first portion of a first index while a client waits for it."""


def portions(suspects: Sequence[SourceFile], most_bytes: int) -> list[Sequence[SourceFile]]:
    """Return the files in portions of at most `most_bytes`; a larger file is a portion by itself.

    If all files fit, there is one portion, which may be empty. If there are several portions, small
    files come first, and the first portion is smaller than the others. The files of a portion are
    sorted by the bytes of their paths.

    Args:
        suspects: files to read.
        most_bytes: maximum size of a portion.
    """
    if sum(file.size_bytes for file in suspects) <= most_bytes:
        return [suspects]
    by_size = sorted(suspects, key=_by_size)
    runs: list[list[SourceFile]] = [[]]
    size, most = 0, min(most_bytes, FIRST_BYTES)
    for file in by_size:
        if runs[-1] and size + file.size_bytes > most:
            runs.append([])
            size, most = 0, most_bytes
        runs[-1].append(file)
        size += file.size_bytes
    return [sorted(run, key=lambda file: file.path_key.encode()) for run in runs]


def next_portion(
    waiting: Sequence[SourceFile], most_bytes: int, wanted: Sequence[PathKey], *, first: bool
) -> list[SourceFile]:
    """Return the files to read next for a first index while a client waits for it.

    Files that queries need come first. The other files follow by path if all files fit into about
    one small portion, else by size, smallest first.

    Args:
        waiting: files that were not read yet, ordered by path; at least one.
        most_bytes: maximum size of a portion.
        wanted: files that queries need, best first.
        first: whether no portion is published yet.
    """
    rank = {key: place for place, key in enumerate(wanted)}
    if sum(file.size_bytes for file in waiting) <= min(2 * FIRST_BYTES, most_bytes):
        return sorted(waiting, key=lambda file: rank.get(file.path_key, len(rank)))
    asked = [file for file in waiting if file.path_key in rank]
    asked.sort(key=lambda file: rank[file.path_key])
    rest = (file for file in sorted(waiting, key=_by_size) if file.path_key not in rank)
    most = min(most_bytes, FIRST_BYTES) if first else most_bytes
    run: list[SourceFile] = []
    for file in (*asked, *rest):
        if run and most < file.size_bytes:
            break
        run.append(file)
        most -= file.size_bytes
    return run


def _by_size(file: SourceFile) -> tuple[int, bytes]:
    return file.size_bytes, file.path_key.encode()
