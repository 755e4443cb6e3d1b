"""How the engine answers one operation: the check, the snapshot and the function that answers."""

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
    """A store before a snapshot of it is pinned.

    Attributes:
        active: opens the active snapshot; `NoIndex` without one.
    """

    home: Home
    store_id: StoreId
    deadline: Deadline
    clock: Clock
    active: Callable[[], SnapshotView]


class Answerer(Struct, Generic[Q, R], frozen=True):
    """How one operation is answered.

    Attributes:
        check: raises `InvalidRequest`; needs no index.
        snapshot: returns the id of the snapshot that the request names; None for the active one.
        vectors: the encoder is loaded.
    """

    answer: Callable[[Context, Q], R]
    check: Callable[[Q], None] = lambda _: None
    snapshot: Callable[[Unpinned, Q], SnapshotId | None] = lambda _, __: None
    vectors: bool = False


def parsed_snapshot(snapshot_id: str | None) -> SnapshotId | None:
    """Return the snapshot id of a request; None where it names none."""
    return None if snapshot_id is None else parse_snapshot_id(snapshot_id)
