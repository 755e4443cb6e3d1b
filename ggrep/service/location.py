"""Resolves a path to a root and a scope, and opens the engine of a root."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from ggrep.base.errors import Forked, GgrepError, InvalidRequest
from ggrep.base.processes import without_collecting
from ggrep.base.scripts import nfc
from ggrep.config.git import is_git_marker
from ggrep.config.root import canonical_root
from ggrep.config.settings import home_from, load_settings
from ggrep.config.settings_files import REPO_FILE
from ggrep.index.repo_identity import identify
from ggrep.model.filters import keys_of_scope, scope_of_keys

if TYPE_CHECKING:
    from ggrep.base.clock import Deadline
    from ggrep.search.engine.engine import Engine
    from ggrep.search.engine.repo_index import RepoIndex


class Location(Struct, frozen=True):
    """A root, and a scope inside it.

    Attributes:
        scope: path keys of directories and files below the root; empty for the whole root.
    """

    root: Path
    scope: str


def location_of(path: Path | None, *, directory: bool = False) -> Location:
    """Return the root around `path` (default: the current directory) and the scope inside it."""
    given = on_disk(path or Path())
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise InvalidRequest("the current directory no longer exists") from error
    if not given.exists():
        raise InvalidRequest(f"{given}: no such file or directory")
    if directory and not given.is_dir():
        raise InvalidRequest(f"{given}: not a directory")
    real, root = given.resolve(), canonical_root(given)
    scope = "" if real == root else real.relative_to(root).as_posix()
    return Location(root, scope)


def on_disk(path: Path) -> Path:
    """Return a path with names in the Unicode form on disk; unchanged if it does not exist."""
    if str(path).isascii() or path.exists():
        return path
    normal = Path(path.anchor)
    for name in path.parts[bool(path.anchor) :]:
        beside = () if (normal / name).exists() or not normal.is_dir() else normal.iterdir()
        equal = (each.name for each in beside if nfc(each.name) == nfc(name))
        normal /= min(equal, default=name)
    return normal if normal.exists() else path


def together(places: Sequence[Location]) -> Location | None:
    """Return several locations as one location; None if they belong to different repositories.

    If no directory is marked as a project, the root is the deepest common directory.
    """
    roots = {place.root for place in places}
    top = Path(os.path.commonpath(roots))
    if len(roots) > 1 and any(map(is_marked, (*roots, canonical_root(top)))):
        return None
    return Location(
        top,
        scope_of_keys(_key(place.root.relative_to(top) / place.scope) for place in places),
    )


def is_marked(root: Path) -> bool:
    """Return whether a root is a git work tree or has a settings file."""
    return is_git_marker(root / ".git") or (root / REPO_FILE).is_file()


def _key(path: Path) -> str:
    return "" if path == Path() else path.as_posix()


def enclosing_index(
    place: Location, environ: Mapping[str, str], flags: Mapping[str, object]
) -> Location:
    """Return the same location relative to the nearest enclosing directory with an index.

    Outside of git nothing marks the root of a project, so a directory inside an indexed directory
    would become a separate root. In a git work tree, or if no enclosing directory has an index, the
    location is returned unchanged.
    """
    home = home_from(environ)
    for root in (place.root, *place.root.parents):
        if os.path.lexists(root / ".git"):
            break
        try:
            settings = load_settings(home, root, environ=environ, flags=flags).settings
            is_indexed = identify(root, home, settings).store.is_dir()
        except GgrepError:
            # An invalid settings file in an enclosing directory does not affect this search.
            continue
        if is_indexed:
            below = place.root.relative_to(root)
            keys = keys_of_scope(place.scope) or ("",)
            return Location(root, scope_of_keys(_key(below / key) for key in keys))
    return place


def open_index(
    root: Path, environ: Mapping[str, str], *, flags: Mapping[str, object] = MappingProxyType({})
) -> "RepoIndex":
    """Return the index of a canonical root for maintenance; the index cannot answer queries."""
    with _database():
        from ggrep.search.engine.repo_index import RepoIndex
    return RepoIndex(root, home_from(environ), environ=environ, flags=flags)


def open_engine(
    root: Path,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, object] = MappingProxyType({}),
    until: "Deadline | None" = None,
) -> "Engine":
    """Return the engine of a canonical root; for `environ` and `flags` see `open_index`.

    `until` is the deadline of requests without a deadline.
    """
    with _database():
        from ggrep.search.engine.engine import Engine
    return Engine(root, home_from(environ), environ=environ, flags=flags, until=until)


@contextmanager
def _database() -> Iterator[None]:
    """Prepare the process for a `with` block that imports the database library."""
    require_working_database()
    with without_collecting():
        from ggrep.index.store.lean_import import leave_out_remote_client

        yield
    leave_out_remote_client()


_BEFORE_FORK: list[bool] = []
"""An entry for each fork that led to this process: whether the parent had loaded LanceDB."""


def _note_fork() -> None:
    _BEFORE_FORK.append("lancedb" in sys.modules)


os.register_at_fork(after_in_child=_note_fork)


def require_working_database() -> None:
    """Raise if this process cannot read an index because of an earlier fork."""
    if any(_BEFORE_FORK):
        raise Forked(
            "this process was forked from a process that had opened an index, so it "
            "cannot read an index itself;"
            " use a daemon, or start processes with spawn"
        )
