"""Recognises secret files by their names; `masking` examines the content."""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from typing import Final

from ggrep.config import secret_names as lists

_BREAK: Final = re.compile(r"[\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COPIES: Final = tuple(lists.COPIES)
_PUBLIC: Final = ".pub"
_FILLED_IN: Final = "templates"
_FILLED_IN_ENDINGS: Final = (".yaml", ".yml")
_WILD: Final = re.compile(r"[*?\[]")
_WP_CONFIG: Final = "wp-config-"


class _Names:
    """A set of globs; globs without wildcards are looked up in a set instead of matched."""

    def __init__(self, globs: Iterable[str]) -> None:
        every = frozenset(globs)
        self._plain = frozenset(glob for glob in every if not _WILD.search(glob))
        self._ends = tuple(
            glob[1:] for glob in sorted(every) if glob[0] == "*" and not _WILD.search(glob, 1)
        )
        wild = sorted(every - self._plain - {f"*{end}" for end in self._ends})
        self._wild = re.compile("|".join(translate(glob) for glob in wild))

    def are_exactly(self, name: str) -> bool:
        return name in self._plain

    def have(self, name: str) -> bool:
        return (
            name in self._plain or name.endswith(self._ends) or (self._wild.match(name) is not None)
        )


_NAMES: Final = _Names(lists.NAMES)
_PLACES: Final = _Names((*lists.PLACES, *(f".{glob}" for glob in lists.PLACES)))


@lru_cache(1 << 15)
def is_secret(path: str) -> bool:
    """Return whether a file contains keys or passwords, according to its path below the root.

    Results are cached, because a daemon classifies the same paths in each walk.
    """
    rest, _, written = path.rpartition("/")
    above, name = rest.lower().split("/"), written.lower()
    folder = above[-1]
    if (copied := _copied(name)) and is_secret(f"{rest}/{copied}"):
        return True
    is_called = lists.TRANSLATIONS.isdisjoint(above) and _is_called_so(above, written)
    if not (is_called or _is_named(folder, name)):
        return False
    if folder == _FILLED_IN and name.endswith(_FILLED_IN_ENDINGS):
        return False  # a template, into which an installer inserts the values
    if _NAMES.are_exactly(name):
        return True
    words = _BREAK.split(name)
    is_made_up = words[-1] == lists.LAST_MARK or not lists.MARKS.isdisjoint(words)
    return not (name.endswith(_PUBLIC) or is_made_up)


def is_private_directory(path: str) -> bool:
    """Return whether a directory contains programs' private data, according to its path."""
    rest, _, name = path.lower().rpartition("/")
    return name in lists.PRIVATE_DIRECTORIES or rest.rpartition("/")[2] == lists.SHARED_PARENT


def _is_named(folder: str, name: str) -> bool:
    if name.endswith(lists.PROGRAMS):
        return (
            name in lists.PROGRAMS_OF_VALUES
            or name.startswith(_WP_CONFIG)
            or name.endswith(lists.ENDINGS_OF_VALUES)
            or _is_own(folder, name)
        )
    return _NAMES.have(name) or _PLACES.have(f"{folder}/{name}")


def _copied(name: str) -> str:
    """Return the original's name of a copy such as `x.bak`; empty for other names."""
    if not name.endswith(_COPIES):
        return ""
    return next(name.removesuffix(end) for end in _COPIES if name.endswith(end))


def _is_own(folder: str, name: str) -> bool:
    """Return whether the name of a script or page shows that the file contains a user's secrets."""
    words = {word for word in _BREAK.split(name.rpartition(".")[0]) if word}
    if name.endswith(lists.PAGES):
        others = words - lists.OWNED
        return others < words and others <= lists.OWNERS and bool(others or folder in lists.NOTES)
    others = words - lists.OWN_NOUNS
    return others < words and others <= lists.OWN and bool(others or name.startswith("."))


def _is_called_so(above: list[str], written: str) -> bool:
    """Return whether the name or folder of a data file indicates that it contains secrets."""
    stem, point, extension = written.lstrip(".").rpartition(".")
    if not point:
        stem, extension = extension, ""
    extension = extension.lower()
    if not stem or (extension and extension not in lists.DATA_EXTENSIONS):
        return False
    if above[-1] in lists.FOLDERS and (extension or written.islower()):
        return True
    ways = {stem.lower(), _HUMP.sub("-", stem).lower()}
    in_text = extension in lists.TEXT_EXTENSIONS and lists.MANUALS.isdisjoint(above)
    if in_text and not lists.ALONE_IN_TEXT.isdisjoint(ways):
        return True
    return any(_say_so([word for word in _BREAK.split(way) if word], extension) for way in ways)


def _say_so(words: list[str], extension: str) -> bool:
    """Return whether the words of a name, with its ending, indicate a file of secrets."""
    if not lists.VAULTS.isdisjoint(words):
        return not lists.VAULT_CONTENTS.isdisjoint((*words, extension))
    first, behind = words[:1], words[1:3]
    if first and first[0] in lists.FIRSTS and extension in lists.FIRST_EXTENSIONS:
        return len(words) <= 3 and lists.HARMLESS_BEHIND.isdisjoint(behind)
    while len(words) > 1 and _is_surrounding(words[-1]):
        words.pop()
    if not lists.HARMLESS_BEFORE.isdisjoint(words[-2:-1]):
        return False
    is_program = not extension and words[:1] and words[0] in lists.VERBS
    return bool(words) and not is_program and _end_so(words, extension)


def _is_surrounding(word: str) -> bool:
    around = word in lists.SURROUNDINGS or word in lists.DATA_EXTENSIONS - lists.SINGLES
    return around or word.isdigit()


def _end_so(words: list[str], extension: str) -> bool:
    *before, last = words
    if last in lists.NOUNS or "-".join(words[-2:]) in lists.PAIRS:
        return True
    if last.endswith(lists.NOUN_ENDINGS):
        return not last.startswith(tuple(lists.HARMLESS_BEFORE))
    if before:
        single = last in lists.SINGLES and (not extension or extension in lists.SINGLE_EXTENSIONS)
        return single and before[-1] not in lists.HARMLESS_SINGLES
    return bool(extension) and last in lists.ALONE
