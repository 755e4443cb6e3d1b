"""Where a command line looks for the daemon that it is sent to.

The place found here may be wrong: a daemon that finds another place than its own declines.
"""
# ruff: noqa: PTH110, PTH112, PTH118, PTH120, PTH123, PTH208
# pathlib takes longer to import than all of this to run

import os

from ggrep.base.reader import Line
from ggrep.interfaces.entry.plain_place import Place, locator_file, place_of

_OF_PLACES = frozenset({"expand", "outline", "tour"})
"""Commands whose first word is a place, and not what is asked for."""

_PLACES = ("--repo", "--path", "--in")
_MOST_FILE_BYTES = 64 * 1024
_MOST_ROOTS = 16
_SPECIAL = frozenset("*?[]{}!\\")
_TIMEOUT = "--timeout-ms"


def place_of_line(line: Line, environ: dict[str, str]) -> Place:
    """Return the place a line is about, most likely; of a workspace one whose daemon left a hint.

    Raises:
        ValueError: there is none.
        OSError: there is nothing where the line says.
    """
    file = line.text("--workspace")
    if file is None:
        return place_of(place_in(line), environ)
    # Any of its daemons can ask the others.
    for root in _roots_in(file):
        try:
            place = place_of(root, environ)
        except (ValueError, OSError):
            continue  # what is included is not all a repository
        if os.path.exists(locator_file(place.root, environ)):
            return place
    raise ValueError("no daemon of it left a hint")


def _roots_in(file: str) -> list[str]:
    """Return what stands behind `"root":` in a workspace's file, read without its grammar.

    And the first directories of those whose content it includes: `"../services/*"`.
    """
    with open(file, "rb") as stream:
        text = stream.read(_MOST_FILE_BYTES).decode()
    here, found = os.path.dirname(file), []
    for piece in text.split('"root"')[1 : _MOST_ROOTS + 1]:
        root = piece.partition('"')[2].partition('"')[0]
        if "\\" not in root:
            found.append(os.path.join(here, root))
    for piece in text.split('/*"')[:_MOST_ROOTS]:
        folder = os.path.join(here, piece.rpartition('"')[2])
        if _SPECIAL.isdisjoint(folder) and os.path.isdir(folder):
            found += [
                os.path.join(folder, name) for name in sorted(os.listdir(folder))[:_MOST_ROOTS]
            ]
    return found


def place_in(line: Line) -> str | None:
    """Return the path that a line is about, most likely; None for the current directory.

    That is the value of its option, else its last argument that is a file or directory, with or
    without line numbers; the first argument is mostly what is asked for.
    """
    for flag in _PLACES:
        value = line.text(flag)
        if value is not None:
            return value
    words = line.words if line.command in _OF_PLACES else line.words[1:]
    for word in reversed(words):
        for path in (word, word.rpartition(":")[0]):
            if path and os.path.exists(path):
                return path
    return None


def with_timeout(arguments: list[str], timeout_ms: int) -> list[str]:
    """Return a line that gives its answer so many milliseconds, in place of those it names.

    Requires: it names some.
    """
    at = next(at for at, word in enumerate(arguments) if word.partition("=")[0] == _TIMEOUT)
    behind = at + 1 if "=" in arguments[at] else at + 2
    return [*arguments[:at], f"{_TIMEOUT}={timeout_ms}", *arguments[behind:]]
