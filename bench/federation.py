"""What asking a workspace costs: what the coordinator adds, real daemons, and the shell."""

from collections.abc import Iterator
from pathlib import Path

from bench.federation_overhead import overhead
from bench.federation_real import real, shell


def measure(work: Path, parts: tuple[str, ...]) -> Iterator[str]:
    """Yield what was found, line by line.

    Args:
        work: takes trees and indexes.
        parts: which of them to measure.
    """
    for name, part in (("overhead", overhead), ("real", real), ("shell", shell)):
        if name in parts:
            folder = work / name
            folder.mkdir()
            yield from part(folder)
