"""How much of a work tree a scan saw, when it answered before anything was indexed."""

from msgspec import Struct, field

from ggrep.model.constraints import Count, hides, named


@named("scan")
@hides("best")
class ScanFacts(Struct, frozen=True):
    """How much the scan saw; present where `partial` is `scan`."""

    files: Count
    """Files that were looked into."""
    listed_files: Count | None
    """Files there were to look into, at most; null where they were not all listed."""
    bytes_read: Count = field(name="bytes")
    """Bytes that were looked through."""
    matching_files: Count
    """Files of those that may answer."""
    ranked_files: Count
    """The best of these, which were ranked."""
    complete: bool
    """Time was enough for all of it."""
    best: tuple[str, ...] = ()
    """Path keys of files that may answer, the best first; not all of them."""
