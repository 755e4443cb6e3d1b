"""What a name alone tells of keys and passwords; what a file holds is told by `masking`."""

import re
from collections.abc import Iterable
from fnmatch import translate
from typing import Final

from ggrep.config import secret_names as lists

_BREAK: Final = re.compile(r"[\W_]+")
_PUBLIC: Final = ".pub"
_FILLED_IN: Final = "templates"
_FILLED_IN_ENDINGS: Final = (".yaml", ".yml")
_WILD: Final = re.compile(r"[*?\[]")
_WP_CONFIG: Final = "wp-config-"


class _Names:
    """Globs of names: plain ones are looked up, so that a name is compared with few."""

    def __init__(self, globs: Iterable[str]) -> None:
        every = frozenset(globs)
        self._plain = frozenset(glob for glob in every if not _WILD.search(glob))
        self._ends = tuple(
            glob[1:] for glob in sorted(every) if glob[0] == "*" and not _WILD.search(glob, 1)
        )
        wild = sorted(every - self._plain - {f"*{end}" for end in self._ends})
        self._wild = re.compile("|".join(translate(glob) for glob in wild))

    def have(self, name: str) -> bool:
        return (
            name in self._plain or name.endswith(self._ends) or (self._wild.match(name) is not None)
        )


_NAMES: Final = _Names(lists.NAMES)
_PLACES: Final = _Names((*lists.PLACES, *(f".{glob}" for glob in lists.PLACES)))


def is_secret(path: str) -> bool:
    """Tell whether a file holds keys or passwords, by its path below the root."""
    rest, _, name = path.lower().rpartition("/")
    folder = rest.rpartition("/")[2]
    if not (_is_named(folder, name) or _is_called_so(folder, name)):
        return False
    if folder == _FILLED_IN and name.endswith(_FILLED_IN_ENDINGS):
        return False  # values are put in when it is installed
    return not name.endswith(_PUBLIC) and lists.MARKS.isdisjoint(_BREAK.split(name))


def is_private_directory(path: str) -> bool:
    """Tell whether programs keep what is theirs in a directory, by its path below the root."""
    rest, _, name = path.lower().rpartition("/")
    return name in lists.PRIVATE_DIRECTORIES or rest.rpartition("/")[2] == lists.SHARED_PARENT


def _is_named(folder: str, name: str) -> bool:
    if name.endswith(lists.PROGRAMS):
        return name in lists.PROGRAMS_OF_VALUES or name.startswith(_WP_CONFIG)
    return _NAMES.have(name) or _PLACES.have(f"{folder}/{name}")


def _is_called_so(folder: str, name: str) -> bool:
    """Tell whether a data file's name or folder says in plain words what it holds."""
    stem, _, extension = name.lstrip(".").rpartition(".")
    if not stem or extension not in lists.DATA_EXTENSIONS:
        return False
    if folder in lists.FOLDERS:
        return True
    words = [word for word in _BREAK.split(stem) if word]
    while len(words) > 1 and words[-1] in lists.SURROUNDINGS | lists.DATA_EXTENSIONS:
        words.pop()
    if not words or (len(words) > 1 and words[-2] in lists.HARMLESS_BEFORE):
        return False
    if words[-1] in lists.NOUNS or "-".join(words[-2:]) in lists.PAIRS:
        return True
    return len(words) == 1 and words[0] in lists.ALONE
