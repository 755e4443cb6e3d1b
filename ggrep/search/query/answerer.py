"""The parts of an operation of the engine: its check, its snapshot and its answering function."""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

from ggrep.base.clock import Clock, Deadline
from ggrep.base.ids import SnapshotId, StoreId, parse_snapshot_id
from ggrep.config.home import Home
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.context import Context

Q = TypeVar("Q")
R = TypeVar("R")


class Unpinned(Struct, frozen=True):
    """A store of which no snapshot is pinned yet.

    Attributes:
        active: opens the active snapshot; raises `NoIndex` if there is none.
    """

    home: Home
    store_id: StoreId
    deadline: Deadline
    clock: Clock
    active: Callable[[], SnapshotView]


class Answerer(Struct, Generic[Q, R], frozen=True):
    """The functions that check and answer one operation.

    Attributes:
        check: raises `InvalidRequest` for an invalid request; needs no index.
        snapshot: returns the id of the snapshot that the request names; None for the active one.
        vectors: whether the encoder is loaded.
    """

    answer: Callable[[Context, Q], R]
    check: Callable[[Q], None] = lambda _: None
    snapshot: Callable[[Unpinned, Q], SnapshotId | None] = lambda _, __: None
    vectors: bool = False


def parsed_snapshot(snapshot_id: str | None) -> SnapshotId | None:
    """Return a request's snapshot id, parsed; None stays None."""
    return None if snapshot_id is None else parse_snapshot_id(snapshot_id)
