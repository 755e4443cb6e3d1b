"""A table of daemons that fits a terminal: shortens the root first, then drops columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ggrep.interfaces.cli.daemon_row import DaemonRow, DaemonState
from ggrep.interfaces.cli.quantities import age_text, bytes_text, count_text, pad, shorten
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

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


@dataclass(frozen=True, slots=True)
class Column:
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
