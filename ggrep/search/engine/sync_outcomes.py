"""The outcome of a sync and of the maintenance after it."""

from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from ggrep.base.errors import GgrepError
from ggrep.model.limits import Notice
from ggrep.model.sync import Compacted, SyncOutcome, SyncReport

if TYPE_CHECKING:
    from ggrep.model.maintenance import CompactionReport
    from ggrep.search.engine.repo_index import RepoIndex


def kept_up(index: "RepoIndex", outcome: SyncOutcome, *, compacting: bool) -> SyncOutcome:
    """Do the store's maintenance; without compaction, a sync still merges small segments."""
    try:
        upkeep = index.keep_up(compacting=compacting)
    except GgrepError as error:
        notice = Notice("upkeep_failed", f"upkeep failed: {error}")
        return replace(outcome, notices=(*outcome.notices, notice))
    if upkeep.collection is not None:
        outcome = replace(outcome, collected_bytes=upkeep.collection.freed_bytes)
    return outcome if upkeep.compaction is None else _with_compaction(outcome, upkeep.compaction)


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
    """Return the figures of a sync, without any maintenance after it."""
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
