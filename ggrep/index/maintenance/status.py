"""Status of one store: its snapshot, its last sync, its memory, and its daemon."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import convert
from msgspec.structs import replace

from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.base.lease import LeaseRecord, is_live, read_record
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.findings import failed_call
from ggrep.index.repo_identity import RepoIdentity
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.judging import Judgement
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.view import SnapshotView, manifests_newest_first
from ggrep.index.sync.index_state import IndexState, read_index_state, recorded_standing
from ggrep.model.daemons import DaemonLoad
from ggrep.model.files import GUESSED, MASKED, REPLACED
from ggrep.model.index_freshness import Damage, IndexFreshness, freshness_notices
from ggrep.model.limits import Notice, sorted_notices
from ggrep.model.sanitise import sanitise_line, without_directories
from ggrep.model.status import (
    NEAR,
    Disk,
    EmbedPool,
    GeneratedCounts,
    OpenHandles,
    Performance,
    QueryCounts,
    Resources,
    RetainedSnapshot,
    SnapshotStatus,
    Status,
    StatusDaemon,
    SupportedVersions,
    SyncStatus,
    WarningJson,
)

_MOST_RETAINED: Final = 10
_UNSURE: Final = (
    (GUESSED, "guessed_encoding", "files whose encoding was guessed"),
    (REPLACED, "replaced_characters", "files with U+FFFD in place of invalid bytes"),
)


def read_status(
    settings: Settings,
    inspect: Callable[[], Judgement],
    home: Home,
    identity: RepoIdentity,
    load: DaemonLoad | None = None,
) -> Status:
    """Return the status of one store, even if it is damaged; writes nothing.

    Args:
        settings: the current settings.
        inspect: returns the judgement of the store.
        home: the directory of the store.
        identity: the repository and its store.
        load: the measurements of the store's daemon; None if no daemon runs.
    """
    store = identity.store
    files = store_files.lease_files(store)
    problems: list[Notice] = []
    view, manifest, damage = _shown(inspect, problems)
    last: IndexState | None = None
    record: LeaseRecord | None = None
    writing = False
    with _noting(problems, "last_sync_unknown"):
        last = read_index_state(store_files.index_state_file(store)) if manifest else None
    with _noting(problems, "lease_unknown"):
        record, writing = read_record(files.record), is_live(files)
    used = [_bytes(directory, problems) for directory in (store, home.cache, home.logs)]
    status = Status(
        store_id=identity.store_id,
        canonical_root=str(identity.root),
        config_fingerprint=identity.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint if manifest else None,
        encoder=settings.encoder,
        snapshot=replace(_snapshot(manifest, view, damage), retained=_retained(store)),
        sync=SyncStatus(
            state="indexing" if writing else "idle",
            last_sync_at=last.last_sync_at if last else None,
            last_result=last.last_result if last else None,
            last_duration_ms=last.last_duration_ms if last else None,
            staging_txn_id=record.staging_txn_id if record and writing else None,
            skipped_files=len(last.skipped) if last else 0,
            secret_files=sum(skip.reason == "secret" for skip in last.skipped) if last else 0,
        ),
        queries=QueryCounts(timeout_ms=settings.query_timeout_ms),
        resources=Resources(
            disk=Disk(
                store_bytes=used[0],
                store_budget_bytes=settings.max_store_bytes,
                cache_bytes=used[1],
                cache_budget_bytes=settings.max_cache_bytes,
                log_bytes=used[2],
                log_budget_bytes=settings.max_log_bytes,
            ),
            open_handles=OpenHandles(segments_budget=settings.max_open_segments_per_query),
        ),
        performance=Performance(
            publish_time_last_ms=last.last_duration_ms if last else None,
            gc_time_last_ms=last.upkeep.last_gc_ms if last else None,
            compaction_time_last_ms=last.upkeep.last_compaction_ms if last else None,
        ),
    )
    return with_load(status, load, recorded_standing(store_files.index_state_file(store)), problems)


def _snapshot(
    manifest: SnapshotManifest | None, view: SnapshotView | None, damage: Damage | None
) -> SnapshotStatus:
    lacks = damage is not None and not damage.is_complete
    if manifest is None:
        return SnapshotStatus(degraded=lacks)
    git = manifest.git
    return SnapshotStatus(
        active_snapshot_id=manifest.snapshot_id,
        created_at=manifest.created_at,
        head_sha=git.head_sha if git else None,
        dirty=git.dirty if git else None,
        untracked_included=git.untracked_included if git else None,
        degraded=manifest.degraded or lacks,
        partial=manifest.partial and damage is None,
        files=manifest.counts.files_indexed,
        masked_files=len(view.files_of(MASKED)) if view else 0,
        made_files=view.made_files() if view else GeneratedCounts(),
        chunks=manifest.counts.chunks_visible,
        segments=len(manifest.segments),
        tombstones=manifest.counts.tombstones_added,
    )


def _retained(store: Path) -> tuple[RetainedSnapshot, ...]:
    """Return the newest snapshots of a store; none if their directory cannot be read."""
    with suppress(GgrepError):
        newest = manifests_newest_first(store, most=_MOST_RETAINED)
        return tuple(
            RetainedSnapshot(
                each.snapshot_id,
                each.created_at,
                each.counts.files_indexed,
                each.counts.chunks_visible,
            )
            for each in newest
        )
    return ()


def with_load(
    status: Status,
    load: DaemonLoad | None,
    standing: IndexFreshness,
    problems: Sequence[Notice] = (),
) -> Status:
    """Return a status that was read from disk, with the daemon's figures and all warnings added.

    If `load` is None, no daemon runs, and `standing` is the state after the last sync.
    """
    standing = load.sync.standing if load else standing
    notices = [*problems, *_near_budgets(status.resources.disk), *freshness_notices(standing)]
    if load is not None:
        notices += _of_daemon(load)
        status = _served(status, load)
    return replace(
        status,
        canonical_root=sanitise_line(status.canonical_root),
        sync=replace(
            status.sync,
            last_error=without_directories(standing.failure) or None,
            next_retry_ms=standing.retry_ms,
        ),
        warnings=tuple(
            WarningJson(notice.code, sanitise_line(notice.message))
            for notice in sorted_notices(notices)
        ),
    )


def _served(status: Status, load: DaemonLoad) -> Status:
    sync, queries, encode = load.sync, load.queries, load.encode
    return replace(
        status,
        daemon=replace(
            convert(load, StatusDaemon, from_attributes=True),
            running=True,
            stale_reason=sanitise_line(load.stale_reason) if load.stale else None,
            supported_schema_versions=SupportedVersions(**SCHEMA_VERSIONS),
        ),
        sync=replace(
            status.sync,
            # A manual sync can run while the daemon is idle.
            state="indexing" if sync.state == "indexing" else status.sync.state,
            stage=sync.stage or None,
            done_files=sync.done_files,
            total_files=sync.total_files,
            pending=sync.pending,
            last_result=sync.last_result or status.sync.last_result,
            failures_total=sync.failures_total,
        ),
        queries=convert(queries, QueryCounts, from_attributes=True),
        resources=replace(
            status.resources,
            open_handles=load.handles,
            embed_global=EmbedPool(encode.max_concurrent, encode.in_use, encode.stale),
            query_workers=load.workers,
        ),
        performance=replace(
            status.performance,
            query_latency_p50_ms=queries.latency_p50_ms,
            query_latency_p95_ms=queries.latency_p95_ms,
            segments_touched_max=queries.segments_touched_max,
            stages_mean_ms={name: round(spent, 3) for name, spent in load.stages},
        ),
        watch=replace(load.watch, problem=sanitise_line(load.watch.problem or "") or None),
    )


def _near_budgets(disk: Disk) -> Iterator[Notice]:
    for code, what, used, budget in (
        ("disk_budget_cache", "cache", disk.cache_bytes, disk.cache_budget_bytes),
        ("disk_budget_logs", "logs", disk.log_bytes, disk.log_budget_bytes),
        ("disk_budget_store", "store", disk.store_bytes, disk.store_budget_bytes),
    ):
        if budget and used >= NEAR * budget:
            yield Notice(code, f"{what} uses {used} bytes of {budget}")


def _of_daemon(load: DaemonLoad) -> Iterator[Notice]:
    if load.stale:
        why = load.stale_reason or "the configuration has changed"
        yield Notice("stale_config", f"the daemon uses outdated settings: {why}")
    if load.watch.mode == "polling":
        yield Notice(
            "watch_polling", load.watch.problem or "the daemon checks for changes at intervals"
        )
    if load.encode.stale:
        yield Notice("encode_slot_stale", "a process that was encoding has died or hangs")


def _shown(
    inspect: Callable[[], Judgement], problems: list[Notice]
) -> tuple[SnapshotView | None, SnapshotManifest | None, Damage | None]:
    """Return the answering snapshot, its manifest (or the last published one), and the damage."""
    try:
        judged = inspect()
    except NoIndex:
        return None, None, None
    except GgrepError as error:
        problems.append(Notice("index_unreadable", str(error)))
        return None, None, None
    if judged.damage is not None:
        problems.append(judged.damage.notice)
    if judged.view is None:
        return None, judged.manifest, judged.damage
    problems += _unsure(judged.view)
    return judged.view, judged.view.manifest, judged.damage


def _unsure(view: SnapshotView) -> Iterator[Notice]:
    """Yield notices on the number of files with a guessed encoding or with invalid bytes."""
    for trait, code, what in _UNSURE:
        if count := len(view.files_of(trait)):
            yield Notice(code, f"{what}: {count}; ggrep health names them")


def _bytes(directory: Path, problems: list[Notice]) -> int:
    """Return the size on disk of the readable part of a directory."""
    try:
        return store_bytes(directory)
    except OSError as error:
        problems.append(Notice("disk_use_unknown", failed_call(error)))
        return 0


@contextmanager
def _noting(problems: list[Notice], code: str) -> Iterator[None]:
    """Add an error in the block to `problems` instead of raising it."""
    try:
        yield
    except GgrepError as error:
        problems.append(Notice(code, str(error)))
    except OSError as error:
        problems.append(Notice(code, failed_call(error)))
