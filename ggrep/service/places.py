"""Resolves a path to a root, the scope within it, and its engine."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.config.settings import home_from, load_settings
from ggrep.index.repo_identity import identify

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Place:
    """A root, and the scope within it.

    Attributes:
        scope: path key of a directory or file below the root; empty for all of it.
    """

    root: Path
    scope: str


def place_of(path: Path | None, *, directory: bool = False) -> Place:
    """Return the root around `path` (default: the current directory) and the scope within it.

    Args:
        path: a file or directory.
        directory: refuse a file: what is done concerns all of the root.

    Raises:
        InvalidRequest: the path does not exist, or is not inside a searchable root.
    """
    given = path or Path()
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise InvalidRequest("the current directory is gone") from error
    if not given.exists():
        raise InvalidRequest(f"{given}: no such file or directory")
    if directory and not given.is_dir():
        raise InvalidRequest(f"{given}: not a directory")
    real, root = given.resolve(), canonical_root(given)
    scope = "" if real == root else real.relative_to(root).as_posix()
    return Place(root, scope)


def enclosing_index(place: Place, environ: Mapping[str, str], flags: Mapping[str, object]) -> Place:
    """Return the same place relative to the nearest directory above that has an index.

    Outside git nothing marks where a project begins, so a directory below an indexed one would
    count as a root of its own. The place itself comes back when nothing above is indexed, and in
    a work tree, whose top is the root.
    """
    home = home_from(environ)
    for root in (place.root, *place.root.parents):
        if os.path.lexists(root / ".git"):
            break
        try:
            settings = load_settings(home, root, environ=environ, flags=flags).settings
            found = identify(root, home, settings).store.is_dir()
        except GgrepError:
            # What a stranger wrote into a file above is no business of this search.
            continue
        if found:
            below = place.root.relative_to(root) / place.scope
            return Place(root, "" if below == Path() else below.as_posix())
    return place


def open_engine(
    root: Path, environ: Mapping[str, str], *, flags: Mapping[str, object] = MappingProxyType({})
) -> "Engine":
    """Return the engine of a canonical root under an environment.

    Raises:
        Forked: no index can be read in this process.
    """
    from ggrep.service.forks import require_working_database

    require_working_database()
    from ggrep.index.store.lean_import import leave_out_remote_client
    from ggrep.search.engine.engine import Engine

    leave_out_remote_client()
    return Engine(root, home_from(environ), environ=environ, flags=flags)
