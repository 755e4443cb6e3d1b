"""Normalises the paths and globs of checks, and refuses those that can never match."""

import posixpath
import re
from typing import Final

from ggrep.interfaces.evaluation.toml_file import Table
from ggrep.parse.source.wildmatch import compile_glob

_GLOB: Final = re.compile(r"[*?\[]")
_BRACKET: Final = re.compile(r"\[[!^]?(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]")
_RANGE: Final = re.compile(r"\[:\w+:\]|\\?(?P<low>.)-\\?(?P<high>.)")
_NEVER: Final = b"(?!)"
"""What stands in a pattern where the glob cannot be parsed; as text it would be escaped."""


def is_glob(path: str) -> bool:
    """Return whether the path stands for many."""
    return _GLOB.search(path) is not None


def expected_paths(table: Table, key: str) -> tuple[str, ...]:
    """Return the paths of a key in the form in which answers name them.

    Raises:
        UsageError: none can ever match one of them.
    """
    return tuple(expected_path(table, key, path) for path in table.texts(key))


def expected_path(table: Table, key: str, path: str) -> str:
    """Return a path of a key in the form in which answers name it; empty where none is given.

    Raises:
        UsageError: nothing can ever match it.
    """
    if not path:
        return path
    fault = _fault(path)
    if fault:
        table.fail(f"{key}: {path!r} {fault}", key)
    return posixpath.normpath(path)


def _fault(path: str) -> str:
    """Return why no file is ever named like this; empty when one may be."""
    if path.endswith("/"):
        return "names a directory; name files, or write **/* behind it"
    normal = posixpath.normpath(path)
    if normal.startswith("/") or normal.split("/")[0] in {".", ".."}:
        return "leads out of the root; paths are counted from it"
    if is_glob(normal) and _NEVER in compile_glob(normal.encode()).pattern:
        return "is no glob: a bracket is not closed, or holds nothing"
    for bracket in _BRACKET.finditer(normal):
        for each in _RANGE.finditer(bracket[1]):
            if each["low"] is not None and each["low"] > each["high"]:
                return f"is no glob: the range {each[0]} runs backwards"
    return ""
