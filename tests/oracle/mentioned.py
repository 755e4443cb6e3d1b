"""What `mentions` tells of a file, all its words at once, for comparing with other readers."""

import re
from collections.abc import Iterable, Iterator

from ggrep.parse.occurrences.occurrences import has_syntax, mentions
from ggrep.parse.occurrences.tree_places import read_spots
from ggrep.parse.occurrences.words import Occurrence, Spot, spots

_WORD = re.compile(r"\w+")


def mentions_of(path_key: str, data: bytes, names: Iterable[str]) -> list[Occurrence]:
    """Return the mentions of many names; the file is parsed once, and cut to words once."""
    wanted = set(names)
    if not has_syntax(path_key, data):
        return [item for name in sorted(wanted) for item in mentions(path_key, data, name)]
    plain = {name for name in wanted if _WORD.fullmatch(name)}
    item = [spot for spot in _words(data) if spot.text in plain]
    for name in sorted(wanted - plain):
        item += spots(path_key, data, name)
    return list(read_spots(path_key, data, item))


def _words(data: bytes) -> Iterator[Spot]:
    offset = 0
    for number, line in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), start=1):
        for match in _WORD.finditer(line):
            start = offset + _size(line[: match.start()])
            yield Spot(start, start + _size(match[0]), number, match.start() + 1, match[0])
        offset += _size(line) + 1


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
