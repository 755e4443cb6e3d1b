"""Colour on a terminal, or plain text: the same words either way."""

from collections.abc import Mapping
from dataclasses import dataclass

_CODES = {
    "number": "2",
    "path": "1;36",
    "line": "36",
    "kind": "2;35",
    "name": "1",
    "repo": "1;33",
    "gutter": "2",
    "match": "1;32",
    "muted": "2",
    "warning": "33",
    "good": "32",
    "bad": "1;31",
}


CUT = "…"
"""Stands where a line was cut."""


@dataclass(frozen=True, slots=True)
class Style:
    """Paints words by role.

    Attributes:
        colour: whether escape sequences are written at all.
    """

    colour: bool

    def paint(self, role: str, text: str) -> str:
        """Return `text` in the role's colour."""
        if not self.colour or not text:
            return text
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


def wants_colour(environ: Mapping[str, str], *, plain: bool, terminal: bool) -> bool:
    """Return whether to write colour.

    `--plain` and NO_COLOR forbid it, FORCE_COLOR and CLICOLOR_FORCE demand it.
    """
    if plain or environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}:
        return True
    return terminal and environ.get("TERM") != "dumb"


def cut(text: str, room: int) -> str:
    """Return the beginning of a line, with a sign where it was cut; 0 for no bound."""
    return text if not room or len(text) <= room else text[: room - len(CUT)] + CUT
