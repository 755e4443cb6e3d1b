"""Parses a command line in a daemon, into the same options and plan as in the client.

Paths are relative to the client's directory. If a line cannot be parsed with certainty, the client
runs it and reports mistakes. Nothing is run here: a command whose entry has `asks` returns a query.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from ggrep.base.commands import read
from ggrep.base.errors import GgrepError
from ggrep.daemon.plan import PlannedLine, ServedRoot
from ggrep.interfaces.cli.parsing.parameters import handed
from ggrep.interfaces.cli.parsing.tree import COMMANDS
from ggrep.interfaces.cli.queries.query import PlanContext
from ggrep.interfaces.cli.queries.typed_targets import Finder, TypedTarget, parts_of
from ggrep.protocol.wire.messages import Line
from ggrep.service.location import Location

if TYPE_CHECKING:
    from ggrep.interfaces.cli.queries.query import Query

_PREFIX: Final = "GGREP_"


def read_line(line: Line, served: ServedRoot) -> PlannedLine | None:
    """Return the plan of a command line for a repository; None if the client must run the line."""
    if not line.arguments or not line.render.cwd:
        return None
    entry = COMMANDS.get(line.arguments[0])
    if entry is None or not entry.asks:
        return None
    command, finder = entry.load(), _Below(served.root, Path(line.render.cwd))
    # Settings come from the client's variables; all other variables are the daemon's.
    others = {name: text for name, text in served.environ.items() if not name.startswith(_PREFIX)}
    environ = {**others, **dict(line.claim.environ), "GGREP_HOME": str(served.home.base)}
    site = PlanContext(served.root, served.profile, served.home, environ, finder, line.render)
    try:
        values = read(list(line.arguments)).values
        query = cast("Query", command(**handed(command, values)))
        plan = query.plan(site)
    except (GgrepError, OSError, ValueError):
        return None
    return None if plan is None else PlannedLine(plan, tuple(sorted(finder.seen)))


class _Elsewhere(ValueError):
    """A typed path is outside the repository."""


class _Below(Finder):
    """Resolves typed paths in one repository, from a directory; `seen` contains their directories.

    The caller checks that these directories belong to the repository, and not to a nested
    repository.
    """

    def __init__(self, root: Path, here: Path) -> None:
        self.seen: set[str] = set()
        self._root = root
        self._here = here

    def place(self, repo: Path | None, path: str | None) -> Location:
        """Return the location that `--repo` or a PATH names; both together are refused."""
        if repo is not None and path is not None:
            raise _Elsewhere(path)
        key = self._key(self._here / (repo or path or ""))
        return Location(self._root, "" if repo is not None else key)

    def require_paths(self, command: str, query: str, paths: Sequence[str]) -> None:
        """Do nothing, as `place` raises for a missing PATH."""

    def target(self, typed: str, repo: Path | None) -> TypedTarget:
        """Return the target of an expansion; a directory is refused."""
        root = None if repo is None else self._root
        if repo is not None:
            self._key(self._here / repo)
        path, lines = parts_of(typed, root, self._here)
        if path is None:
            if repo is None:
                self._key(self._here)
            return TypedTarget(Location(self._root, ""), typed=typed)
        if path.is_dir():
            raise _Elsewhere(typed)
        return TypedTarget(Location(self._root, self._key(path)), lines, typed)

    def folder_or_target(self, typed: str, repo: Path | None) -> TypedTarget:
        """Return the target of an outline."""
        folder = self._here / typed
        if not folder.is_dir():
            return self.target(typed, repo)
        if repo is not None:
            self._key(self._here / repo)
        return TypedTarget(Location(self._root, self._key(folder)))

    def _key(self, path: Path) -> str:
        """Return the path key of an existing file or directory."""
        real = os.path.realpath(path, strict=True)
        key = os.path.relpath(real, self._root)
        if key == os.pardir or key.startswith(os.pardir + os.sep):
            raise _Elsewhere(real)
        key = "" if key == os.curdir else key
        self.seen.add(key if Path(real).is_dir() else key.rpartition("/")[0])
        return key
