"""Starts git's file listing and the workers of a scan before the scan's modules are loaded."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.config.settings import Settings
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.walk import listing_of

if TYPE_CHECKING:
    from ggrep.parse.languages.chunk_limits import ChunkLimits
    from ggrep.parse.workers.parse_pool import ParsePool

_MOST_WORKERS: Final = 4


class Prefetch(Struct, frozen=True):
    """The steps of one scan that were started in advance.

    Attributes:
        listing: waits for git's file listing of the root and returns it; None without git.
        pool: cuts files into chunks; its processes are starting. The scan closes the pool.
    """

    listing: Callable[[], Listing | None]
    pool: "ParsePool"


def begin(root: Path, settings: Settings, clock: Clock) -> Prefetch:
    """Begin a scan of a root in the background."""
    threads = ThreadPoolExecutor(1, thread_name_prefix="listing")
    listed = threads.submit(listing_of, root, settings)
    threads.shutdown(wait=False)
    pool = pool_of(settings, clock)
    pool.start()
    return Prefetch(lambda: listed.result()[0], pool)


def pool_of(settings: Settings, clock: Clock) -> "ParsePool":
    """Return the pool of processes that cut the best files into chunks."""
    from ggrep.parse.workers.parse_pool import ParsePool

    workers = min(_MOST_WORKERS, settings.parse_workers or os.cpu_count() or 1)
    return ParsePool(workers, limits_of(settings), clock)


def limits_of(settings: Settings) -> "ChunkLimits":
    """Return the size limits of a scan's chunks."""
    from ggrep.parse.languages.chunk_limits import ChunkLimits

    return ChunkLimits(
        max_chunks_per_file=settings.max_chunks_per_file, structure=settings.structure
    )
