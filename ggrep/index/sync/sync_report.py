"""The report of a sync, and its progress."""

from collections.abc import Callable

from msgspec import Struct

from ggrep.index.store.manifest import Problem
from ggrep.model.limits import Notice
from ggrep.model.source import Skip


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
    """Take progress that nobody wants to hear of."""


class SyncReport(Struct, frozen=True):
    """The outcome of one sync.

    Attributes:
        snapshot_id: the active snapshot afterwards.
        published: False when nothing had changed.
        indexed: files whose rows are new; `deleted` those that are gone; `unchanged` the rest.
        vectors_encoded: texts the encoder was given.
        vectors_reused: vectors of new rows that were cached, or those of an equal text.
        skipped: files that are not indexed, and why.
        notices: how the list of files came about, where that is worth knowing.
        degraded: files whose visible state is not their content on disk.
        retry_after_ms: how long until those of them that may do better are tried again; None when
            there are none.
        products: files of the walk that lie in directories of products, see `product_files`.
    """

    snapshot_id: str
    published: bool
    indexed: int
    deleted: int
    unchanged: int
    chunks: int
    segments: int
    merged_segments: int
    vectors_encoded: int
    vectors_reused: int
    skipped: tuple[Skip, ...]
    degraded: tuple[Problem, ...]
    notices: tuple[Notice, ...]
    duration_ms: int
    retry_after_ms: int | None = None
    products: tuple[str, ...] | None = None
