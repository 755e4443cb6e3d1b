"""Converts a typed target into one that a repository understands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.model.written_names import place_readings
from ggrep.service.call_requests import scope_of
from ggrep.service.location import Location, location_of

HERE: Final = Path()


class Target(Struct, frozen=True):
    """A resolved target and its repository.

    Attributes:
        place: the root, and the file in it if one was named that is there.
        lines: `:line` or `:line-line` behind that file; empty for all of it.
        typed: a row id, or a path key that is only in the index; empty for a folder and a scope.
    """

    place: Location
    lines: str = ""
    typed: str = ""

    def key(self, scope: str) -> str:
        """Return the target in the repository's form; `scope` is the place's path key there."""
        return scope + self.lines if self.place.scope or not self.typed else self.typed


def target_of(typed: str, repo: Path | None) -> Target:
    """Return the target: a row id, `path`, `path:line`, `path:line-line`, or a compiler's place.

    Paths are relative to the current directory, else to the root.
    """
    root = None if repo is None else location_of(repo).root
    path, lines = parts_of(typed, root)
    if path is None:
        return Target(Location(root or location_of(None).root, ""), "", typed)
    if path.is_dir():
        raise InvalidRequest(f"{typed}: a directory; give a file, a line of one, or a row id")
    if root is None:
        return Target(location_of(path), lines, typed)
    return Target(Location(root, path.resolve().relative_to(root).as_posix()), lines, typed)


def folder_or_target_of(typed: str, repo: Path | None) -> Target:
    """Return what `target_of` does, and of a folder its place."""
    path = Path(typed)
    if not path.is_dir():
        return target_of(typed, repo)
    if repo is None:
        return Target(location_of(path))
    root = location_of(repo).root
    return Target(Location(root, scope_of(path.absolute(), root)))


def placed_in(typed: str, roots: Mapping[Path, str], here: Path = HERE) -> str:
    """Return an existing file as `label:path`, by the innermost root; all else unchanged."""
    path, lines = parts_of(typed, None, here)
    if path is None or path.is_dir():
        return typed
    real = path.resolve()
    around = [root for root in roots if real.is_relative_to(root)]
    root = max(around, key=lambda root: len(root.parts), default=None)
    return typed if root is None else f"{roots[root]}:{real.relative_to(root).as_posix()}{lines}"


def parts_of(typed: str, root: Path | None, here: Path = HERE) -> tuple[Path | None, str]:
    """Return the file, None if none exists below the root, and the line numbers behind its name."""
    for reading in place_readings(typed):
        candidate = here / reading.path
        if not reading.path or not _exists(candidate):
            continue
        if root is None or candidate.resolve().is_relative_to(root):
            return candidate, reading.lines
    return None, ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
