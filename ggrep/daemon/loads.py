"""The load figures of a daemon's parts, as status and metrics show them."""

import os
from pathlib import Path
from typing import Final

from ggrep.daemon.sync_loop import SyncState
from ggrep.daemon.watching import WatchState
from ggrep.model.load import WAITS_FOR_GIT, SyncLoad, WatchLoad
from ggrep.model.standing import Standing

_RESULTS: Final = {"ok": "ok", "degraded": "degraded", "failed": "error"}


def sync_load(state: SyncState, standing: Standing) -> SyncLoad:
    """Return the figures of a sync loop."""
    indexing = state.state == "indexing"
    stage = state.stage if indexing else ""
    return SyncLoad(
        state="indexing" if indexing else "idle",
        stage=WAITS_FOR_GIT if state.git_at_work else stage,
        done_files=state.done_files if indexing else 0,
        total_files=state.total_files if indexing else 0,
        last_result=_RESULTS.get(state.last_result or ""),
        failures_total=state.failures_total,
        pending=state.pending,
        standing=standing,
    )


def watch_load(state: WatchState) -> WatchLoad:
    """Return the figures of a root's watch."""
    return WatchLoad(
        mode="events" if state.mode == "watching" else state.mode,
        events_total=state.events_total,
        last_event_age_ms=state.last_event_age_ms,
        problem=state.problem,
    )


def rss_bytes() -> int:
    """Return the memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
