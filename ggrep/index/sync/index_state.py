"""The record of the last sync, which lets status and health skip a walk of the tree."""

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import durable, stable_json
from ggrep.base.checksummed import Damaged, require_sound, seal
from ggrep.base.errors import Incompatible
from ggrep.base.formats import INDEX_STATE
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.files import SkippedFile
from ggrep.model.index_freshness import UP_TO_DATE, IndexFreshness
from ggrep.model.limits import Counts, Notice, skip_counts

if TYPE_CHECKING:
    from ggrep.model.response import GitState

_SEALED_SINCE = 2
FIRST_RETRY_MS: Final = 10_000
MOST_RETRY_MS: Final = 300_000


class Retry(Struct, frozen=True):
    """When to try again what a sync had to leave open: soon at first, then with growing delays.

    Attributes:
        tries: that left something open, one after another; 0 when nothing is open.
        at_ms: when the next one is due, milliseconds since 1970.
    """

    tries: int = 0
    at_ms: int = 0

    def left_ms(self, now: datetime) -> int | None:
        """Return how long it is until the next try; None when nothing is open."""
        if not self.tries:
            return None
        left = self.at_ms - _ms(now)
        return (
            0 if left > MOST_RETRY_MS else max(0, left)
        )  # a clock that was set back holds nothing up

    def is_due(self, now: datetime) -> bool:
        """Tell whether to try what is open."""
        return not self.left_ms(now)


NOTHING_OPEN: Final = Retry()


def following(before: Retry, now: datetime, *, tried: bool) -> Retry:
    """Return when to try again what a sync left open.

    Args:
        before: as it was when the sync began.
        now: when it ended.
        tried: it tried everything that was open.
    """
    if before.tries and not tried:
        return before
    wait_ms = min(FIRST_RETRY_MS << min(before.tries, 16), MOST_RETRY_MS)
    return Retry(before.tries + 1, _ms(now) + wait_ms)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


class SyncedGit(Struct, frozen=True):
    """State of git when the files were read."""

    last_head_sha: str | None = None
    dirty: bool | None = None
    untracked_included: bool = True

    @classmethod
    def of(cls, git: "GitState | None") -> "SyncedGit | None":
        """Return what a snapshot's manifest says of it."""
        return cls(git.head_sha, git.dirty, git.untracked_included) if git else None


class Upkeep(Struct, frozen=True):
    """When the store was compacted and collected last, and how long it took."""

    last_compaction_at: str | None = None
    last_compaction_ms: int | None = None
    last_gc_at: str | None = None
    last_gc_ms: int | None = None


class IndexState(Struct, frozen=True):
    """Derived from the snapshot and the walk; losing it loses nothing but this report.

    Attributes:
        last_sync_at: when the last sync ended that changed anything in this record.
        last_result: `ok`, `degraded` or `error`; after an error all else is as it was before.
        last_error: why it failed, its code and message; empty unless `last_result` is `error`.
        skipped: files the last walk found and did not index.
        notices: how the list of files came about, where that is worth knowing.
        upkeep: times of the last compaction and collection.
        retry: when a sync retries the files that the last sync left open.
    """

    store_id: str
    canonical_root: str
    config_fingerprint: str
    ignore_fingerprint: str
    active_snapshot_id: str
    git: SyncedGit | None
    last_sync_at: str
    last_result: str
    last_duration_ms: int
    skipped: tuple[SkippedFile, ...]
    notices: tuple[Notice, ...] = ()
    upkeep: Upkeep = Upkeep()
    last_error: str = ""
    retry: Retry = NOTHING_OPEN


def recorded_standing(path: Path) -> IndexFreshness:
    """Return the freshness of an index from the record of its last sync."""
    try:
        state = read_index_state(path)
    except Incompatible:
        return UP_TO_DATE
    if state is None or state.last_result != "error":
        return UP_TO_DATE
    return IndexFreshness(
        failure=state.last_error.partition(": ")[2] or "unknown", at=state.last_sync_at
    )


def last_success(path: Path) -> str:
    """Return when the last sync succeeded, RFC 3339; empty if it failed or left no record."""
    try:
        state = read_index_state(path)
    except Incompatible:
        return ""
    return state.last_sync_at if state and state.last_result != "error" else ""


class SkippedFiles:
    """Counts the files that the last sync skipped; its record is read again when it changes."""

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self._path = path
        self._last: tuple[tuple[int, int, int] | None, Counts] = None, ()

    def __call__(self) -> Counts:
        """Return the counts; empty without a record. Thread-safe."""
        try:
            status = os.stat(self._path)  # noqa: PTH116 - on every answer that lacks something
        except OSError:
            return ()
        stamp = status.st_ino, status.st_mtime_ns, status.st_size
        if self._last[0] != stamp:
            try:
                state = read_index_state(self._path)
            except Incompatible:
                state = None
            self._last = stamp, skip_counts(state.skipped) if state else ()
        return self._last[1]


def write_index_state(path: Path, state: IndexState) -> None:
    """Replace the record, unless only the clock would differ. It is derived, and not durable."""
    before = read_index_state(path)
    timeless = before and replace(
        before, last_sync_at=state.last_sync_at, last_duration_ms=state.last_duration_ms
    )
    if timeless == state:
        return
    values = asdict(state) | {INDEX_STATE.field: INDEX_STATE.writes}
    durable.replace_file(path, stable_json.dumps_pretty(seal(values)), lasting=False)


def read_index_state(path: Path) -> IndexState | None:
    """Return the record; None when it is missing or unreadable.

    Raises:
        Incompatible: a newer build wrote it.
    """
    try:
        values = stable_json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    try:
        require_sound(values, INDEX_STATE, since=_SEALED_SINCE)
        return decode(IndexState, values)
    except (Damaged, DecodeError):
        return None
