"""Renders a run or a comparison as tables of at most 80 columns."""

from collections.abc import Sequence
from typing import Final

from ggrep.interfaces.evaluation.report import Run
from ggrep.model.evaluation import (
    SHARES,
    Comparison,
    Difference,
    FigureBlock,
    Gate,
    Interval,
    SlateBlock,
    SlateChange,
    SlateFigures,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

_PARTS: Final = {
    "by_category": "category",
    "by_language": "language",
    "by_workspace": "workspace",
    "by_repo": "repository",
}
_SLATE_WORDS: Final = {
    "places": "visible",
    "told": "told",
    "files": "files named",
    "line_precision": "lines that fit",
    "file_precision": "files that fit",
}
_LEGEND: Final = "named: places whose file is named; lines, files: relevant share of the shown"
_NAME_COLUMNS = 18
_BAR = "━"
_BAR_WIDTH = 10
_CUT = "…"
_SHOWN_FAILED = 10
_SHOWN_MISSING = 2
_QUERY_COLUMNS = 76
_WORDS = {
    "ndcg10": "NDCG@10",
    "mrr10": "MRR@10",
    "recall10": "recall@10",
    "passed": "passed",
    "pass_rate": "pass rate",
}


def render_run(run: Run, gates: Sequence[Gate], style: Style) -> str:
    """Return the text of a run: its tables, failures and gates."""
    lines = _title(run, style)
    if run.searched:
        lines += [*_search_lines(run, style), *([""] if run.slates else [])]
    if run.slates:
        lines += _slate_lines(run.slates, style)
    lines += _failed(run, style)
    for failure in run.failures:
        lines.append(style.paint("bad", _line(f"failed: {failure.name}: {failure.message}")))
    lines += [_gate(gate, style) for gate in gates]
    return "\n".join(lines) + "\n"


def _search_lines(run: Run, style: Style) -> list[str]:
    figures = run.figures
    lines = [_head(style), _row("all", figures.overall, style)]
    for part, name in _PARTS.items():
        blocks = getattr(figures, part)
        if len(blocks) > 1:
            lines += ["", style.paint("kind", name)]
            lines += [_row(each, block, style) for each, block in blocks.items()]
    return lines


def render_comparison(result: Comparison, style: Style) -> str:
    """Return the table of a comparison."""
    lines = [
        f"{style.paint('name', str(result.queries.common))} queries in both reports, after - before"
    ]
    counts = result.queries
    for count, where in ((counts.only_before, "earlier"), (counts.only_after, "later")):
        if count:
            lines.append(style.paint("warning", f"{count} only in the {where} report, left out"))
    lines += ["", _change_head(style)]
    lines += [_change(_WORDS[name], each, style) for name, each in result.overall.items()]
    for change in result.slates or ():
        lines += _slate_change(change, style)
    if len(result.by_category) > 1:
        lines += ["", style.paint("kind", f"{_WORDS['ndcg10']} by category")]
        lines += [_change(name, each, style) for name, each in result.by_category.items()]
    return "\n".join(lines) + "\n"


def _title(run: Run, style: Style) -> list[str]:
    repos = len(run.figures.by_repo)
    errors = f", {run.errors} not answered" if run.errors else ""
    what = f"{len(run.rows)} queries, {repos} {'repository' if repos == 1 else 'repositories'}"
    return [f"{style.paint('name', _line(run.suite.name))}  {what}{errors}", ""]


def _head(style: Style) -> str:
    text = (
        f"{'':<{_NAME_COLUMNS}}  {'cases':>5}  {'NDCG@10':>7}  {'95 %':^9}"
        f"  {'MRR':>4}  {'recall':>6}  {'pass':>5}"
    )
    return style.paint("muted", text)


def _row(name: str, block: FigureBlock, style: Style) -> str:
    value = block.ndcg10
    bar = _BAR * round(_BAR_WIDTH * value) if value is not None else ""
    parts = [
        style.paint("path", f"{_tail(name):<{_NAME_COLUMNS}}"),
        f"{block.cases:>5}",
        style.paint("name", f"{_figure(value, 3):>7}"),
        style.paint("muted", f"{_interval(block.ndcg10_interval):^9}"),
        f"{_figure(block.mrr10, 2):>4}",
        f"{_figure(block.recall10, 2):>6}",
        f"{_percent(block.pass_rate):>5}",
        style.paint("good" if block.errors == 0 else "bad", bar),
    ]
    return "  ".join(parts).rstrip()


def _failed(run: Run, style: Style) -> list[str]:
    """Return lines about the failed cases of a TOML suite; a benchmark has too many."""
    failed = [row for row in run.rows if not row.score.passed and not row.answer.error]
    if not failed or run.suite.form != "toml":
        return []
    lines = ["", style.paint("kind", "did not pass")]
    for row in failed[:_SHOWN_FAILED]:
        lines.append(f"{style.paint('bad', _line(row.case.question.id))}")
        lines.append(_cut(f"  query   {row.case.question.query}", _QUERY_COLUMNS))
        missing = row.score.missing
        shown = missing if len(missing) <= _SHOWN_MISSING + 1 else missing[:_SHOWN_MISSING]
        lines += [_cut(f"  missing {what}", _QUERY_COLUMNS) for what in shown]
        if len(missing) > len(shown):
            lines.append(f"  missing {len(missing) - len(shown)} more")
        came = ", ".join(row.answer.named[:3]) or "nothing"
        lines.append(style.paint("muted", _cut(f"  came    {came}", _QUERY_COLUMNS)))
    if len(failed) > _SHOWN_FAILED:
        lines.append(f"and {len(failed) - _SHOWN_FAILED} more (--json has all)")
    return lines


def _gate(gate: Gate, style: Style) -> str:
    mark = style.paint("good", "ok  ") if gate.holds else style.paint("bad", "miss")
    value = _figure(gate.value, 4)
    return f"{mark}  {_WORDS[gate.measure]} {value}, at least {gate.least:.4f} required"


def _change_head(style: Style) -> str:
    text = (
        f"{'':<{_NAME_COLUMNS}}  {'change':>8}  {'95 % interval':^17}  {'better':>6}  {'worse':>5}"
    )
    return style.paint("muted", text)


def _change(name: str, difference: Difference, style: Style) -> str:
    role = "muted"
    if difference.is_certain:
        role = "good" if difference.change > 0 else "bad"
    bounds = ""
    if difference.interval is not None:
        bounds = f"{difference.interval[0]:+.4f} {difference.interval[1]:+.4f}"
    return (
        f"{style.paint('path', f'{_cut(name):<{_NAME_COLUMNS}}')}  "
        f"{style.paint(role, f'{difference.change:+8.4f}')}  {bounds:^17}  "
        f"{difference.better:>6}  {difference.worse:>5}"
    ).rstrip()


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _interval(bounds: Interval | None) -> str:
    return " ".join(map(_short, bounds or ()))


def _short(share: float) -> str:
    """Return a share from 0 to 1 in four characters."""
    text = f"{share:.3f}"
    return text[:4] if text.startswith("1") else text[1:]


def _cut(text: str, room: int = _NAME_COLUMNS) -> str:
    line = _line(text)
    return line if len(line) <= room else line[: room - len(_CUT)] + _CUT


def _tail(name: str) -> str:
    """Return the end of a long name, as the end distinguishes paths."""
    line = _line(name)
    room = _NAME_COLUMNS - len(_CUT)
    return line if len(line) <= _NAME_COLUMNS else _CUT + line[-room:]


def _line(text: str) -> str:
    return sanitise_line(text)


def _slate_lines(slates: Sequence[SlateFigures], style: Style) -> list[str]:
    """Return the lines of the table of slates: a row for each size, then a row for each group."""
    largest = slates[0]
    lines = [style.paint("kind", "places that slates show"), _slate_head(style)]
    lines += [_slate_row(_size(each.max_bytes), each.overall, style) for each in slates]
    for part in sorted(_PARTS):
        blocks = getattr(largest, part)
        if len(blocks) > 1:
            lines += ["", style.paint("kind", f"{_PARTS[part]}, {_size(largest.max_bytes)}")]
            lines += [_slate_row(_tail(value), block, style) for value, block in blocks.items()]
    lines.append(style.paint("muted", _LEGEND))
    return lines


def _slate_change(change: SlateChange, style: Style) -> list[str]:
    before, after = _bytes(change.bytes_before), _bytes(change.bytes_after)
    title = style.paint("kind", f"slates of {_size(change.max_bytes)}")
    return [
        "",
        f"{title}, median {before} before, {after} after",
        *(_change(_SLATE_WORDS[name], each, style) for name, each in change.overall.items()),
    ]


def _size(max_bytes: int) -> str:
    """Return the size of a slate as text; the word `slate` means the default size (0)."""
    return f"{max_bytes:,} bytes" if max_bytes else "slate"


def _bytes(size: float | None) -> str:
    return "-" if size is None else f"{size:,.0f}"


def _slate_head(style: Style) -> str:
    text = (
        f"{'':<{_NAME_COLUMNS}}  {'cases':>5}  {'places':>6}  {'95 %':^9}  {'told':>4}"
        f"  {'named':>5}  {'lines':>5}  {'files':>5}  {'bytes':>7}"
    )
    return style.paint("muted", text)


def _slate_row(name: str, block: SlateBlock, style: Style) -> str:
    parts = [
        style.paint("path", f"{name:<{_NAME_COLUMNS}}"),
        f"{block.cases:>5}",
        style.paint("name", f"{_figure(block.places.value, 3):>6}"),
        style.paint("muted", f"{_interval(block.places.interval):^9}"),
        f"{_figure(block.told.value, 2):>4}",
        *(f"{_figure(getattr(block, name).value, 2):>5}" for name in SHARES[2:]),
        f"{_bytes(block.bytes):>7}",
    ]
    return "  ".join(parts)
