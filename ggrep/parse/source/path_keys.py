"""Path keys: the path of a file below its root, the same on every machine."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.model.sanitise import sanitise_line


def problem(text: str) -> str | None:
    """Return the reason why `text` is not a path key, or None."""
    parts = text.split("/")
    if not text or "" in parts:
        return "a path below the root must not be empty, absolute or contain an empty part"
    if "." in parts or ".." in parts:
        return "the path contains . or .. as a part"
    return None if text.isascii() and text.isprintable() else _bad_character(text)


def _bad_character(text: str) -> str | None:
    if any(unicodedata.category(character) == "Cs" for character in text):
        return "the path is not valid UTF-8"
    if any(unicodedata.category(character) == "Cc" for character in text):
        return "the path contains a control character"
    # An answer would show a path that differs from the file's, and no client could open it.
    return None if sanitise_line(text) == text else "the path contains invisible characters"


def parse_path_key(text: str) -> PathKey:
    """Return `text` as a path key.

    Raises:
        InvalidRequest: `text` is not a path key.
    """
    reason = problem(text)
    if reason is not None:
        raise InvalidRequest(f"invalid path {printable(text)}: {reason}")
    return PathKey(text)


def is_below(root: Path, path: Path) -> bool:
    """Return whether `path` is `root` or inside `root`; both paths must be resolved.

    Whole components are compared: `/a/bc` is not below `/a/b`, and `/a/b/..c` is.
    """
    return path.parts[: len(root.parts)] == root.parts and ".." not in path.parts


def printable(text: str) -> str:
    """Return `text` for a message; invalid and invisible characters are escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def casefold_collisions(keys: Iterable[PathKey]) -> tuple[tuple[PathKey, ...], ...]:
    """Return groups of keys that denote the same file on a case-insensitive file system.

    The groups, and the keys in each group, are in byte order.
    """
    groups: dict[str, set[PathKey]] = {}
    for key in keys:
        # Nearly all names are ASCII. For ASCII, this has the same result in a tenth of the time.
        folded = key.lower() if key.isascii() else _folded(key)
        groups.setdefault(folded, set()).add(key)
    colliding = (sorted(group, key=str.encode) for group in groups.values() if len(group) > 1)
    return tuple(sorted(map(tuple, colliding), key=lambda group: group[0].encode()))


def _folded(key: PathKey) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", key).casefold())
