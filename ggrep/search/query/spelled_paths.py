"""Finds paths in a query, as people, compilers and editors write them."""

import re
from dataclasses import dataclass
from typing import Final

from ggrep.parse.languages.registry import language_of

_POSITION: Final = re.compile(r"(?::(\d+)(?::\d+)?:?|#L(\d+)(?:-L?\d+)?|\((\d+)(?:,\d+)?\))$")
"""What compilers and editors put behind a path."""
_PATH: Final = re.compile(
    r"(?:\.{0,2}/)?(?:[\w@.+-]+/)+[\w@.+-]*|[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}"
)
_DRIVE: Final = re.compile(r"^[A-Za-z]:(?=/)")
_AROUND: Final = "'\"`<>,;?!()[]"
_PLAIN_ENDINGS: Final = frozenset({"txt", "text", "log"})
_ALSO_MEMBERS: Final = frozenset(
    {*("bin", "conf", "d", "env", "f", "json", "key", "lock", "log", "m", "map", "props", "r")}
    | {*("rest", "s", "service", "socket", "svg", "t", "target", "text", "v")}
)
"""Endings that members have as well: `res.json` is a method more often than a file."""
_MAX_LINE: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """A path in a query.

    Attributes:
        path: case-folded, parts joined by `/`.
        line: the line that stood behind it, 1-based; 0 for none.
    """

    path: str
    line: int


def places_of(text: str) -> tuple[tuple[Place, ...], str]:
    """Return the places a query spells, in its order, and its words without their positions.

    `a/b/c`, `./b`, `a/`, `b.py:12` and Windows' spelling of them are such; `a.b` is not, unless `b`
    is a usual ending, and `a/b` only where nothing else is asked for: `and/or` is no path.
    """
    split = text.split()
    found: dict[Place, None] = {}
    plain = []
    for word in split:
        bare, line = _without_position(word)
        if path := _path_in(bare, alone=len(split) == 1):
            found[Place(path, line)] = None
            plain.append(bare)
        else:
            plain.append(word)
    return tuple(found), " ".join(plain)


def is_file(text: str) -> bool:
    """Return whether a lone name is a file's rather than a member's."""
    ending = text.rpartition(".")[2].lower()
    return "." in text and ending not in _ALSO_MEMBERS and bool(_path_in(text, alone=False))


def _without_position(word: str) -> tuple[str, int]:
    bare = _DRIVE.sub("", word.strip(_AROUND).replace("\\", "/"))
    if (found := _POSITION.search(bare)) is None and bare.count("(") > bare.count(")"):
        found = _POSITION.search(f"{bare})")
    if found is None:
        return bare.rstrip(":"), 0
    line = int((found[1] or found[2] or found[3])[:8])
    return bare[: found.start()], line if line <= _MAX_LINE else 0


def _path_in(bare: str, *, alone: bool) -> str:
    """Return the path in a word, or nothing."""
    parts = [part for part in bare.split("/") if part not in {"", ".", ".."}]
    if not parts or not _PATH.fullmatch(bare):
        return ""
    slashes = bare.count("/") + (alone or bare[0] in "./" or bare[-1] == "/")
    return "/".join(parts).casefold() if slashes > 1 or _is_file_name(parts[-1]) else ""


def _is_file_name(name: str) -> bool:
    ending = name.rpartition(".")[2].lower()
    return language_of(name) != "text" or ending in _PLAIN_ENDINGS
