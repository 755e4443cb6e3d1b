"""The outcome of a sync and of the maintenance after it."""

from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from ggrep.base.errors import GgrepError
from ggrep.model.limits import Notice
from ggrep.model.sync import Compacted, Compaction, SyncOutcome, SyncReport

if TYPE_CHECKING:
    from ggrep.model.maintenance import CompactionReport
    from ggrep.search.engine.repo_index import RepoIndex


def kept_up(index: "RepoIndex", outcome: SyncOutcome, compaction: Compaction) -> SyncOutcome:
    """Maintain the store after a sync; for "apart" and "never", merge only small segments."""
    try:
        upkeep = index.keep_up(compacting=compaction in {"after", "alone"})
        overdue = compaction == "apart" and index.is_compaction_due()
    except GgrepError as error:
        notice = Notice("upkeep_failed", f"compaction or cleaning of the store failed: {error}")
        return replace(outcome, notices=(*outcome.notices, notice))
    outcome = replace(outcome, overdue=overdue)
    if upkeep.collection is not None:
        outcome = replace(outcome, collected_bytes=upkeep.collection.freed_bytes)
    return outcome if upkeep.compaction is None else _with_compaction(outcome, upkeep.compaction)


def compacted(index: "RepoIndex") -> SyncOutcome:
    """Maintain the store without a sync."""
    manifest = index.view().manifest
    counts = manifest.counts
    unsynced = SyncOutcome(
        store_id=index.identity.store_id,
        snapshot_id=manifest.snapshot_id,
        published=False,
        indexed=0,
        deleted=0,
        unchanged=counts.files_indexed,
        chunks=counts.chunks_visible,
        segments=len(manifest.segments),
        merged_segments=0,
        vectors_encoded=0,
        vectors_reused=0,
        skipped=0,
        degraded=len(manifest.errors),
        notices=(),
        duration_ms=0,
        cpu_ms=0,
    )
    return kept_up(index, unsynced, "alone")


def _with_compaction(outcome: SyncOutcome, done: "CompactionReport") -> SyncOutcome:
    compaction = Compacted(
        reason=done.reason,
        new_snapshot_id=done.new_snapshot_id,
        segments_before=done.segments_before,
        segments_after=done.segments_after,
        duration_ms=done.duration_ms,
    )
    outcome = replace(outcome, compaction=compaction)
    if done.new_snapshot_id is None:
        return outcome
    return replace(outcome, snapshot_id=done.new_snapshot_id, segments=done.segments_after)


def outcome_of(report: SyncReport) -> SyncOutcome:
    """Return the results of a sync without the maintenance after it."""
    figures = asdict(report)
    for name in ("schema_version", "files", "warnings"):
        del figures[name]
    return SyncOutcome(
        **figures
        | asdict(report.files)
        | {"skipped": len(report.skipped), "degraded": len(report.degraded)},
        notices=tuple(
            Notice(each.code, each.message, each.path_key or None) for each in report.warnings
        ),
        cpu_ms=0,
    )
