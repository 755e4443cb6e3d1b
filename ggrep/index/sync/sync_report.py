"""Reports the progress of a sync."""

from collections.abc import Callable

from msgspec import Struct


class SyncProgress(Struct, frozen=True):
    """The progress of a running sync.

    Attributes:
        stage: `scan`; `compare` until the first changed file; then `index`; `publish`; or
            `WAITS_FOR_GIT`.
    """

    stage: str
    done_files: int
    total_files: int


Progress = Callable[[SyncProgress], None]


def unheard(_: SyncProgress) -> None:
    """Ignore a report of progress."""
