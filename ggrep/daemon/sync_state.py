"""The sync state of a store, for status and metrics."""

from datetime import datetime
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import rfc3339
from ggrep.base.errors import GgrepError
from ggrep.model.daemons import WAITS_FOR_GIT, SyncLoad
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.sanitise import without_directories
from ggrep.model.sync import SyncOutcome, SyncProgress

_RESULTS: Final = {"ok": "ok", "degraded": "degraded"}


class SyncState(Struct, frozen=True):
    """The state of a store's syncs.

    Attributes:
        trigger: reason of the running sync, else of the last sync; empty before the first sync.
        stage: stage of the running sync; empty if no sync runs.
        last_error: code and message of the last failure, without absolute paths; empty after a
            success.
        last_duration_ms: duration of the last successful sync, from request to answer.
        git_at_work: whether a sync waits until git has changed its files.
        pending: whether there were changes since the start of the last sync, or the last sync
            failed or postponed files.
        behind: whether the work tree is known to be newer than the active snapshot. A sync that
            starts without a detected change sets `behind` only when the sync finds a change.
        next_retry_ms: time until a failed sync or postponed files are tried again.
    """

    state: Literal["idle", "indexing", "frozen"] = "idle"
    trigger: str = ""
    stage: str = ""
    done_files: int = 0
    total_files: int = 0
    started_at: str | None = None
    last_sync_at: str | None = None
    last_result: Literal["ok", "degraded", "failed", "cancelled"] | None = None
    last_error: str = ""
    last_duration_ms: int | None = None
    syncs_total: int = 0
    failures_total: int = 0
    git_at_work: bool = False
    pending: bool = False
    behind: bool = False
    next_retry_ms: int | None = None
    reason: str = ""

    @property
    def standing(self) -> IndexFreshness:
        """Return the state in the form that answers contain."""
        cancelled = self.last_result == "cancelled"
        return IndexFreshness(
            failure="" if cancelled else self.last_error.partition(": ")[2],
            cancelled=cancelled,
            behind=self.behind,
            indexing=self.state == "indexing",
            git_at_work=self.git_at_work,
            retry_ms=self.next_retry_ms,
            held=self.reason,
        )

    def load(self, standing: IndexFreshness) -> SyncLoad:
        """Return the state in the form that status and metrics contain."""
        indexing = self.state == "indexing"
        failed = self.last_result == "failed" and bool(standing.failure)
        stage = self.stage if indexing else ""
        return SyncLoad(
            state="indexing" if indexing else "idle",
            stage=WAITS_FOR_GIT if self.git_at_work else stage,
            done_files=self.done_files if indexing else 0,
            total_files=self.total_files if indexing else 0,
            last_result="error" if failed else _RESULTS.get(self.last_result or ""),
            failures_total=self.failures_total,
            pending=self.pending,
            standing=standing,
        )


UNTOUCHED: Final = SyncState()


def begun(state: SyncState, now: datetime, trigger: str) -> SyncState:
    """Return the state after the start of a sync."""
    behind = state.behind or trigger == "change"
    return replace(state, stage="scan", trigger=trigger, started_at=rfc3339(now), behind=behind)


def advanced(state: SyncState, progress: SyncProgress) -> SyncState:
    """Return the state after progress of a sync; the stage `upkeep` begins after publishing."""
    changed = progress.stage in {"index", "publish"}
    return replace(
        state,
        behind=changed or (state.behind and progress.stage != "upkeep"),
        stage=progress.stage,
        done_files=progress.done_files,
        total_files=progress.total_files,
    )


def ended(
    state: SyncState,
    now: datetime,
    took_ms: float,
    outcome: SyncOutcome | GgrepError,
    *,
    stopped: bool,
) -> SyncState:
    """Return the state after a sync; a `stopped` sync does not count as a failure."""
    state = replace(
        state,
        stage="",
        done_files=0,
        total_files=0,
        started_at=None,
        last_sync_at=rfc3339(now),
        syncs_total=state.syncs_total + 1,
    )
    if isinstance(outcome, SyncOutcome):
        return replace(
            state,
            last_result="degraded" if outcome.degraded else "ok",
            last_error="",
            last_duration_ms=round(took_ms),
            behind=False,
        )
    message = without_directories(f"{outcome.code}: {outcome}")
    if stopped:
        return replace(state, last_result="cancelled", last_error=message)
    failures = state.failures_total + 1
    return replace(state, last_result="failed", last_error=message, failures_total=failures)
