"""Where a question is narrowed to: path keys of directories and files, in one text."""

from collections.abc import Iterable, Sequence
from typing import Final

_BETWEEN: Final = "\0"
"""Stands in no path."""


def scope_of_keys(keys: Iterable[str]) -> str:
    """Return path keys as one text; empty where one of them is the whole root."""
    held = list(dict.fromkeys(keys))
    return "" if "" in held else _BETWEEN.join(held)


def keys_of_scope(scope: str) -> tuple[str, ...]:
    """Return the path keys of a scope; none for the whole root."""
    return tuple(scope.split(_BETWEEN)) if scope else ()


def place_in_scope(path: str, keys: Sequence[str]) -> int:
    """Return the place of the first key that a path lies below; the number of keys for none."""
    return next((place for place, key in enumerate(keys) if is_below(path, key)), len(keys))


def is_below(path: str, key: str) -> bool:
    """Return whether a path is a file or directory itself, or lies below it."""
    return path == key or path.startswith(f"{key}/")
