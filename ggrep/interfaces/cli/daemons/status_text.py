"""Status on a terminal: one repository's lines, a table of daemons, and its live view.

Pure functions from what was read to text; whatever is quoted is sanitised here.
"""

from collections.abc import Iterator, Sequence

from ggrep.interfaces.cli.daemons.daemon_rows import (
    AGE,
    FILES,
    MEMORY,
    P50,
    QUERIES,
    STATE,
    Column,
    daemon_table,
    row_of,
)
from ggrep.interfaces.cli.text_tables import age_text, bytes_text, plural, render_pairs
from ggrep.model.daemons import Daemon, DaemonState
from ggrep.model.damage import COMPLETE, DAMAGE_CODES
from ggrep.model.load import WAITS_FOR_GIT
from ggrep.model.status import Status
from ggrep.render.style import Style

NOTHING_RUNS = "no daemon runs\n"
_WARNING = "warning"
_WATCH = {"events": "watching", "off": "not watching"}


def status_block(shown: Status, style: Style) -> str:
    """Return the lines of one repository: label and value."""
    roles = {_WARNING: _WARNING}
    return render_pairs(list(_lines(shown)), style, roles)


def status_rows(rows: Sequence[Daemon], style: Style, columns: int) -> str:
    """Return the table of all daemons of this home and their totals, at most `columns` wide."""
    if not rows:
        return NOTHING_RUNS
    table = daemon_table(rows, (STATE, FILES, QUERIES, P50, MEMORY, AGE), style, columns)
    return f"{table}\n{_joined(_totals(rows), columns)}\n"


def render_live(
    rows: Sequence[Daemon], previous: Sequence[Daemon], style: Style, columns: int
) -> str:
    """Return one screen: totals, and a table of what each daemon does now.

    Args:
        rows: as just read.
        previous: as read for the screen before; empty for the first. Rates are the difference
            of the counters over that of the uptimes.
        style: paints.
        columns: how wide the screen is.
    """
    if not rows:
        return NOTHING_RUNS
    before = {(row.store_id, row.pid): row for row in previous}

    def rate(row: Daemon) -> float | None:
        return queries_per_second(row, before.get((row.store_id, row.pid)))

    per_second = Column("q/s", 8, lambda row: _rate_text(rate(row)))
    running = Column("running", 7, lambda row: "-" if row.in_flight is None else str(row.in_flight))
    rates = [found for row in rows if (found := rate(row)) is not None]
    sums = _totals(rows)
    sums += [f"{_rate_text(sum(rates))} queries/s"] if rates else []
    sums.append(f"{sum(row.in_flight or 0 for row in rows)} running")
    sums += [f"{count} {state.words}" for state, count in _unready(rows)]
    table = daemon_table(
        rows, (STATE, per_second, running, QUERIES, P50, MEMORY, AGE), style, columns
    )
    return f"{style.paint('name', _joined(sums, columns))}\n\n{table}"


def _totals(rows: Sequence[Daemon]) -> list[str]:
    """Return how many daemons there are, in how many processes, and the memory of those."""
    known = {row.pid for row in rows if row.pid is not None}
    processes = f" in {plural(len(known), 'process', 'processes')}" if known else ""
    memory = {row.pid: row.rss_bytes for row in rows if row.rss_bytes is not None}
    totals = [f"{plural(len(rows), 'daemon')}{processes}"]
    return [*totals, bytes_text(sum(memory.values()))] if memory else totals


def queries_per_second(row: Daemon, before: Daemon | None) -> float | None:
    """Return the rate between two samples of one daemon; None if it reports none."""
    if before is None or None in {row.query_total, before.query_total}:
        return None
    spent_ms = (row.uptime_ms or 0) - (before.uptime_ms or 0)
    answered = (row.query_total or 0) - (before.query_total or 0)
    if spent_ms <= 0 or answered < 0:
        return None
    return answered * 1000 / spent_ms


def _lines(shown: Status) -> Iterator[tuple[str, str]]:
    yield "root", shown.canonical_root
    yield "store", shown.store_id
    yield "encoder", shown.encoder
    snapshot = shown.snapshot
    if snapshot.active_snapshot_id is None:
        yield "index", _missing(shown)
    else:
        yield "snapshot", f"{snapshot.active_snapshot_id} of {snapshot.created_at}"
        yield "indexed", f"{plural(snapshot.files, 'file')}, {plural(snapshot.chunks, 'chunk')}"
        if snapshot.masked_files or shown.sync.secret_files:
            left, masked = plural(shown.sync.secret_files, "file"), snapshot.masked_files
            yield "secrets", f"{left} left out, values masked in {masked}"
        if told := snapshot.made_files.told():
            part = snapshot.made_files.shortened
            yield "machine-written", f"{told}; {part} indexed in part" if part else told
        yield "segments", str(snapshot.segments)
        yield "complete", _complete(shown)
        yield "size", f"{shown.resources.disk.store_bytes / 1e6:.1f} MB"
    yield "sync", _sync(shown)
    yield "daemon", _daemon(shown)
    for warning in shown.warnings:
        yield _WARNING, warning.message


def _missing(shown: Status) -> str:
    """Return why there is no active snapshot."""
    if any(warning.code in DAMAGE_CODES for warning in shown.warnings):
        return "damaged"
    if shown.sync.state == "indexing" or shown.sync.pending:
        return "none yet; it is being built"
    return "none yet; run: ggrep index"


def _complete(shown: Status) -> str:
    snapshot = shown.snapshot
    if any(warning.code in DAMAGE_CODES - COMPLETE for warning in shown.warnings):
        return "no, the index is damaged"
    if snapshot.partial:
        return "no, the first index is being built"
    return "no, degraded" if snapshot.degraded else "yes"


def _sync(shown: Status) -> str:
    sync = shown.sync
    if sync.stage == WAITS_FOR_GIT:
        return "waiting for git to finish"
    if sync.state == "indexing":
        done = f", {sync.done_files} of {plural(sync.total_files, 'file')}"
        return f"at work{done if sync.total_files else ''}"
    last = f", the last one {sync.last_result} at {sync.last_sync_at}" if sync.last_sync_at else ""
    return f"{'waiting' if sync.pending else 'idle'}{last}"


def _daemon(shown: Status) -> str:
    if not shown.daemon.running:
        return "none"
    row = row_of(shown)
    parts = [f"pid {row.pid}"]
    if row.uptime_ms is not None:
        parts.append(f"up {age_text(row.uptime_ms)}")
    parts.append(f"{plural(row.in_flight or 0, 'query', 'queries')} running")
    if shown.queries.queue_depth:
        parts.append(f"{shown.queries.queue_depth} waiting")
    if row.query_latency_p50_ms is not None:
        parts.append(f"p50 {row.query_latency_p50_ms} ms")
    if row.rss_bytes:
        parts.append(bytes_text(row.rss_bytes))
    parts.append(_WATCH.get(shown.watch.mode, shown.watch.mode))
    if shown.daemon.stale:
        parts.append("stale")
    return ", ".join(parts)


def _unready(rows: Sequence[Daemon]) -> Iterator[tuple[DaemonState, int]]:
    for state in DaemonState:
        count = sum(row.state is state for row in rows)
        if count and state is not DaemonState.READY:
            yield state, count


def _joined(parts: Sequence[str], columns: int) -> str:
    """Return as many of the parts as fit on one line."""
    line = parts[0]
    for part in parts[1:]:
        if len(line) + len(part) + 3 <= columns:
            line = f"{line}   {part}"
    return line


def _rate_text(rate: float | None) -> str:
    if rate is None:
        return "-"
    return f"{rate:.1f}" if rate < 100 else f"{rate:.0f}"
