"""Deletes stores of a home that are no longer used.

A store is a candidate when it was neither used nor published to for `store_gc_days`. That includes
stores without a root and stores that were never published; the reason says which. Leftovers of a
dead removal, clone or rebuild are candidates at any age, unless a writer holds their store. A
damaged store gets no special treatment: its owner may still repair it.
"""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from msgspec import Struct

from ggrep.base.clock import Clock, SystemClock, rfc3339
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.base.ids import StoreId
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.inventory import StoreEntry, list_stores, remove_store
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.last_used import modified_at, read_last_use
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.remains import lying_remains, sweep_store
from ggrep.model.maintenance import Candidate

UNUSED = "unused"
ROOT_GONE = "root_gone"
NEVER_PUBLISHED = "never_published"
REMAINS = "remains"


class StoreCandidate(Candidate, frozen=True):
    """A store, or the leftovers of one, that may be deleted; `path` is the directory to delete."""

    path: Path


class Refusal(Struct, frozen=True):
    """A candidate that could not be deleted now, and why."""

    store_id: str
    error: GgrepError


class StoresReport(Struct, frozen=True):
    """The candidates, and the result of their deletion.

    Attributes:
        candidates: all candidates, by store id.
        deleted: the deleted candidates; none in a dry run.
        refused: candidates that are in use, or that the system did not delete.
    """

    dry_run: bool
    candidates: tuple[StoreCandidate, ...]
    deleted: tuple[StoreCandidate, ...]
    refused: tuple[Refusal, ...]


def collect_stores(
    home: Home,
    settings: Settings,
    *,
    current: StoreId | None,
    force: bool = False,
    clock: Clock | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> StoresReport:
    """List the unused stores; with `force`, delete them.

    Args:
        home: the directory of the stores.
        settings: `store_gc_days`, and when a writer's lease expires.
        current: the store of the caller's root; it always stays.
        force: delete the candidates; otherwise nothing is written.
        clock: tells today's date.
        wait: sleeps that many seconds.
    """
    clock = clock or SystemClock()
    candidates = find_candidates(home, settings, current=current, clock=clock)
    deleted: list[StoreCandidate] = []
    refused: list[Refusal] = []
    for candidate in candidates if force else ():
        try:
            _delete(home, settings, candidate, clock, wait)
        except InvalidRequest:
            continue  # another process was faster
        except GgrepError as error:
            refused.append(Refusal(candidate.store_id, error))
        else:
            deleted.append(candidate)
    return StoresReport(not force, candidates, tuple(deleted), tuple(refused))


def find_candidates(
    home: Home, settings: Settings, *, current: StoreId | None, clock: Clock
) -> tuple[StoreCandidate, ...]:
    """Return the candidates, by store id."""
    candidates = [*_unused(home, settings, current, clock), *_remains(home)]
    return tuple(sorted(candidates, key=lambda item: (item.store_id, item.path.name)))


def _unused(
    home: Home, settings: Settings, current: StoreId | None, clock: Clock
) -> Iterator[StoreCandidate]:
    oldest = rfc3339(clock.now() - timedelta(days=settings.store_gc_days))
    for entry in list_stores(home):
        if entry.store_id != current and entry.last_touched_at < oldest:
            yield StoreCandidate(
                store_id=entry.store_id,
                path=home.data / entry.store_id,
                size_bytes=entry.size_bytes,
                modified_at=entry.modified_at,
                last_used_at=entry.last_used_at,
                canonical_root=entry.canonical_root,
                reason=_reason(entry),
            )


def _reason(entry: StoreEntry) -> str:
    if not entry.published:
        return NEVER_PUBLISHED
    return ROOT_GONE if entry.root_exists is False else UNUSED


def _remains(home: Home) -> Iterator[StoreCandidate]:
    for store, paths in lying_remains(home).items():
        for path in paths:
            yield StoreCandidate(
                store_id=store.name,
                path=path,
                size_bytes=store_bytes(path),
                modified_at=_date(path),
                last_used_at=None,
                canonical_root=None,
                reason=REMAINS,
            )


def _date(path: Path) -> str | None:
    try:
        return rfc3339(modified_at(path))
    except OSError:
        return None


def _delete(
    home: Home,
    settings: Settings,
    candidate: StoreCandidate,
    clock: Clock,
    wait: Callable[[float], None],
) -> None:
    """Delete one candidate, unless it is in use or was used meanwhile."""
    if candidate.reason == REMAINS:
        with typed_failures(home.data):
            store = home.data / candidate.store_id
            sweep_store(store, clock, wait, settings.lease_ttl_ms)
        return
    still = partial(_is_untouched, candidate)
    with typed_failures(home.data):
        remove_store(home, candidate.store_id, clock=clock, wait=wait, readers_ms=0, wanted=still)


def _is_untouched(candidate: StoreCandidate) -> bool:
    last = read_last_use(candidate.path)
    now = rfc3339(modified_at(candidate.path)), rfc3339(last) if last else None
    return now == (candidate.modified_at, candidate.last_used_at)
