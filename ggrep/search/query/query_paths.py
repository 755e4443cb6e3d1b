"""Finds paths in a query, as people, compilers and editors write them, and the matching rows."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.scripts import WORD, folded
from ggrep.index.lexical.layout import PATH
from ggrep.index.lexical.postings import Rows
from ggrep.index.lexical.tokens import whole_terms
from ggrep.parse.languages.registry import language_of
from ggrep.search.query.segments import SearchableSegment

_POSITION: Final = re.compile(r"(?::(\d+)(?::\d+)?:?|#L(\d+)(?:-L?\d+)?|\((\d+)(?:,\d+)?\))$")
"""A position after a path, as compilers and editors write it."""
_PATH: Final = re.compile(
    rf"(?:\.{{0,2}}/)?(?:[{WORD}@.+-]+/)+[{WORD}@.+-]*"
    rf"|[{WORD}@+-][{WORD}@.+-]*\.[A-Za-z]\w{{0,9}}"
)
_DRIVE: Final = re.compile(r"^[A-Za-z]:(?=/)")
_AROUND: Final = "'\"`<>,;?!()[]"
_PLAIN_ENDINGS: Final = frozenset({"txt", "text", "log"})
_ALSO_MEMBERS: Final = frozenset(
    {*("bin", "conf", "d", "env", "f", "json", "key", "lock", "log", "m", "map", "props", "r")}
    | {*("rest", "s", "service", "socket", "svg", "t", "target", "text", "v")}
)
"""Endings that are also names of members: `res.json` is more often a method than a file."""
_MAX_LINE: Final = 10_000_000


class SpelledPath(Struct, frozen=True):
    """A path in a query.

    Attributes:
        path: case-folded, parts joined by `/`.
        line: the line number after the path, 1-based; 0 for none.
    """

    path: str
    line: int


def places_of(text: str) -> tuple[tuple[SpelledPath, ...], str]:
    """Return the paths in a query, in order, and the query without the positions after the paths.

    `a/b/c`, `./b`, `a/`, `b.py:12` and their Windows forms are paths. `a.b` is a path only if `b`
    is a usual ending. `a/b` is a path only if it is the whole query, because `and/or` is not a
    path.
    """
    split = text.split()
    places: dict[SpelledPath, None] = {}
    plain = []
    for word in split:
        bare, line = _without_position(word)
        if path := _path_in(bare, alone=len(split) == 1):
            places[SpelledPath(path, line)] = None
            plain.append(bare)
        else:
            plain.append(word)
    return tuple(places), " ".join(plain)


def is_file(text: str) -> bool:
    """Return whether a name with a dot is a file name rather than a member."""
    ending = text.rpartition(".")[2].lower()
    return "." in text and ending not in _ALSO_MEMBERS and bool(_path_in(text, alone=False))


def _without_position(word: str) -> tuple[str, int]:
    bare = _DRIVE.sub("", word.strip(_AROUND).replace("\\", "/"))
    if (position := _POSITION.search(bare)) is None and bare.count("(") > bare.count(")"):
        position = _POSITION.search(f"{bare})")
    if position is None:
        return bare.rstrip(":"), 0
    line = int((position[1] or position[2] or position[3])[:8])
    return bare[: position.start()], line if line <= _MAX_LINE else 0


def _path_in(bare: str, *, alone: bool) -> str:
    parts = [part for part in bare.split("/") if part not in {"", ".", ".."}]
    if not parts or not _PATH.fullmatch(bare):
        return ""
    slashes = bare.count("/") + (alone or bare[0] in "./" or bare[-1] == "/")
    return folded("/".join(parts)) if slashes > 1 or _is_file_name(parts[-1]) else ""


def _is_file_name(name: str) -> bool:
    ending = name.rpartition(".")[2].lower()
    return language_of(name) != "text" or ending in _PLAIN_ENDINGS


Shares = npt.NDArray[np.float64]

_WHOLE = 1.0
_END = 0.75
_BELOW = 0.5
_ELSEWHERE = 0.5
"""Share of a file of the path's name in another folder.

The path can be absolute, or the file moved.
"""
_OTHER_LINES = 0.5
"""Factor of rows that do not contain the line given with the path."""


def location_shares(segment: SearchableSegment, places: Sequence[SpelledPath]) -> Shares:
    """Return, per row, how well it fits one of the paths, 0 to 1.

    The value is 1 for rows of the file with the path, and less if the file's path only ends with
    the path. The value is 0.5 for files below a directory with the path, and for files with the
    same name elsewhere. If a line number follows the path, rows without that line have half of the
    value.
    """
    image = segment.image
    shares = np.zeros(image.rows, dtype=np.float64)
    for place in places:
        for number in _named_alike(segment, place.path.rpartition("/")[2]):
            share = _share("/" + folded(image.path(number)), place.path)
            rows = segment.rows_of(number)
            if share and rows:
                row_shares = shares[rows.start : rows.stop]
                np.maximum(row_shares, share * _holding(segment, rows, place.line), out=row_shares)
    return shares


def _holding(segment: SearchableSegment, rows: range, line: int) -> Shares:
    """Return the factor of each row: 1 if the row contains the line, or if `line` is 0."""
    if not line:
        return np.ones(len(rows), dtype=np.float64)
    first, last = segment.image.row_lines(rows.start, rows.stop)
    return np.where((first <= line) & (line <= last), 1.0, _OTHER_LINES)


def _named_alike(segment: SearchableSegment, name: str) -> list[int]:
    """Return the files whose paths contain all words of `name`."""
    common: Rows | None = None
    for term in whole_terms(name):
        files = segment.file_postings.rows_with(term, range(PATH, PATH + 1))
        common = files if common is None else np.intersect1d(common, files, assume_unique=True)
    return [] if common is None else [int(number) for number in common]


def _share(key: str, path: str) -> float:
    if key == "/" + path:
        return _WHOLE
    if key.endswith("/" + path):
        return _END
    if f"/{path}/" in key:
        return _BELOW
    name = path.rpartition("/")[2]
    return _ELSEWHERE if "." in name and key.endswith("/" + name) else 0.0
