"""Divides one repository's answer about a name into pages, with a cursor for the next page."""

from msgspec.structs import replace

from ggrep.base.ids import SnapshotId, StoreId, parse_snapshot_id
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.model.limits import LimitHit
from ggrep.model.name_pools import (
    Consumed,
    PageCursor,
    limit_code,
    question_digest,
    read_token,
    token_of,
)
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.search.query.answerer import Unpinned

_ALONE = ""
"""Name of the repository in the cursor of a query to a single repository."""


def page_start(
    request: SymbolRequest | ReferencesRequest, index: StoreId
) -> tuple[int, SnapshotId | None]:
    """Return the number of places on earlier pages, and the snapshot of these pages, if any.

    Raises:
        InvalidRequest: the cursor is invalid, or belongs to another request or index.
    """
    if not request.cursor:
        return 0, None
    result = read_token(request.cursor, _digest(request, index)).of(_ALONE)
    return (result.places, parse_snapshot_id(result.snapshot_id)) if result else (0, None)


def page_snapshot(store: Unpinned, request: SymbolRequest | ReferencesRequest) -> SnapshotId | None:
    """Return the snapshot of earlier pages; None on the first page."""
    return page_start(request, store.active().manifest.name)[1] if request.cursor else None


def page_end(
    request: SymbolRequest | ReferencesRequest,
    shown: tuple[int, int],
    total: int,
    origin: tuple[StoreId, SnapshotId],
    *,
    exact: bool = True,
) -> tuple[tuple[LimitHit, ...], str]:
    """Return the limit that ends a page, and the next page's cursor; both empty on the last page.

    Args:
        request: the clamped request.
        shown: number of places on earlier pages, and on this page.
        total: number of all places; a lower bound unless `exact`.
        origin: the queried index and snapshot.
        exact: whether there are exactly `total` places.
    """
    before, here = shown
    if before + here >= total:
        return (), ""
    index, snapshot_id = origin
    consumed = Consumed(_ALONE, snapshot_id, before + here)
    cursor = PageCursor(_digest(request, index), "spelled", (consumed,))
    limit = LimitHit(limit_code(request), request.limit, total if exact else None)
    return (limit,), token_of(cursor) if here else ""


def _digest(request: SymbolRequest | ReferencesRequest, index: StoreId) -> str:
    asked = replace(request, limit=0, cursor="")
    return question_digest(asked_fingerprint(f"{limit_code(request)}-1", asked), index)
