"""Colours and links for terminals; without colour, the same words as plain text."""

import posixpath
from urllib.parse import quote

from msgspec import Struct

_CODES = {
    "number": "2",
    "path": "1;36",
    "line": "36",
    "kind": "2;35",
    "name": "1",
    "repo": "1;33",
    "gutter": "2",
    "match": "1;32",
    "comment": "90",
    "string": "33",
    "keyword": "34",
    "muted": "2",
    "warning": "33",
    "good": "32",
    "bad": "1;31",
}


CUT = "…"
"""Mark at the cut end of a line."""


class Style(Struct, frozen=True):
    """Colours text by role, and adds links to locations.

    Attributes:
        colour: whether escape sequences are written.
        links: template of link targets with `{path}` and `{line}`; empty for no links.
        cwd: absolute directory to which shown paths are relative; empty for no links.
    """

    colour: bool
    links: str = ""
    cwd: str = ""

    def paint(self, role: str, text: str) -> str:
        """Return `text` in the role's colour."""
        if not self.colour or not text:
            return text
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m"

    def link(self, text: str, place: str, line: int) -> str:
        """Return coloured text as a link to a line of a file.

        The format is https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda.
        """
        if not (self.colour and self.links and self.cwd):
            return text
        path = quote(posixpath.normpath(posixpath.join(self.cwd, place)))
        target = self.links.replace("{path}", path).replace("{line}", str(line))
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def cut(text: str, room: int) -> str:
    """Return the start of a line, with a mark if it was cut; a `room` of 0 means no bound."""
    return text if not room or len(text) <= room else text[: room - len(CUT)] + CUT
