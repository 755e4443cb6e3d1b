"""Caches the lists that one store gave to coordinators, by snapshot and query.

Many agents ask one workspace much the same, and a snapshot never changes: its lists for a
question are the same each time. What is of the moment is no part of them.
"""

from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base.stable_json import Json
from ggrep.model.recent import Recent, RecentStatistics
from ggrep.model.request import PoolRequest
from ggrep.model.response import PoolResponse

MOST_BYTES: Final = 4 * 1024 * 1024
"""Most bytes that one store's remembered lists take; they go when the store has been idle."""

_VALUE_BYTES: Final = 32
_TERM_BYTES: Final = 200
_HIT_BYTES: Final = 2048
"""About what a hit takes beside its text, as a value and as JSON."""


class RememberedPool(Struct, frozen=True):
    """Lists, with the JSON that they are sent as."""

    pool: PoolResponse
    document: Json


class PoolMemory:
    """The cached lists of one store; threads may share it."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Start empty."""
        self._held: Recent[tuple[str, PoolRequest], RememberedPool] = Recent(most_bytes)

    def get(self, snapshot_id: str, request: PoolRequest) -> RememberedPool | None:
        """Return the cached lists of a snapshot, or None."""
        if request.snapshot_id not in {None, snapshot_id}:
            return None
        return self._held.get((snapshot_id, _question(request)))

    def put(self, request: PoolRequest, pool: PoolResponse) -> RememberedPool:
        """Cache lists, and return them with their JSON."""
        found = remembered(pool)
        lists = (pool.blended, *(hits for _, hits in pool.corpora))
        size = sum(_HIT_BYTES + 2 * len(hit.content) for hits in lists for hit in hits)
        size += _HIT_BYTES + _question_size(request)
        self._held.put((pool.provenance.snapshot_id, _question(request)), found, size)
        return found

    def statistics(self) -> RecentStatistics:
        """Return how full the cache is, and its hits."""
        return self._held.statistics()


def remembered(pool: PoolResponse) -> RememberedPool:
    """Return lists with their JSON."""
    return RememberedPool(pool, to_builtins(pool))


def _question(request: PoolRequest) -> PoolRequest:
    """Return the request without the fields that do not affect the answer."""
    return replace(request, snapshot_id=None, search=replace(request.search, timeout_ms=0))


def _question_size(request: PoolRequest) -> int:
    """Return the approximate size of the request in bytes."""
    values = len(request.vector.values) if request.vector else 0
    terms = len(request.statistics.terms) if request.statistics else 0
    return len(request.search.query) + _VALUE_BYTES * values + _TERM_BYTES * terms
