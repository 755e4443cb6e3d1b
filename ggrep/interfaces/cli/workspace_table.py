"""Tables of repositories and counts that fit a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from ggrep.interfaces.cli.quantities import pad, shorten
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

_GAP: Final = "  "
_LONGEST: Final = 48


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a row.

    Attributes:
        role: it is painted in; empty for none.
        figures: right-aligned.
    """

    text: str
    role: str = ""
    figures: bool = False


def render_table(
    titles: Sequence[str], rows: Sequence[Sequence[Cell]], style: Style, width: int
) -> str:
    """Return a header line and one line per row; the last column takes the remaining width."""
    shown = [
        [Cell(shorten(sanitise_line(c.text), _LONGEST), c.role, c.figures) for c in row[:-1]]
        + [Cell(sanitise_line(row[-1].text), row[-1].role, row[-1].figures)]
        for row in rows
    ]
    widths = [
        max(cell_len(title), *(cell_len(row[at].text) for row in shown))
        for at, title in enumerate(titles)
    ]
    left = max(width - sum(widths[:-1]) - len(_GAP) * (len(titles) - 1), 1)
    widths[-1] = min(widths[-1], left)
    heads = (pad(title, wide) for title, wide in zip(titles, widths, strict=True))
    lines = [style.paint("muted", _GAP.join(heads).rstrip())]
    lines += [_GAP.join(_painted(row, widths, style)).rstrip() for row in shown]
    return "".join(f"{line}\n" for line in lines)


def render_pairs(pairs: Sequence[tuple[str, str]], style: Style) -> str:
    """Return a line for each label and value."""
    width = max(len(label) for label, _ in pairs)
    return "".join(
        f"{style.paint('muted', f'{label:<{width}}')}  {sanitise_line(value)}\n"
        for label, value in pairs
    )


def _painted(row: Sequence[Cell], widths: Sequence[int], style: Style) -> Iterator[str]:
    for cell, width in zip(row, widths, strict=True):
        text = shorten(cell.text, width)
        padded = pad(text, width, right=cell.figures)
        yield style.paint(cell.role, padded) if cell.role else padded
