"""How much of a work tree a scan saw, when it answered before anything was indexed."""

from msgspec import Struct


class ScanFacts(Struct, frozen=True):
    """What a scan saw.

    Attributes:
        files: eligible files that were looked into, or whose names rule them out.
        listed_files: files there were to look at, at most; None where nobody could list them all.
        bytes_read: of those files.
        matching_files: of them, those that may answer.
        ranked_files: of these, the ones that were cut and ranked.
        complete: time was enough for all of it.
        best: path keys of files that may answer, the best first; not all of them.
    """

    files: int
    listed_files: int | None
    bytes_read: int
    matching_files: int
    ranked_files: int
    complete: bool
    best: tuple[str, ...] = ()
