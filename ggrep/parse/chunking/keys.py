"""Keys of a file: where each begins, how deep it lies and how far it reaches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ggrep.parse.line_table import LineTable

MAX_NESTED: Final = 12
"""Levels of keys that are looked into; what lies deeper stays in its parent's text."""
MAX_KEYS: Final = 200_000
"""A file of more keys is data, whose structure would cost more than it tells."""
MAX_KEY_CHARACTERS: Final = 120

_LEAD_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class Key:
    """Where a key, section, element, rule or target begins.

    Attributes:
        start: byte offset.
        level: larger is deeper; only the order of levels counts.
        name: empty when the part has none (an element of a list).
        owners: names that qualify it though their text does not enclose it.
        more_names: further names that its own text defines.
        notable: a piece that holds it tells its name even when nothing lies inside of it.
    """

    start: int
    level: int
    name: str = ""
    owners: tuple[str, ...] = ()
    more_names: tuple[str, ...] = ()
    notable: bool = False


def key_name(raw: bytes) -> str:
    """Return a key's words on one line, cut to the longest that is kept."""
    words = raw[: 4 * MAX_KEY_CHARACTERS].decode("utf-8", "replace").removeprefix("\ufeff").split()
    return " ".join(words)[:MAX_KEY_CHARACTERS]


def shallow(keys: Sequence[Key]) -> list[Key]:
    """Return the keys that are not nested too deep."""
    kept: list[Key] = []
    above: list[int] = []
    for key in keys:
        while above and above[-1] >= key.level:
            above.pop()
        if len(above) < MAX_NESTED:
            above.append(key.level)
            kept.append(key)
    return kept


def led(table: LineTable, keys: list[Key], comments: tuple[bytes, ...]) -> list[Key]:
    """Return the keys begun at their line, or at the comments directly above."""
    found: list[Key] = []
    taken = -1
    for key in keys:
        line = table.line_of(key.start)
        start = key.start
        if line > taken and table.begins_line(start):
            first = line
            while first - 1 > taken and _is_comment(table, first - 1, comments):
                first -= 1
            start = table.starts[first]
        taken = line
        found.append(key if start == key.start else replace(key, start=start))
    return found


def _is_comment(table: LineTable, line: int, comments: tuple[bytes, ...]) -> bool:
    start = table.starts[line]
    return table.data[start : start + _LEAD_BYTES].lstrip(b" \t").startswith(comments)


def followers(keys: Sequence[Key]) -> list[int]:
    """Return for each key the number of the next one that lies no deeper."""
    after = [len(keys)] * len(keys)
    open_keys: list[int] = []
    for number, key in enumerate(keys):
        while open_keys and keys[open_keys[-1]].level >= key.level:
            after[open_keys.pop()] = number
        open_keys.append(number)
    return after
