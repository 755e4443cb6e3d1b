"""Finds Haskell declarations behind `#else`, which the grammar takes for one directive."""

import re
from typing import Final, cast

from tree_sitter import Node, Point

from ggrep.parse.languages.found import MAX_NAME_CHARACTERS

_SIGNATURE: Final = re.compile(
    rb"^(?:([a-z_][\w']{0,199})\s{1,80}::"
    rb"|(data|newtype|class|type)[ \t]+(?:family[ \t]+)?(?:[^=\n]{0,200}=>[ \t]*)?"
    rb"([A-Z][\w']{0,199}))",
    re.MULTILINE,
)
_LEAD: Final = (b"--", b"{-#")
_MAX_LEAD: Final = 200
KINDS: Final = {"class": "interface", "data": "class", "newtype": "class", "type": "typealias"}


class Part:
    """A declaration found by its first line; offers of `Node` what an outline asks for."""

    __slots__ = ("chunk_type", "end_byte", "end_point", "name", "start_byte", "start_point", "type")

    def __init__(
        self, name: str, chunk_type: str, start: tuple[int, int], end: tuple[int, int]
    ) -> None:
        self.type = "part"
        self.name = name
        self.chunk_type = chunk_type
        self.start_byte, self.end_byte = start[0], end[0]
        self.start_point, self.end_point = Point(start[1], 0), Point(end[1], 0)

    @property
    def named_children(self) -> list[Node]:
        """Return nothing: what lies inside was not parsed."""
        return []

    def child_by_field_name(self, field: str) -> None:
        """Return nothing, for the same reason."""
        del field


def declarations_in(directive: Node) -> list[Node]:
    """Return the declarations inside a directive of several lines, comments above included."""
    text = directive.text or b""
    if b"\n" not in text:
        return []
    matches = list(_SIGNATURE.finditer(text))
    starts = [_lead_start(text, match.start()) for match in matches]
    last = text.rfind(b"\n") + 1
    parts: list[Node] = []
    row, before = directive.start_point[0], 0
    for index, match in enumerate(matches):
        start = starts[index]
        end = starts[index + 1] if index + 1 < len(starts) else max(last, match.end())
        row += text.count(b"\n", before, start)
        before = start
        kind = KINDS.get((match[2] or b"").decode(), "function")
        name = (match[1] or match[3]).decode("utf-8", "replace")[:MAX_NAME_CHARACTERS]
        base = directive.start_byte
        rows = text.count(b"\n", start, end)
        parts.append(cast("Node", Part(name, kind, (base + start, row), (base + end, row + rows))))
    return parts


def _lead_start(text: bytes, start: int) -> int:
    """Return where the comment lines right above `start` begin."""
    for _ in range(_MAX_LEAD):
        above = text.rfind(b"\n", 0, max(0, start - 1)) + 1
        if above >= start or not text.startswith(_LEAD, above):
            break
        start = above
    return start
