"""Stores the record of the last sync, so that status and health need no walk of the tree."""

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
    """The time of the next attempt for files that a sync left unfinished; delays grow.

    Attributes:
        tries: number of consecutive attempts that left files unfinished; 0 if all are finished.
        at_ms: when the next attempt is due, in milliseconds since 1970.
    """

    tries: int = 0
    at_ms: int = 0

    def left_ms(self, now: datetime) -> int | None:
        """Return the time until the next attempt; None if no file is unfinished."""
        if not self.tries:
            return None
        left = self.at_ms - _ms(now)
        return 0 if left > MOST_RETRY_MS else max(0, left)  # no delay if the clock was set back

    def is_due(self, now: datetime) -> bool:
        """Return whether the next attempt is due; also true if no file is unfinished."""
        return not self.left_ms(now)


NOTHING_OPEN: Final = Retry()


def following(before: Retry, now: datetime, *, tried: bool) -> Retry:
    """Return the next attempt after a sync that left files unfinished.

    Args:
        before: the next attempt as recorded before the sync.
        now: the end of the sync.
        tried: whether the sync was an attempt for all unfinished files.
    """
    if before.tries and not tried:
        return before
    wait_ms = min(FIRST_RETRY_MS << min(before.tries, 16), MOST_RETRY_MS)
    return Retry(before.tries + 1, _ms(now) + wait_ms)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


class SyncedGit(Struct, frozen=True):
    """Git's state when the files were read."""

    last_head_sha: str | None = None
    dirty: bool | None = None
    untracked_included: bool = True

    @classmethod
    def of(cls, git: "GitState | None") -> "SyncedGit | None":
        """Return the fields of git's state that are recorded; None without git."""
        return cls(git.head_sha, git.dirty, git.untracked_included) if git else None


class Upkeep(Struct, frozen=True):
    """Time and duration of the store's last compaction and last collection."""

    last_compaction_at: str | None = None
    last_compaction_ms: int | None = None
    last_gc_at: str | None = None
    last_gc_ms: int | None = None


class IndexState(Struct, frozen=True):
    """The record of the last sync. The record is derived, so its loss has no effect on answers.

    Attributes:
        last_sync_at: end of the last sync that changed this record.
        last_result: `ok`, `degraded` or `error`; an error changes only the fields `last_result`,
            `last_sync_at` and `last_error`.
        last_error: code and message of the error; empty unless `last_result` is `error`.
        skipped: files that the last sync found but did not index.
        notices: notices on how files were listed, for example without git.
        upkeep: times of the last compaction and collection.
        retry: when to try files again that the last sync left unfinished.
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
    """Return the time of the last sync, RFC 3339; empty if it failed or left no record."""
    try:
        state = read_index_state(path)
    except Incompatible:
        return ""
    return state.last_sync_at if state and state.last_result != "error" else ""


class SkippedFiles:
    """Counts the files that the last sync skipped; reads the record again when it has changed."""

    def __init__(self, path: Path) -> None:
        """Set the path; the record is not read yet."""
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
    """Replace the record, unless only times differ; the file is not synced to disk."""
    before = read_index_state(path)
    timeless = before and replace(
        before, last_sync_at=state.last_sync_at, last_duration_ms=state.last_duration_ms
    )
    if timeless == state:
        return
    values = asdict(state) | {INDEX_STATE.field: INDEX_STATE.writes}
    durable.replace_file(path, stable_json.dumps_pretty(seal(values)), lasting=False)


def read_index_state(path: Path) -> IndexState | None:
    """Return the record; None if it is missing or unreadable.

    Raises:
        Incompatible: a newer build wrote the record.
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
