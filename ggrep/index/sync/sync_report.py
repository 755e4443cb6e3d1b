"""The progress of a sync."""

from collections.abc import Callable

from msgspec import Struct


class SyncProgress(Struct, frozen=True):
    """How far a running sync is.

    Attributes:
        stage: `scan`, `compare` until a file differs from what is indexed, `index`, `publish`, or
            `WAITS_FOR_GIT`.
    """

    stage: str
    done_files: int
    total_files: int


Progress = Callable[[SyncProgress], None]


def unheard(_: SyncProgress) -> None:
    """Ignore progress."""
