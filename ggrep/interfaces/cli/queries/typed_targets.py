"""Resolves typed words to repositories and files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.commands import spelled
from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.interfaces.cli.boundary import SeveralWords
from ggrep.interfaces.cli.queries.search_options import TypedSearch
from ggrep.model.sanitise import is_text, sanitise_line
from ggrep.model.written_names import place_readings
from ggrep.service.calls import scope_of
from ggrep.service.location import Location, location_of, on_disk, together

HERE: Final = Path()


class TypedTarget(Struct, frozen=True):
    """A typed target, resolved to a repository and a file.

    Attributes:
        place: the root, and the file in it if an existing file was typed.
        lines: typed `:line` or `:line-line` after the file; empty for the whole file.
        typed: a row id, or the path key of a missing file; empty for folders and scopes.
    """

    place: Location
    lines: str = ""
    typed: str = ""

    def key(self, scope: str) -> str:
        """Return the target with a path from the root; `scope` is the path key of `place`."""
        return scope + self.lines if self.place.scope or not self.typed else self.typed


class Finder:
    """Resolves typed paths relative to the current directory."""

    def place(self, repo: Path | None, path: str | None) -> Location:
        """Return the location that `--repo` or PATH names, else the current directory."""
        if repo is None:
            return location_of(None if path is None else Path(path))
        if path is not None:
            raise UsageError("--repo and a PATH cannot go together")
        return Location(location_of(repo).root, "")

    def place_asked(self, command: str, typed: TypedSearch) -> Location:
        """Return the location to search: `--repo` or all PATHs, else the current directory."""
        repo, paths = typed.asking.repo, typed.paths
        if repo is None:
            self.require_paths(command, typed.query, paths)
        places = [self.place(repo, path) for path in paths or (None,)]
        for path, place in zip(paths, places, strict=False):
            if not is_text(place.scope):
                raise UsageError(
                    f"the path {sanitise_line(path)} is not UTF-8, so the file is not indexed"
                )
        joined = together(places)
        if joined is not None:
            return joined
        other = next(at for at, place in enumerate(places) if place.root != places[0].root)
        made = spelled("workspace", "init", "FILE", *(str(places[at].root) for at in (0, other)))
        message = f"{paths[0]} and {paths[other]} belong to different repositories"
        raise UsageError(f"{message}; to search both: {made}, then use --workspace FILE")

    def require_paths(self, command: str, query: str, paths: Sequence[str]) -> None:
        """Raise if a PATH does not exist; the message suggests what the user may have meant."""
        if "" in paths:
            raise UsageError("PATH is empty; use . for the current directory")
        missing = next((path for path in paths if not on_disk(Path(path)).exists()), None)
        if missing is None:
            return
        text = f"{missing}: no such file or directory"
        if missing.startswith("-"):
            meant = f"did you mean, without --: {spelled(command, query, *paths)}"
        elif set(missing) & set("*?["):
            meant = f"to narrow by a pattern: {spelled(command, query, '-g', missing)}"
        elif (file := missing.partition(":")[0]) and Path(file).exists():
            meant = f"without the line: {spelled(command, query, file)}"
        elif len(paths) == 1 and Path(query).exists():
            meant = f"did you mean: {spelled(command, missing, query)}"
        else:
            raise SeveralWords(text, (query, *(path for path in paths if not Path(path).exists())))
        raise UsageError(f"{text}; {meant}")

    def target(self, typed: str, repo: Path | None) -> TypedTarget:
        """Return the target of a row id, a path (also with lines), or a compiler's location.

        Paths are relative to the current directory, else to the root.
        """
        root = None if repo is None else location_of(repo).root
        path, lines = parts_of(typed, root)
        if path is None:
            return TypedTarget(Location(root or location_of(None).root, ""), "", typed)
        if path.is_dir():
            raise InvalidRequest(f"{typed} is a directory; use a file, path:line or a row id")
        if root is None:
            return TypedTarget(location_of(path), lines, typed)
        return TypedTarget(
            Location(root, path.resolve().relative_to(root).as_posix()), lines, typed
        )

    def folder_or_target(self, typed: str, repo: Path | None) -> TypedTarget:
        """Return the target of a folder; for any other word, return the result of `target`."""
        path = Path(typed)
        if not path.is_dir():
            return self.target(typed, repo)
        if repo is None:
            return TypedTarget(location_of(path))
        root = location_of(repo).root
        return TypedTarget(Location(root, scope_of(path.absolute(), root)))


def placed_in(typed: str, roots: Mapping[Path, str], here: Path = HERE) -> str:
    """Return an existing file as `label:path` below its innermost root; other text unchanged."""
    path, lines = parts_of(typed, None, here)
    if path is None or path.is_dir():
        return typed
    real = path.resolve()
    around = [root for root in roots if real.is_relative_to(root)]
    root = max(around, key=lambda root: len(root.parts), default=None)
    return typed if root is None else f"{roots[root]}:{real.relative_to(root).as_posix()}{lines}"


def parts_of(typed: str, root: Path | None, here: Path = HERE) -> tuple[Path | None, str]:
    """Return the file (None if it is not below the root), and the typed line numbers."""
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
    except (OSError, ValueError):  # no file can have this name
        return False
