"""Finds the repository of a command line and the locator of its daemon.

The root is a guess, correct in ordinary trees; the daemon compares the guess with its own root.
"""

# ruff: noqa: PTH110, PTH112, PTH113, PTH118, PTH120, PTH123, PTH208
# importing pathlib takes longer than running this whole module

import os
import zlib

from ggrep.base.commands import Line

MAGIC = b"ggrep-locator-1"
REPO_FILE = ".ggrep.toml"
_MOST_BYTES = 16 * 1024


class LikelyRoot:
    """A probable root, and the path key of the part to search, empty for the whole root."""

    __slots__ = ("root", "scope")

    def __init__(self, root: str, scope: str) -> None:
        self.root = root
        self.scope = scope


class Locator:
    """Address of a daemon, and the store and configuration that the daemon serves."""

    __slots__ = ("address", "build", "config_fingerprint", "store_id")

    def __init__(self, store_id: str, config_fingerprint: str, address: str, build: str) -> None:
        self.store_id = store_id
        self.config_fingerprint = config_fingerprint
        self.address = address
        self.build = build


def place_of(path: str | None, environ: dict[str, str]) -> LikelyRoot:
    """Return the root that `path`, or the current directory, probably belongs to."""
    real = os.path.realpath(path or os.curdir, strict=True)
    real.encode()  # `ggrep.interfaces.cli` reports that the path is not UTF-8
    directory = real if os.path.isdir(real) else os.path.dirname(real)
    refused = ("/", os.path.realpath(_user_home(environ)))
    if directory in refused:
        raise ValueError("the directory cannot be a root")
    above = [directory]
    while above[-1] != "/":
        above.append(os.path.dirname(above[-1]))
    above = [candidate for candidate in above if candidate not in refused]
    for root in above:
        if _is_marker(os.path.join(root, ".git")):
            break
    else:
        named = (root for root in above if os.path.isfile(os.path.join(root, REPO_FILE)))
        root = next(named, directory)
    return LikelyRoot(root, real[len(root) + 1 :])


def locator_file(root: str, environ: dict[str, str]) -> str:
    """Return the path of the locator file that the daemon of a root and profile writes."""
    home = environ.get("GGREP_HOME") or os.path.join(_user_home(environ), ".ggrep")
    if not home.startswith("/"):
        raise ValueError(home)
    named, profile = os.fsencode(root), environ.get("GGREP_PROFILE", "")
    if profile:
        named += b"\0" + os.fsencode(profile)
    return os.path.join(home, "daemon", f"{zlib.crc32(named):08x}.locator")


def is_led(path: str | None, environ: dict[str, str]) -> bool:
    """Return whether the ggrep home has a locator for `path` or a directory above it."""
    root = os.path.realpath(path or os.curdir)
    while not os.path.exists(locator_file(root, environ)):
        if root == "/":
            return False
        root = os.path.dirname(root)
    return True


def read_locator(file: str, root: str) -> Locator:
    """Return the locator in `file`; raise unless only this user can have written it."""
    # Non-blocking, as the file may be a pipe.
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            raise ValueError("not ours")
        data = os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
    lines = data.split(b"\n")
    if len(lines) != 7 or [lines[0], lines[1], lines[6]] != [MAGIC, os.fsencode(root), b""]:
        raise ValueError("the file with the daemon's address has another root or format")
    store_id, fingerprint, address, build = lines[2:6]
    return Locator(store_id.decode(), fingerprint.decode(), os.fsdecode(address), build.decode())


def _user_home(environ: dict[str, str]) -> str:
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise ValueError("no HOME")
    return home


def _is_marker(path: str) -> bool:
    """Return whether `path` is a `.git` that makes its directory the top of a work tree."""
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, "HEAD"))
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8) == b"gitdir: "


_OF_PLACES = frozenset({"expand", "outline", "tour"})
"""Commands whose first word is a location, not a query."""

_PLACES = ("--repo", "--path", "--in")
_MOST_FILE_BYTES = 64 * 1024
_MOST_ROOTS = 16
_SPECIAL = frozenset("*?[]{}!\\")
_TIMEOUT = "--timeout-ms"


def place_of_line(line: Line, environ: dict[str, str]) -> LikelyRoot:
    """Return the probable root of a line; with `--workspace`, a root of it that has a locator."""
    file = line.text("--workspace")
    if file is None:
        return place_of(place_in(line), environ)
    # Any daemon of the workspace can query the other ones.
    for root in _roots_in(file):
        try:
            place = place_of(root, environ)
        except (ValueError, OSError):
            continue  # not every included directory is a repository
        if os.path.exists(locator_file(place.root, environ)):
            return place
    raise ValueError("no daemon of this root has written a locator")


def _roots_in(file: str) -> list[str]:
    """Return the `"root":` values of a workspace's file, found by a regular expression.

    For a glob such as `"../services/*"`, the first directories in `../services` are returned.
    """
    with open(file, "rb") as stream:
        text = stream.read(_MOST_FILE_BYTES).decode()
    here, result = os.path.dirname(file), []
    for piece in text.split('"root"')[1 : _MOST_ROOTS + 1]:
        root = piece.partition('"')[2].partition('"')[0]
        if "\\" not in root:
            result.append(os.path.join(here, root))
    for piece in text.split('/*"')[:_MOST_ROOTS]:
        folder = os.path.join(here, piece.rpartition('"')[2])
        if _SPECIAL.isdisjoint(folder) and os.path.isdir(folder):
            result += [
                os.path.join(folder, name) for name in sorted(os.listdir(folder))[:_MOST_ROOTS]
            ]
    return result


def place_in(line: Line) -> str | None:
    """Return the probable path of a command line; None for the current directory.

    The path is the value of an option, else the last argument that names an existing file or
    directory, without a line number as in `a.py:12`. The first argument of most commands is the
    query, so it is skipped.
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
    """Return a command line in which `timeout_ms` replaces the timeout."""
    at = next(at for at, word in enumerate(arguments) if word.partition("=")[0] == _TIMEOUT)
    behind = at + 1 if "=" in arguments[at] else at + 2
    return [*arguments[:at], f"{_TIMEOUT}={timeout_ms}", *arguments[behind:]]
