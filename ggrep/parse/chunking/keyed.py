"""Splits a file with keys into pieces that follow its structure.

A scanner returns the start and the depth of each key. A key extends to the next key at the same or
a lower depth. Small neighbouring keys share a piece. A key that is too large is split at its inner
keys, or by lines if it has none.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.windows import cut, fits, indentation_cost, surely_more
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

MAX_NESTED: Final = 12
"""Maximum depth of keys that are read; deeper keys stay in the text of their parent."""
MAX_KEYS: Final = 200_000
"""Maximum number of keys of a file that is cut by keys; a file with more keys is data."""
MAX_KEY_CHARACTERS: Final = 120

_LEAD_BYTES: Final = 200


class Key(Struct, frozen=True):
    """The start of a key, section, element, rule or target.

    Attributes:
        start: byte offset.
        level: larger is deeper; only the order of levels counts.
        name: the name; empty if there is none (an element of a list).
        owners: names that qualify the key although their text does not enclose it.
        more_names: further names that the key's text defines.
        notable: whether a piece gets the key's name even if the key has no inner keys.
    """

    start: int
    level: int
    name: str = ""
    owners: tuple[str, ...] = ()
    more_names: tuple[str, ...] = ()
    notable: bool = False


def key_name(raw: bytes) -> str:
    """Return a key's words on one line, cut to MAX_KEY_CHARACTERS."""
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
    """Return the keys, each moved to the start of its line, or of the comments directly above."""
    moved: list[Key] = []
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
        moved.append(key if start == key.start else replace(key, start=start))
    return moved


def _is_comment(table: LineTable, line: int, comments: tuple[bytes, ...]) -> bool:
    start = table.starts[line]
    return table.data[start : start + _LEAD_BYTES].lstrip(b" \t").startswith(comments)


def followers(keys: Sequence[Key]) -> list[int]:
    """Return for each key the index of the next key that is not deeper."""
    after = [len(keys)] * len(keys)
    open_keys: list[int] = []
    for number, key in enumerate(keys):
        while open_keys and keys[open_keys[-1]].level >= key.level:
            after[open_keys.pop()] = number
        open_keys.append(number)
    return after


MAX_NAMES: Final = 64
"""Maximum number of names in one piece."""
_ALONE_LINES: Final = 8
_ALONE_BYTES: Final = 800
"""Number of lines or bytes from which on a part shares no piece with its neighbours."""
_THIN_LINES: Final = 3
_THIN_BYTES: Final = 120
"""Maximum lines and bytes of text before the first inner key that are joined to its piece."""


class _Group(Struct):
    """Neighbouring keys that share a piece; `head` is the key whose text begins the piece."""

    start: int
    head: Key | None = None
    above: tuple[str, ...] = ()
    members: list[Key] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    full: bool = False


def keyed_cutter(
    table: LineTable, keys: Sequence[Key], comments: tuple[bytes, ...] = ()
) -> Cutter | None:
    """Return a function that cuts a file by its keys; comments directly above a key belong to it.

    The function returns None if there would be too many pieces. `keyed_cutter` itself returns None
    for a file without keys, or with more than MAX_KEYS.

    Requires: `keys` ascend by `start`.
    """
    if not 0 < len(keys) <= MAX_KEYS:
        return None
    begun = led(table, shallow(keys), comments)
    after = followers(begun)

    def pieces(limits: ChunkLimits) -> list[Piece] | None:
        most = limits.max_chunks_per_file - 1
        for bound, packed in ((most // 2, False), (most, True)):
            if not surely_more(table, limits, bound):
                layout = _Layout(table, limits, begun, after, bound, packed=packed)
                if layout.place_file():
                    return layout.pieces
        return None

    return pieces


class _Layout:
    """Divides one file into pieces; recursion is at most MAX_NESTED deep."""

    def __init__(
        self,
        table: LineTable,
        limits: ChunkLimits,
        keys: Sequence[Key],
        after: Sequence[int],
        most: int,
        *,
        packed: bool,
    ) -> None:
        self._table = table
        self._limits = limits
        self._keys = keys
        self._most = most
        self._packed = packed
        self._after = after
        self._cost = indentation_cost(table)
        self.pieces: list[Piece] = []

    def place_file(self) -> bool:
        """Divide the file; a single outermost key is split even if it would fit into one piece.

        Return False if more than `most` pieces are needed; then the pieces are incomplete.
        """
        keys, end = self._keys, len(self._table.data)
        if keys and self._after[0] == len(keys) > 1 and not self._packed:
            self._inside(_Group(0), 0, end, ())
        else:
            self._region(_Group(0), 0, len(keys), end, ())
        return len(self.pieces) <= self._most

    def _region(self, group: _Group, low: int, high: int, end: int, crumb: tuple[str, ...]) -> None:
        number = low
        while number < high and len(self.pieces) <= self._most:
            key, following = self._keys[number], self._after[number]
            stop = self._keys[following].start if following < high else end
            if fits(self._table, *self._table.trim(key.start, stop), self._limits):
                group = self._joined(group, number, stop, crumb)
            else:
                group = self._opened(group, key, crumb)
                self._inside(group, number, stop, crumb)
                group = _Group(stop)
            number = following
        self._flush(group, end, crumb)

    def _inside(self, group: _Group, number: int, stop: int, crumb: tuple[str, ...]) -> None:
        key = self._keys[number]
        inner = (*crumb, *key.owners, key.name) if key.name else (*crumb, *key.owners)
        above = group.above if group.head is None else (*_names(group.head), *group.above)
        inside = _Group(group.start, key, above)
        self._region(inside, number + 1, self._after[number], stop, inner)

    def _joined(self, group: _Group, number: int, stop: int, crumb: tuple[str, ...]) -> _Group:
        """Add a key to the group if it fits, else to a new group; return this group."""
        key = self._keys[number]
        alone = self._stands_alone(key.start, stop)
        room = fits(self._table, *self._table.trim(group.start, stop), self._limits)
        if group.full or not room or (alone and not self._is_thin(group, key.start)):
            self._flush(group, key.start, crumb)
            group = _Group(key.start)
        group.members.append(key)
        group.full = alone
        for inner in range(number + 1, self._after[number]):
            is_named = self._keys[inner].notable or self._after[inner] > inner + 1
            if is_named and len(group.nested) < MAX_NAMES:
                group.nested += _names(self._keys[inner])
        return group

    def _opened(self, group: _Group, key: Key, crumb: tuple[str, ...]) -> _Group:
        """Return the group for a large key: the current group if it is short, else a new group."""
        if self._is_thin(group, key.start):
            return group
        self._flush(group, key.start, crumb)
        return _Group(key.start)

    def _is_thin(self, group: _Group, stop: int) -> bool:
        start, end = self._table.trim(group.start, stop)
        lines = self._table.data.count(b"\n", start, end) + 1
        return not group.members and end - start <= _THIN_BYTES and lines <= _THIN_LINES

    def _stands_alone(self, start: int, stop: int) -> bool:
        start, end = self._table.trim(start, stop)
        if self._packed:
            return False
        lines = self._table.data.count(b"\n", start, end) + 1
        return end - start >= _ALONE_BYTES or lines >= _ALONE_LINES

    def _flush(self, group: _Group, end: int, crumb: tuple[str, ...]) -> None:
        """Add a group; if it must be cut by lines, only the first piece gets its names."""
        ranges = cut(self._table, group.start, end, self._limits, self._cost)
        named = [name for member in group.members for name in _names(member)]
        outer = crumb
        if group.head is not None:
            added = len(group.head.owners) + bool(group.head.name)
            named = [*_names(group.head), *named]
            outer = (*crumb[: len(crumb) - added], *group.head.owners)
        elif len({member.owners for member in group.members}) == 1:
            outer = (*crumb, *group.members[0].owners)
        names = tuple(dict.fromkeys((*named, *group.above, *group.nested)))[:MAX_NAMES]
        single = group.head if group.head is not None else _only(group.members)
        name = "" if single is None else single.name
        for index, (low, high) in enumerate(ranges):
            kind = "section" if names or crumb else "block"
            if index == 0:
                self.pieces.append(Piece(low, high, kind, name, names, outer))
            else:
                inner = (*outer, name) if name else outer
                self.pieces.append(Piece(low, high, kind, breadcrumb=inner))


def _names(key: Key) -> tuple[str, ...]:
    return (key.name, *key.more_names) if key.name else key.more_names


def _only(members: Sequence[Key]) -> Key | None:
    named = [member for member in members if member.name]
    return named[0] if len(named) == 1 else None
