"""Places in files as ggrep, compilers and editors print them: `path:line:column: message`."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_LINES: Final = re.compile(
    r":(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?(?=[:\s]|$)"
    r"|\((?P<line>\d{1,9})(?:,\d{1,9})?\)(?=\s*:|$)"
)
_ARROW: Final = re.compile(r"-->\s+")
_BARE: Final = re.compile(r"\S+:\d{1,9}(?:-\d{1,9}|:\d{1,9})?")


class PlaceReading(NamedTuple):
    """A text read as lines of a file.

    Attributes:
        path: in front of the lines.
        first: 1-based; 0 for all of the file.
        last: None where a single line is named.
    """

    path: str
    first: int = 0
    last: int | None = None

    @property
    def lines(self) -> str:
        """Return the lines as they are written behind a path: `:3`, `:3-5`, or nothing."""
        end = "" if self.last is None else f"-{self.last}"
        return f":{self.first}{end}" if self.first else ""


def place_readings(text: str) -> Iterator[PlaceReading]:
    """Yield what a text may mean as a place; only files say which reading is right.

    The whole text may be a path. A column behind the line, and a message behind that, are left out.
    """
    text = text.strip()
    yield PlaceReading(text)
    text = _ARROW.sub("", text, count=1)
    for lines in _LINES.finditer(text):
        last = lines["last"]
        path = text[: lines.start()]
        if path:
            first = int(lines["first"] or lines["line"])
            yield PlaceReading(path, first, int(last) if last else None)


def is_place_text(text: str) -> bool:
    """Return whether a text has the form of a path with a line and nothing else."""
    return _BARE.fullmatch(text) is not None
