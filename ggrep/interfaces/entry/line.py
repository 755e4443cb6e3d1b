"""Which commands are sent to a daemon as they were typed, and where each looks for that daemon.

The daemon reads the line; here it is only told what it says of its place, time and print. All of
that may be wrong: a daemon that finds another place than its own declines.
"""
# ruff: noqa: PTH110, PTH112, PTH118, PTH120, PTH123, PTH208
# pathlib takes longer to import than all of this to run

import os

from ggrep.interfaces.entry.plain_place import Place, locator_file, place_of

_LEFT_TO_CLI = frozenset(
    {
        *("--", "--help", "-h", "--sync", "--strict", "--offline", "--encoder", "--profile"),
        *("--receipt", "--all", "--watch"),
    }
)
"""What a daemon would decline."""

_OF_PLACES = frozenset({"expand", "outline", "tour"})
"""Commands whose first word is a place, and not what is asked for."""

_PLACES = frozenset({"--repo", "--path", "-p", "--in"})
_MOST_FILE_BYTES = 64 * 1024
_MOST_ROOTS = 16
_SPECIAL = frozenset("*?[]{}!\\")
_TIMEOUT = "--timeout-ms"
_MOST_DIGITS = 9
_MOST_ARGUMENTS = 64


def require_short(arguments: list[str]) -> None:
    """Raise unless a daemon may answer a line.

    Raises:
        ValueError: it is long, or says what no daemon does.
    """
    flags = {argument.partition("=")[0] for argument in arguments}
    if len(arguments) > _MOST_ARGUMENTS or not _LEFT_TO_CLI.isdisjoint(flags):
        raise ValueError("left to the command line")


def place_of_line(arguments: list[str], environ: dict[str, str]) -> Place:
    """Return the place a line is about, most likely; of a workspace one whose daemon left a hint.

    Raises:
        ValueError: there is none.
        OSError: there is nothing where the line says.
    """
    file = _value(arguments, "--workspace")
    if file is None:
        return place_of(place_in(arguments), environ)
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


def place_in(arguments: list[str]) -> str | None:
    """Return the path that a line is about, most likely; None for the current directory.

    That is what its option says, else its last word that is a file or directory, with or
    without line numbers; the first word is mostly what is asked for.

    Args:
        arguments: the command's name first.
    """
    for flag in _PLACES:
        value = _value(arguments, flag)
        if value is not None:
            return value
    first = 1 if arguments[0] in _OF_PLACES else 2
    words = [argument for argument in arguments[1:] if not argument.startswith("-")]
    for word in reversed(words[first - 1 :]):
        for path in (word, word.rpartition(":")[0]):
            if path and os.path.exists(path):
                return path
    return None


def timeout_ms_in(arguments: list[str]) -> int:
    """Return the milliseconds that a line gives its answer; 0 where it says nothing.

    Raises:
        ValueError: they are no plain number.
    """
    text = _value(arguments, _TIMEOUT)
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ValueError(text)
    return int(text)


def with_timeout(arguments: list[str], timeout_ms: int) -> list[str]:
    """Return a line that gives its answer so many milliseconds, in place of those it names."""
    at = next(at for at, word in enumerate(arguments) if word.partition("=")[0] == _TIMEOUT)
    behind = at + 1 if "=" in arguments[at] else at + 2
    return [*arguments[:at], f"{_TIMEOUT}={timeout_ms}", *arguments[behind:]]


def _value(arguments: list[str], flag: str) -> str | None:
    """Return what follows a flag, or is joined to it."""
    for at, argument in enumerate(arguments):
        name, is_joined, value = argument.partition("=")
        if name == flag:
            return value if is_joined else "".join(arguments[at + 1 : at + 2])
    return None
