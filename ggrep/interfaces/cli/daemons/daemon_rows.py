"""The daemons of this host: as rows, as a table, as JSON.

The table fits a terminal: it shortens the root first, then drops columns. For the JSON see
`daemons.schema.json`.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ggrep.base.stable_json import Document
from ggrep.interfaces.cli.text_tables import age_text, bytes_text, count_text, pad, shorten
from ggrep.model.daemons import Daemon, Daemons, DaemonState
from ggrep.model.sanitise import sanitise_line
from ggrep.model.status import Status, SyncStatus
from ggrep.render.style import Style


def row_of(shown: Status) -> Daemon:
    """Return the row of a daemon that answered."""
    daemon, sync, state = shown.daemon, shown.sync, _state(shown)
    return Daemon(
        root=shown.canonical_root,
        store_id=shown.store_id,
        state=state,
        pid=daemon.pid,
        progress_percent=_progress(sync) if state is DaemonState.INDEXING else None,
        files=shown.snapshot.files,
        query_total=shown.queries.query_total,
        in_flight=shown.queries.in_flight,
        query_latency_p50_ms=shown.performance.query_latency_p50_ms,
        rss_bytes=daemon.rss_bytes,
        uptime_ms=daemon.uptime_ms,
        problem=daemon.stale_reason or shown.watch.problem,
    )


def _progress(sync: SyncStatus) -> int | None:
    return min(100 * sync.done_files // sync.total_files, 100) if sync.total_files > 0 else None


def _state(shown: Status) -> DaemonState:
    if shown.daemon.stale:
        return DaemonState.STALE
    if shown.sync.state == "indexing":
        return DaemonState.INDEXING
    if shown.snapshot.active_snapshot_id is None:
        return DaemonState.STARTING
    return DaemonState.READY


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
    """One column other than the root.

    Attributes:
        importance: on a narrow terminal the least important go first.
        figures: right-aligned.
    """

    title: str
    importance: int
    cell: Callable[[Daemon], str]
    figures: bool = True
    role: Callable[[Daemon], str] | None = None


def state_text(row: Daemon) -> str:
    """Return the state in words, with progress when it is known."""
    progress = row.progress_percent
    return row.state.words if progress is None else f"{row.state.words} {progress} %"


STATE = Column("state", 9, state_text, figures=False, role=lambda row: _ROLES[row.state])
FILES = Column("files", 5, lambda row: _known(row.files, count_text))
QUERIES = Column("queries", 4, lambda row: _known(row.query_total, count_text))
P50 = Column("p50", 8, lambda row: _known(row.query_latency_p50_ms, "{} ms".format))
MEMORY = Column("memory", 7, lambda row: _known(row.rss_bytes, bytes_text))
AGE = Column("age", 6, lambda row: _known(row.uptime_ms, age_text))


def daemon_table(
    rows: Sequence[Daemon], columns: Sequence[Column], style: Style, width: int
) -> str:
    """Return a header line and one line for each daemon, by root, within the width."""
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
        cells += [_painted(c, row, wide, style) for c, wide in zip(shown, widths, strict=True)]
        lines.append(_GAP.join(cells).rstrip())
        lines += [style.paint("warning", line) for line in _problem(row, width)]
    return "".join(f"{line}\n" for line in lines)


def _fitting(rows: Sequence[Daemon], columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns, without the least important ones if the root has too little room."""
    shown = list(columns)
    while shown and _LEAST_ROOT + sum(_width(c, rows) + len(_GAP) for c in shown) > width:
        shown.remove(min(shown, key=lambda column: column.importance))
    return shown


def _width(column: Column, rows: Sequence[Daemon]) -> int:
    return max(map(cell_len, (column.title, *(column.cell(row) for row in rows))))


def _painted(column: Column, row: Daemon, width: int, style: Style) -> str:
    text = pad(column.cell(row), width, right=column.figures)
    return style.paint(column.role(row), text) if column.role else text


def _problem(row: Daemon, width: int) -> Iterator[str]:
    if row.problem:
        yield shorten(f"  {sanitise_line(row.problem)}", width)


def _known(value: int | None, text: Callable[[int], str]) -> str:
    return "-" if value is None else text(value)


def daemons_json(rows: Sequence[Daemon]) -> Document:
    """Return the document of `ggrep status --all`, by root."""
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
