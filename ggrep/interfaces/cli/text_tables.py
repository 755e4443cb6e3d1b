"""Formats quantities, label-value pairs and tables for terminals."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from rich.cells import cell_len, set_cell_size

from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

_ELLIPSIS = "…"


def bytes_text(size: int) -> str:
    """Return a size in the largest decimal unit that is at most the size: `812 MB`, `1.2 GB`."""
    for unit, scale in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if size >= scale:
            value = size / scale
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{size} B"


def age_text(milliseconds: int) -> str:
    """Return a time span in its largest unit, rounded down: `42 s`, `5 min`, `2 h`, `3 d`."""
    seconds = milliseconds // 1000
    for unit, scale in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= scale:
            return f"{seconds // scale} {unit}"
    return f"{seconds} s"


def count_text(count: int) -> str:
    """Return a count in at most five characters: `9999`, `12.3k`, `456k`, `7.8M`."""
    if count < 10_000:
        return str(count)
    for unit, scale in (("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)):
        tenths = count * 10 // scale
        if tenths < 1_000:
            return f"{tenths // 10}.{tenths % 10}{unit}"
        if tenths < 10_000:
            return f"{tenths // 10}{unit}"
    return f"{count // 1_000_000_000}G"


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun, in the plural unless the count is 1."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def shorten(text: str, width: int) -> str:
    """Return `text` in at most `width` cells; a longer text is cut in its middle.

    The end gets two thirds of the width, as the last parts distinguish most paths.
    """
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return _ELLIPSIS[:width]
    head = (width - 1) // 3
    start = set_cell_size(text, head).rstrip(" ") if head else ""
    return start + _ELLIPSIS + _cells_from_end(text, width - 1 - head)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return `text` padded with blanks to `width` cells; `right` aligns it to the right."""
    space = " " * max(width - cell_len(text), 0)
    return space + text if right else text + space


def _cells_from_end(text: str, width: int) -> str:
    start = len(text)
    while start and cell_len(text[start - 1 :]) <= width:
        start -= 1
    return text[start:]


_GAP: Final = "  "
_LONGEST: Final = 48


class Cell(Struct, frozen=True):
    """One value of a row of a table; `figures` aligns it to the right."""

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
        max([cell_len(title), *(cell_len(row[at].text) for row in shown)])
        for at, title in enumerate(titles)
    ]
    left = max(width - sum(widths[:-1]) - len(_GAP) * (len(titles) - 1), 1)
    widths[-1] = min(widths[-1], left)
    heads = (pad(title, wide) for title, wide in zip(titles, widths, strict=True))
    lines = [style.paint("muted", _GAP.join(heads).rstrip())]
    lines += [_GAP.join(_painted(row, widths, style)).rstrip() for row in shown]
    return "".join(f"{line}\n" for line in lines)


def render_pairs(
    pairs: Sequence[tuple[str, str]], style: Style, roles: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return a line for each label and value; `roles` maps some labels to their colour role."""
    width = max(len(label) for label, _ in pairs)
    return "".join(
        f"{style.paint(roles.get(label, 'muted'), f'{label:<{width}}')}  {sanitise_line(value)}\n"
        for label, value in pairs
    )


def _painted(row: Sequence[Cell], widths: Sequence[int], style: Style) -> Iterator[str]:
    for cell, width in zip(row, widths, strict=True):
        text = shorten(cell.text, width)
        padded = pad(text, width, right=cell.figures)
        yield style.paint(cell.role, padded) if cell.role else padded
