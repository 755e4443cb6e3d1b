"""What a daemon costs and gives: ratios from one run, over real files, no query repeated."""

from collections.abc import Callable, Iterator
from pathlib import Path

from bench import daemon_footprint, daemon_queries, daemon_shell

Fill = Callable[[Path], Path]


def measure(work: Path, large: Fill, small: Fill, parts: tuple[str, ...]) -> Iterator[str]:
    """Yield what was found, line by line.

    Args:
        work: takes trees and indexes.
        large: copies files of 100 MB and more to a path.
        small: copies files of about 20,000 chunks there.
        parts: which of them to measure.
    """
    if "shell" in parts or "deadline" in parts:
        yield from daemon_shell.measure(work / "large", large, parts)
    for name, part in (
        ("segments", daemon_queries.segments),
        ("syncing", daemon_queries.syncing),
        ("clients", daemon_queries.clients),
        ("impact", daemon_footprint.impact),
    ):
        if name in parts:
            yield from part(work / name, small)
    if "stores" in parts:
        yield from daemon_footprint.stores(work / "stores")
