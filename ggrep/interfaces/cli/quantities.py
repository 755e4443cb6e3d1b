"""Formats quantities for people: bytes, times, counts; and truncates text to a width."""

from rich.cells import cell_len, set_cell_size

_ELLIPSIS = "…"


def bytes_text(size: int) -> str:
    """Return bytes in the largest unit that leaves a whole digit: `812 MB`, `1.2 GB`."""
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


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def shorten(text: str, width: int) -> str:
    """Return `text` in at most `width` cells, cut in its middle: ends distinguish paths.

    The end gets two thirds of the room: the last parts of a path are its name.
    """
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return _ELLIPSIS[:width]
    head = (width - 1) // 3
    return _cells_from_start(text, head) + _ELLIPSIS + _cells_from_end(text, width - 1 - head)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return `text` padded to `width` cells; numbers are padded on the left."""
    space = " " * max(width - cell_len(text), 0)
    return space + text if right else text + space


def _cells_from_start(text: str, width: int) -> str:
    return set_cell_size(text, width).rstrip(" ") if width else ""


def _cells_from_end(text: str, width: int) -> str:
    start = len(text)
    while start and cell_len(text[start - 1 :]) <= width:
        start -= 1
    return text[start:]
