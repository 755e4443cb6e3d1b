"""Status on a terminal: lines about one repository, a table of daemons, and a live table.

All functions are pure. They sanitise text from files and daemons.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ggrep.base.stable_json import Document
from ggrep.interfaces.cli.text_tables import (
    age_text,
    bytes_text,
    count_text,
    pad,
    plural,
    render_pairs,
    shorten,
)
from ggrep.model.daemons import WAITS_FOR_GIT, Daemon, Daemons, DaemonState, percent_done
from ggrep.model.index_freshness import COMPLETE, DAMAGE_CODES
from ggrep.model.sanitise import sanitise_line
from ggrep.model.status import QUERY_P95_MS, Status
from ggrep.render.style import Style


def row_of(shown: Status) -> Daemon:
    """Return the row of a daemon that answered."""
    daemon, sync, state = shown.daemon, shown.sync, DaemonState.READY
    if daemon.stale:
        state = DaemonState.STALE
    elif sync.state == "indexing":
        state = DaemonState.INDEXING
    elif shown.snapshot.active_snapshot_id is None:
        state = DaemonState.STARTING
    progress = None
    if state is DaemonState.INDEXING:
        progress = percent_done(sync.done_files, sync.total_files)
    return Daemon(
        root=shown.canonical_root,
        store_id=shown.store_id,
        state=state,
        pid=daemon.pid,
        progress_percent=progress,
        files=shown.snapshot.files,
        query_total=shown.queries.query_total,
        in_flight=shown.queries.in_flight,
        query_latency_p50_ms=shown.performance.query_latency_p50_ms,
        query_latency_p95_ms=shown.performance.query_latency_p95_ms,
        rss_bytes=daemon.rss_bytes,
        uptime_ms=daemon.uptime_ms,
        problem=daemon.stale_reason or shown.watch.problem,
    )


_GAP = "  "
_LEAST_ROOT = 20
_ROLES = {
    DaemonState.READY: "good",
    DaemonState.INDEXING: "name",
    DaemonState.STALE: "warning",
    DaemonState.STARTING: "muted",
    DaemonState.SILENT: "bad",
    DaemonState.OTHER: "warning",
}


class Column(Struct, frozen=True):
    """A column besides the root; a narrow terminal omits the least important columns."""

    title: str
    importance: int
    cell: Callable[[Daemon], str]
    figures: bool = True
    role: Callable[[Daemon], str] | None = None


def state_text(row: Daemon) -> str:
    """Return a daemon's state in words, with its progress if known."""
    progress = row.progress_percent
    return row.state.words if progress is None else f"{row.state.words} {progress} %"


STATE = Column("state", 9, state_text, figures=False, role=lambda row: _ROLES[row.state])
FILES = Column("files", 5, lambda row: _known(row.files, count_text))
QUERIES = Column("queries", 4, lambda row: _known(row.query_total, count_text))
P50 = Column("p50", 8, lambda row: _known(row.query_latency_p50_ms, "{} ms".format))
P95 = Column(
    "p95",
    6,
    lambda row: _known(row.query_latency_p95_ms, "{} ms".format),
    role=lambda row: "warning" if (row.query_latency_p95_ms or 0) > QUERY_P95_MS else "",
)
MEMORY = Column("memory", 7, lambda row: _known(row.rss_bytes, bytes_text))
AGE = Column("age", 6, lambda row: _known(row.uptime_ms, age_text))


def daemon_table(
    rows: Sequence[Daemon], columns: Sequence[Column], style: Style, width: int
) -> str:
    """Return a header line and one line for each daemon, sorted by root, within the width."""
    rows = sorted(rows, key=_place)
    roots = [sanitise_line(row.root or "") or row.store_id for row in rows]
    shown = _fitting(rows, columns, width)
    widths = [_width(column, rows) for column in shown]
    left = width - sum(widths) - len(_GAP) * len(shown)
    room = max(min(left, max(map(cell_len, (*roots, "root")))), 1)
    titles = [pad("root", room)]
    titles += [
        pad(column.title, wide, right=column.figures)
        for column, wide in zip(shown, widths, strict=True)
    ]
    lines = [style.paint("muted", _GAP.join(titles).rstrip())]
    for row, root in zip(rows, roots, strict=True):
        cells = [style.paint("path", shorten(root, room)) + pad("", room - cell_len(root))]
        for column, wide in zip(shown, widths, strict=True):
            text = pad(column.cell(row), wide, right=column.figures)
            role = column.role(row) if column.role else ""
            cells.append(style.paint(role, text) if role else text)
        lines.append(_GAP.join(cells).rstrip())
        if row.problem:
            problem = shorten(f"  {sanitise_line(row.problem)}", width)
            lines.append(style.paint("warning", problem))
    return "".join(f"{line}\n" for line in lines)


def _fitting(rows: Sequence[Daemon], columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns without the least important ones, so that the root has enough width."""
    shown = list(columns)
    while shown and _LEAST_ROOT + sum(_width(c, rows) + len(_GAP) for c in shown) > width:
        shown.remove(min(shown, key=lambda column: column.importance))
    return shown


def _width(column: Column, rows: Sequence[Daemon]) -> int:
    return max(map(cell_len, (column.title, *(column.cell(row) for row in rows))))


def _known(value: int | None, text: Callable[[int], str]) -> str:
    return "-" if value is None else text(value)


def daemons_json(rows: Sequence[Daemon]) -> Document:
    """Return the document of `ggrep status --all`, sorted by root."""
    shown = (
        replace(
            row,
            root=sanitise_line(row.root or "") or None,
            problem=sanitise_line(row.problem or "") or None,
        )
        for row in sorted(rows, key=_place)
    )
    return Daemons(daemons=tuple(shown)).to_dict()


def _place(row: Daemon) -> tuple[str, str, int]:
    return row.root or "", row.store_id, row.pid or 0


NOTHING_RUNS = "no daemon runs\n"
_WARNING = "warning"
_WATCH = {"events": "watching", "off": "not watching"}


def status_block(shown: Status, style: Style) -> str:
    """Return the text about one repository: a line with label and value for each fact."""
    roles = {_WARNING: _WARNING}
    return render_pairs(list(_lines(shown)), style, roles)


def status_rows(rows: Sequence[Daemon], style: Style, columns: int) -> str:
    """Return the table of all daemons of this home and their totals, at most `columns` wide."""
    if not rows:
        return NOTHING_RUNS
    table = daemon_table(rows, (STATE, FILES, QUERIES, P50, MEMORY, AGE), style, columns)
    return f"{table}\n{_joined(_totals(rows), columns)}\n"


READINGS = 12
"""Maximum number of readings in the live view."""
_BARS = "▁▂▃▄▅▆▇█"


def render_live(readings: Sequence[Sequence[Daemon]], style: Style, columns: int) -> str:
    """Return the text of one screen: totals, and a table of the daemons' activities.

    `readings` are the rows of the last seconds, the newest last. Rates come from the last two
    readings; the column `latency` has a bar for the median latency of each reading.
    """
    rows = readings[-1]
    if not rows:
        return NOTHING_RUNS
    history = [{(row.store_id, row.pid): row for row in reading} for reading in readings]

    def rate(row: Daemon) -> float | None:
        before = history[-2].get((row.store_id, row.pid)) if len(history) > 1 else None
        return queries_per_second(row, before)

    def bars(row: Daemon) -> str:
        past = (reading.get((row.store_id, row.pid)) for reading in history)
        medians = [each.query_latency_p50_ms for each in past if each is not None]
        return sparkline(medians, row.query_latency_p95_ms or 0).rjust(READINGS)

    per_second = Column("q/s", 8, lambda row: _rate_text(rate(row)))
    running = Column("running", 7, lambda row: "-" if row.in_flight is None else str(row.in_flight))
    rates = [result for row in rows if (result := rate(row)) is not None]
    sums = _totals(rows)
    sums += [f"{_rate_text(sum(rates))} queries/s"] if rates else []
    sums.append(f"{sum(row.in_flight or 0 for row in rows)} running")
    for state in DaemonState:
        count = sum(row.state is state for row in rows)
        if count and state is not DaemonState.READY:
            sums.append(f"{count} {state.words}")
    slowest = max(rows, key=lambda row: row.query_latency_p95_ms or 0)
    if slowest.query_latency_p95_ms:
        name = sanitise_line(slowest.root or "").rpartition("/")[2] or slowest.store_id
        sums.append(f"slowest {name} {slowest.query_latency_p95_ms} ms")
    latency = Column("latency", 5, bars, figures=False)
    table = daemon_table(
        rows, (STATE, per_second, running, latency, P50, P95, MEMORY, AGE), style, columns
    )
    return f"{style.paint('name', _joined(sums, columns))}\n\n{table}"


def _totals(rows: Sequence[Daemon]) -> list[str]:
    """Return texts of totals: daemons, their processes, and the memory of these processes."""
    known = {row.pid for row in rows if row.pid is not None}
    processes = f" in {plural(len(known), 'process', 'processes')}" if known else ""
    memory = {row.pid: row.rss_bytes for row in rows if row.rss_bytes is not None}
    totals = [f"{plural(len(rows), 'daemon')}{processes}"]
    return [*totals, bytes_text(sum(memory.values()))] if memory else totals


def sparkline(values: Sequence[int | None], most: int) -> str:
    """Return a bar for each value, blank for None; a full bar is max(`most`, largest value)."""
    known = max([most, *(value for value in values if value is not None), 1])
    last = len(_BARS) - 1
    return "".join(" " if value is None else _BARS[value * last // known] for value in values)


def queries_per_second(row: Daemon, before: Daemon | None) -> float | None:
    """Return queries per second between two samples of one daemon; None if unknown."""
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
        if generated := snapshot.made_files.summary():
            part = snapshot.made_files.shortened
            yield "machine-written", f"{generated}; {part} partly indexed" if part else generated
        yield "segments", str(snapshot.segments)
        yield "complete", _complete(shown)
        yield "size", f"{shown.resources.disk.store_bytes / 1e6:.1f} MB"
    yield "sync", _sync(shown)
    yield "daemon", _daemon(shown)
    for warning in shown.warnings:
        yield _WARNING, warning.message


def _missing(shown: Status) -> str:
    """Return why there is no active snapshot."""
    for warning in shown.warnings:
        if warning.code in DAMAGE_CODES:
            return "unreadable" if warning.code == "index_unreadable" else "damaged"
    if shown.sync.state == "indexing" or shown.sync.pending:
        return "none yet; indexing is in progress"
    return "none yet; run: ggrep index"


def _complete(shown: Status) -> str:
    snapshot = shown.snapshot
    if any(warning.code in DAMAGE_CODES - COMPLETE for warning in shown.warnings):
        return "no: the index is damaged"
    if snapshot.partial:
        return "no: the first index is being built"
    return "no: degraded" if snapshot.degraded else "yes"


def _sync(shown: Status) -> str:
    sync = shown.sync
    if sync.stage == WAITS_FOR_GIT:
        return "waiting for git to finish"
    if sync.state == "indexing":
        done = f", {sync.done_files} of {plural(sync.total_files, 'file')}"
        return f"running{done if sync.total_files else ''}"
    last = f", the last sync {sync.last_result} at {sync.last_sync_at}" if sync.last_sync_at else ""
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
    if workers := shown.resources.query_workers.running:
        parts.append(plural(workers, "query worker"))
    if row.query_latency_p50_ms is not None:
        parts.append(f"p50 {row.query_latency_p50_ms} ms")
    if row.rss_bytes:
        parts.append(bytes_text(row.rss_bytes))
    parts.append(_WATCH.get(shown.watch.mode, shown.watch.mode))
    if shown.daemon.stale:
        parts.append("stale")
    return ", ".join(parts)


def _joined(parts: Sequence[str], columns: int) -> str:
    """Return a line of the first parts that fit the width."""
    line = parts[0]
    for part in parts[1:]:
        if len(line) + len(part) + 3 <= columns:
            line = f"{line}   {part}"
    return line


def _rate_text(rate: float | None) -> str:
    if rate is None:
        return "-"
    return f"{rate:.1f}" if rate < 100 else f"{rate:.0f}"
