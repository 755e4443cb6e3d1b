"""Starts git's listing of a tree before the scan's modules are loaded; it needs none of them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ggrep.config.settings import Settings
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.walk import listing_of


def listing_ahead(root: Path, settings: Settings) -> Callable[[], Listing | None]:
    """Have git list a root beside what the caller goes on with; return what waits for the list."""
    threads = ThreadPoolExecutor(1, thread_name_prefix="listing")
    listed = threads.submit(listing_of, root, settings)
    threads.shutdown(wait=False)
    return lambda: listed.result()[0]
