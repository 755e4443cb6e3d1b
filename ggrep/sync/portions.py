"""In which order, and in runs of what size, the files of one sync are read and published."""

from collections.abc import Sequence
from typing import Final

from ggrep.domain.source import SourceFile

FIRST_BYTES: Final = 8 << 20
"""The first of several portions holds no more, so that search works early."""


def portions(
    suspects: Sequence[SourceFile], most_bytes: int, *, early: bool = False
) -> list[Sequence[SourceFile]]:
    """Return the suspects in runs of at most `most_bytes`, one file at least.

    All in one run where they fit, which is empty when there are none; else the smallest files
    first, and the first run the smallest. The files of a run stand in byte order of their paths.

    Args:
        suspects: what is to be read.
        most_bytes: of one run.
        early: have a small run first of what would fit in one, where that is not nearly all.
    """
    whole = min(2 * FIRST_BYTES, most_bytes) if early else most_bytes
    if sum(file.size_bytes for file in suspects) <= whole:
        return [suspects]
    by_size = sorted(suspects, key=lambda file: (file.size_bytes, file.path_key.encode()))
    runs: list[list[SourceFile]] = [[]]
    size, most = 0, min(most_bytes, FIRST_BYTES)
    for file in by_size:
        if runs[-1] and size + file.size_bytes > most:
            runs.append([])
            size, most = 0, most_bytes
        runs[-1].append(file)
        size += file.size_bytes
    return [sorted(run, key=lambda file: file.path_key.encode()) for run in runs]
