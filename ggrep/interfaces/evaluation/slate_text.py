"""Figures of slates for people, as tables of at most 80 columns."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ggrep.interfaces.evaluation.compare import Difference, SlateChange
from ggrep.interfaces.evaluation.figures import Mean
from ggrep.interfaces.evaluation.slate_figures import SlateBlock, SlateFigures
from ggrep.render.style import Style

_PARTS: Final = {
    "by_category": "category",
    "by_language": "language",
    "by_workspace": "workspace",
    "by_repo": "repository",
}
_WORDS: Final = {
    "places": "visible",
    "told": "told",
    "files": "files named",
    "line_precision": "lines that fit",
    "file_precision": "files that fit",
}
_LEGEND: Final = "named: places whose file is named; lines, files: of those shown, how many fit"
_USUAL: Final = "slate"
"""Of a slate that may take what its level says."""


def slate_lines(
    found: Sequence[SlateFigures], name: Callable[[str], str], style: Style
) -> list[str]:
    """Return the table: each size, and of the largest what cases have in common.

    `name` cuts a name to its 18 columns.
    """
    lines = [style.paint("kind", "places that slates show"), _head(style)]
    lines += [_row(_size(each.max_bytes), each.overall, style) for each in found]
    for part, blocks in found[0].parts.items():
        if len(blocks) > 1:
            lines += ["", style.paint("kind", f"{_PARTS[part]}, {_size(found[0].max_bytes)}")]
            lines += [_row(name(value), block, style) for value, block in blocks]
    lines.append(style.paint("muted", _LEGEND))
    return lines


def slate_changes(
    found: Sequence[SlateChange], change: Callable[[str, Difference], str], style: Style
) -> Iterator[str]:
    """Yield the lines of a comparison; `change` makes one of a difference."""
    for each in found:
        before, after = (_bytes(size) for size in each.sizes)
        sizes = f"median {before} before, {after} after"
        yield ""
        yield f"{style.paint('kind', f'slates of {_size(each.max_bytes)}')}, {sizes}"
        yield from (change(_WORDS[name], one) for name, one in each.overall)


def _size(max_bytes: int) -> str:
    return f"{max_bytes:,} bytes" if max_bytes else _USUAL


def _bytes(size: float | None) -> str:
    return "-" if size is None else f"{size:,.0f}"


def _head(style: Style) -> str:
    text = (
        f"{'':<18}  {'cases':>5}  {'places':>6}  {'95 %':^9}  {'told':>4}  {'named':>5}"
        f"  {'lines':>5}  {'files':>5}  {'bytes':>7}"
    )
    return style.paint("muted", text.rstrip())


def _row(name: str, block: SlateBlock, style: Style) -> str:
    shares = block.shares
    parts = [
        style.paint("path", f"{name:<18}"),
        f"{block.cases:>5}",
        style.paint("name", f"{_share(shares['places'], 3):>6}"),
        style.paint("muted", f"{_interval(shares['places']):^9}"),
        f"{_share(shares['told']):>4}",
        f"{_share(shares['files']):>5}",
        f"{_share(shares['line_precision']):>5}",
        f"{_share(shares['file_precision']):>5}",
        f"{_bytes(block.size):>7}",
    ]
    return "  ".join(parts)


def _share(found: Mean, digits: int = 2) -> str:
    return "-" if found.value is None else f"{found.value:.{digits}f}"


def _interval(found: Mean) -> str:
    if found.interval is None:
        return ""
    return " ".join(f"{bound:.3f}"[1:] if bound < 1 else "1.00" for bound in found.interval)
