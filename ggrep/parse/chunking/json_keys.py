"""Keys of JSON and its relatives (comments, bare keys, one value a line), in one pass."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ggrep.parse.chunking.keys import MAX_KEYS, Key, key_name

TOKEN: Final = re.compile(
    rb"""
    (?P<string> "(?:[^"\\\n]|\\.)*+"?+ | '(?:[^'\\\n]|\\.)*+'?+ )(?P<colon> \s*+:)?+
    | (?P<bare> (?<![\w$.]) [A-Za-z_$][\w$]*+ (?=\s*+:) )
    | (?P<comment> //[^\n]*+ | /\*(?:[^*]|\*(?!/))*+ )
    | (?P<bracket> [{}\[\]] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""What a scan stops at; every alternative is linear even in text that never ends."""

TITLES: Final = (b"name", b"id", b"title", b"key", b"label", b"uses", b"path")
"""Keys whose value names the part they stand in, best first."""

MAX_TOKENS: Final = 1_000_000
"""Most tokens of one file that are read; what follows belongs to the last key found."""

_MAX_SCANNED_NAMES: Final = 400
_DEEPEST: Final = 24


def json_keys(data: bytes) -> list[Key]:
    """Return the keys and the elements of lists that are objects or lists themselves."""
    scan = _Scan()
    for match in islice(TOKEN.finditer(data), MAX_TOKENS):
        if scan.count > MAX_KEYS + 1:  # the lonely value is not counted in the end
            break
        if match["bracket"] is not None:
            scan.bracket(match["bracket"], match.start())
        elif match["bare"] is not None:
            scan.key(match["bare"], match.start())
        elif match["string"] is not None:
            text = match["string"][:_MAX_SCANNED_NAMES].strip(b"\"'")
            if match["colon"] is not None and scan.in_object():
                scan.key(text, match.start())
            else:
                scan.value(text)
    return list(scan.found())


class _Scan:
    """What was read so far; `_elements` holds a mark number or -1 for each open bracket."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, int]] = []
        self._names: list[bytes] = []
        self._ranks: dict[int, int] = {}
        self._open = bytearray()
        self._elements: list[int] = []
        self._pending = b""
        self._after_key = False

    @property
    def count(self) -> int:
        return len(self._marks)

    def in_object(self) -> bool:
        return self._open[-1:] == b"{"

    def bracket(self, bracket: bytes, start: int) -> None:
        if bracket in b"]}":
            if self._open:
                self._open.pop()
                self._elements.pop()
        else:
            element = -1
            if not self._after_key and not self.in_object():
                element = self._mark(start, b"")
            self._open += bracket
            self._elements.append(element)
        self._after_key, self._pending = False, b""

    def key(self, name: bytes, start: int) -> None:
        self._mark(start, name)
        self._after_key, self._pending = True, name

    def value(self, text: bytes) -> None:
        """Let `"name": "x"` name the element of a list that it stands in."""
        element = self._elements[-1] if self._elements else -1
        if element >= 0 and self._pending in TITLES:
            rank = TITLES.index(self._pending)
            if rank < self._ranks.get(element, len(TITLES)):
                self._ranks[element] = rank
                self._names[element] = text
        self._after_key, self._pending = False, b""

    def _mark(self, start: int, name: bytes) -> int:
        if len(self._open) > _DEEPEST:
            return -1
        self._marks.append((start, len(self._open)))
        self._names.append(name)
        return len(self._marks) - 1

    def found(self) -> Iterator[Key]:
        """Yield the keys; a file of one value has nothing outside of it to tell it from."""
        lonely = sum(level == 0 for _, level in self._marks) <= 1
        for (start, level), name in zip(self._marks, self._names, strict=True):
            if level or not lonely:
                yield Key(start, level, key_name(name))
