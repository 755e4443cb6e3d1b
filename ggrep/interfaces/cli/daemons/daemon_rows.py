"""The daemons of this host: as rows, as a table, as JSON.

The table fits a terminal: it shortens the root first, then drops columns. For the JSON see
`daemons.schema.json`.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.cells import cell_len

from ggrep.interfaces.cli.text_tables import age_text, bytes_text, count_text, pad, shorten
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style
from ggrep.service.status_reading import Status

if TYPE_CHECKING:
    from ggrep.model.schemas.daemons import DaemonJson, DaemonsJson


class DaemonState(Enum):
    """A daemon's activity; the value is the word of documents and tables."""

    READY = "ready"
    INDEXING = "indexing"
    STALE = "stale"
    STARTING = "starting"
    SILENT = "not answering"
    OTHER = "other version"


class DaemonRow(Struct, frozen=True):
    """The data of one daemon; of one that did not answer, only its identity.

    Attributes:
        root: of the repository; empty when nobody knows.
        done_files: of `total_files`, while it indexes; both 0 when not known.
        files: that can be found; None when it did not say, like all that follow.
        query_total: counts from its start, of which `uptime_ms` says how long ago.
        problem: what should be known of it, for people.
    """

    root: str
    store_id: str
    state: DaemonState
    pid: int | None = None
    done_files: int = 0
    total_files: int = 0
    files: int | None = None
    query_total: int | None = None
    in_flight: int | None = None
    latency_p50_ms: int | None = None
    rss_bytes: int | None = None
    uptime_ms: int | None = None
    problem: str | None = None

    @property
    def progress(self) -> int | None:
        """Return the percentage of files done by the running sync; None if unknown."""
        if self.state is not DaemonState.INDEXING or self.total_files <= 0:
            return None
        return min(100 * self.done_files // self.total_files, 100)


def row_of(shown: Status) -> DaemonRow:
    """Return the row of a daemon that answered."""
    daemon, sync = shown.daemon, shown.sync
    return DaemonRow(
        root=shown.canonical_root,
        store_id=shown.store_id,
        state=_state(shown),
        pid=daemon.pid,
        done_files=sync.done_files,
        total_files=sync.total_files,
        files=shown.snapshot.files,
        query_total=shown.queries.query_total,
        in_flight=shown.queries.in_flight,
        latency_p50_ms=shown.performance.query_latency_p50_ms,
        rss_bytes=daemon.rss_bytes,
        uptime_ms=daemon.uptime_ms,
        problem=daemon.stale_reason or shown.watch.problem,
    )


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
    cell: Callable[[DaemonRow], str]
    figures: bool = True
    role: Callable[[DaemonRow], str] | None = None


def state_text(row: DaemonRow) -> str:
    """Return the state in words, with progress when it is known."""
    progress = row.progress
    return row.state.value if progress is None else f"{row.state.value} {progress} %"


STATE = Column("state", 9, state_text, figures=False, role=lambda row: _ROLES[row.state])
FILES = Column("files", 5, lambda row: _known(row.files, count_text))
QUERIES = Column("queries", 4, lambda row: _known(row.query_total, count_text))
P50 = Column("p50", 8, lambda row: _known(row.latency_p50_ms, "{} ms".format))
MEMORY = Column("memory", 7, lambda row: _known(row.rss_bytes, bytes_text))
AGE = Column("age", 6, lambda row: _known(row.uptime_ms, age_text))


def daemon_table(
    rows: Sequence[DaemonRow], columns: Sequence[Column], style: Style, width: int
) -> str:
    """Return a header line and one line for each daemon, by root, within the width."""
    rows = sorted(rows, key=lambda row: (row.root, row.store_id, row.pid or 0))
    roots = [sanitise_line(row.root) or row.store_id for row in rows]
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


def _fitting(rows: Sequence[DaemonRow], columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns, without the least important ones if the root has too little room."""
    shown = list(columns)
    while shown and _LEAST_ROOT + sum(_width(c, rows) + len(_GAP) for c in shown) > width:
        shown.remove(min(shown, key=lambda column: column.importance))
    return shown


def _width(column: Column, rows: Sequence[DaemonRow]) -> int:
    return max(map(cell_len, (column.title, *(column.cell(row) for row in rows))))


def _painted(column: Column, row: DaemonRow, width: int, style: Style) -> str:
    text = pad(column.cell(row), width, right=column.figures)
    return style.paint(column.role(row), text) if column.role else text


def _problem(row: DaemonRow, width: int) -> Iterator[str]:
    if row.problem:
        yield shorten(f"  {sanitise_line(row.problem)}", width)


def _known(value: int | None, text: Callable[[int], str]) -> str:
    return "-" if value is None else text(value)


DAEMONS_SCHEMA: Final = 1
"""JSON of both.

1. First shape.
"""


def daemons_json(rows: Sequence[DaemonRow]) -> "DaemonsJson":
    """Return the document of `ggrep status --all`, by root."""
    daemons: list[DaemonJson] = [
        {
            "root": sanitise_line(row.root) or None,
            "store_id": row.store_id,
            "state": row.state.value.replace(" ", "_"),
            "pid": row.pid,
            "progress_percent": row.progress,
            "files": row.files,
            "query_total": row.query_total,
            "in_flight": row.in_flight,
            "query_latency_p50_ms": row.latency_p50_ms,
            "rss_bytes": row.rss_bytes,
            "uptime_ms": row.uptime_ms,
            "problem": sanitise_line(row.problem) if row.problem else None,
        }
        for row in sorted(rows, key=lambda row: (row.root, row.store_id, row.pid or 0))
    ]
    return {"schema_version": DAEMONS_SCHEMA, "daemons": daemons}
