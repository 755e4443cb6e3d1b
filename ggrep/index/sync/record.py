"""Writes the records of a sync that are not part of the snapshot: stat cache and sync record."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from ggrep.base.clock import rfc3339
from ggrep.base.errors import GgrepError, Incompatible
from ggrep.base.ids import PathKey, SnapshotId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.read_failures import call_failure
from ggrep.index.sync import stat_cache
from ggrep.index.sync.changes import ChangeSet
from ggrep.index.sync.index_state import (
    NOTHING_OPEN,
    IndexState,
    Retry,
    SyncedGit,
    Upkeep,
    read_index_state,
    write_index_state,
)
from ggrep.index.sync.indexing import Reading
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import SkippedFile
from ggrep.model.sanitise import without_directories
from ggrep.parse.source.walk import Walk


def remember_files(
    target: SyncTarget, changes: ChangeSet, reading: Reading, *, read_at_ns: int
) -> dict[PathKey, stat_cache.Known]:
    """Record the files that need not be read again, and return the records."""
    known: dict[PathKey, stat_cache.Known] = {m.file.path_key: m for m in changes.same}
    known.update({m.file.path_key: m for m in changes.skipped})
    known.update(reading.known)
    known.update(reading.left_out)
    known.update({m.file.path_key: m for m in changes.waiting})
    for key, file in reading.put_off.items():
        known[key] = stat_cache.KnownSkip(file, SkippedFile(key, stat_cache.PUT_OFF, "no turn"))
    stat_cache.save(store_files.stat_cache_file(target.store), known, read_at_ns=read_at_ns)
    return known


def retry_of(target: SyncTarget) -> Retry:
    """Return when to try files again that the last sync left unfinished.

    Raises:
        Incompatible: a newer build wrote the record.
    """
    state = read_index_state(store_files.index_state_file(target.store))
    return state.retry if state else NOTHING_OPEN


def remember_outcome(
    target: SyncTarget,
    manifest: SnapshotManifest,
    tree: Walk,
    skipped: Sequence[SkippedFile],
    ms: int,
    retry: Retry,
) -> None:
    """Record the result of a completed sync."""
    path = store_files.index_state_file(target.store)
    before = read_index_state(path)
    state = IndexState(
        store_id=target.store_id,
        canonical_root=str(target.root),
        config_fingerprint=target.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        active_snapshot_id=manifest.snapshot_id,
        git=SyncedGit.of(manifest.git),
        last_sync_at=rfc3339(target.clock.now()),
        last_result="degraded" if manifest.degraded else "ok",
        last_duration_ms=ms,
        skipped=tuple(skipped),
        notices=tree.notices,
        upkeep=before.upkeep if before else Upkeep(),
        retry=retry,
    )
    write_index_state(path, state)


def remember_compaction(target: SyncTarget, manifest: SnapshotManifest, ms: float) -> None:
    """Record a compaction that published `manifest`."""
    at = rfc3339(target.clock.now())
    _amend(target, manifest.snapshot_id, last_compaction_at=at, last_compaction_ms=round(ms))


def remember_collection(target: SyncTarget, ms: float) -> None:
    """Record a collection."""
    _amend(target, None, last_gc_at=rfc3339(target.clock.now()), last_gc_ms=round(ms))


def _amend(target: SyncTarget, active: SnapshotId | None, **upkeep: str | int) -> None:
    """Change the record if it exists; errors are ignored, because the record is derived."""
    path = store_files.index_state_file(target.store)
    with suppress(OSError, Incompatible):
        state = read_index_state(path)
        if state is None:
            return
        done = replace(state.upkeep, **upkeep)
        active_id = active or state.active_snapshot_id
        write_index_state(path, replace(state, active_snapshot_id=active_id, upkeep=done))


def remember_failure(target: SyncTarget, error: Exception) -> None:
    """Record a failed sync with its reason; facts about the snapshot do not change."""
    path = store_files.index_state_file(target.store)
    state = read_index_state(path)
    state = state or IndexState(
        store_id=target.store_id,
        canonical_root=str(target.root),
        config_fingerprint=target.config_fingerprint,
        ignore_fingerprint="",
        active_snapshot_id="",
        git=None,
        last_sync_at="",
        last_result="",
        last_duration_ms=0,
        skipped=(),
    )
    at = rfc3339(target.clock.now())
    message = without_directories(_told(error, Home.of_store(target.store)))
    write_index_state(
        path, replace(state, last_sync_at=at, last_result="error", last_error=message)
    )


def _told(error: Exception, home: Home) -> str:
    if isinstance(error, OSError):
        error = call_failure(error, home.base)
    if isinstance(error, GgrepError):
        return f"{error.code}: {error}"
    return f"internal: a bug in ggrep: {type(error).__name__}"
