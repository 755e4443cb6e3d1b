"""Roots of repositories: warnings about roots that share files, and a cache of roots."""

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

from ggrep.config.settings_files import REPO_FILE
from ggrep.federation.containment import canonical_path
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.workspace import Workspace, WorkspaceRepo

_POINTER_BYTES = 8192
"""Maximum size of git's pointer file: a prefix and a path."""


def workspace_warnings(workspace: Workspace) -> tuple[Diagnostic, ...]:
    """Return probable mistakes in a workspace file, and causes of duplicate hits.

    Mistakes are a merge strategy that ggrep no longer supports and globs without a match. Causes of
    duplicates are nested roots and several work trees of a repository.
    """
    repos = tuple(repo for repo in workspace.repos if repo.missing is None)
    idle = [
        Diagnostic(
            "WARN_WORKSPACE_INCLUDE_EMPTY",
            f"include {glob!r} matches no repository",
        )
        for glob in workspace.unmatched
    ]
    return sorted_diagnostics(
        [*workspace.strategy_warnings, *idle, *_nested(repos), *_shared(repos)]
    )


def git_dir_of(root: Path) -> Path | None:
    """Return the git directory of the work tree at `root`; None if there is none."""
    marker = root / ".git"
    if marker.is_dir():
        return marker
    pointed = _pointer(marker)
    return root / pointed.removeprefix("gitdir: ") if pointed.startswith("gitdir: ") else None


def common_git_dir(root: Path) -> Path | None:
    """Return the git directory that all work trees of the repository at `root` share.

    None if there is no readable git directory.
    """
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        return canonical_path(git_dir / _pointer(git_dir / "commondir"))
    except (OSError, ValueError):
        return None


def _nested(repos: tuple[WorkspaceRepo, ...]) -> list[Diagnostic]:
    by_root = {repo.root_canonical: repo for repo in repos}
    warnings = []
    for repo in repos:
        outer = next((by_root[p] for p in repo.root_canonical.parents if p in by_root), None)
        if outer is not None:
            message = f"{_named(repo)} lies inside {_named(outer)}: files in both are shown twice"
            warnings.append(Diagnostic("WARN_WORKSPACE_NESTED_ROOTS", message, repo.repo_id))
    return warnings


def _shared(repos: tuple[WorkspaceRepo, ...]) -> list[Diagnostic]:
    first_of: dict[Path, WorkspaceRepo] = {}
    warnings = []
    for repo in repos:
        common = common_git_dir(repo.root_canonical)
        first = repo if common is None else first_of.setdefault(common, repo)
        if first is not repo:
            message = (
                f"{_named(repo)} and {_named(first)} are work trees of the same git repository"
            )
            warnings.append(Diagnostic("WARN_WORKSPACE_SHARED_HISTORY", message, repo.repo_id))
    return warnings


def _named(repo: WorkspaceRepo) -> str:
    return f"repos[{repo.index}] ({repo.alias or repo.repo_id})"


def _pointer(path: Path) -> str:
    """Return the line in a pointer file of git; empty if there is no such file."""
    try:
        # The file is not trusted: opening a FIFO must not block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.fsdecode(os.read(descriptor, _POINTER_BYTES)).rstrip("\n")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


MAX_REMEMBERED: Final = 4096
"""Maximum number of cached directories; the least recently used is dropped first."""

_Mark: TypeAlias = tuple[int, ...] | None
_Signature: TypeAlias = tuple[_Mark, ...]


class RootCache:
    """Caches the root of each directory until a file that determines it changes."""

    def __init__(self, resolve: Callable[[Path], Path], *, most: int = MAX_REMEMBERED) -> None:
        self._resolve = resolve
        self._most = most
        self._known: OrderedDict[Path, tuple[_Signature, Path]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, directory: Path) -> Path:
        """Return the root that `directory` belongs to."""
        try:
            real = Path(os.path.realpath(directory, strict=True))
        except (OSError, ValueError):
            return self._resolve(directory)
        # Read before resolving, so that the next call notices a change during resolving.
        signature = tuple(_signature(real))
        with self._lock:
            known = self._known.get(real)
            if known is not None and known[0] == signature:
                self._known.move_to_end(real)
                return known[1]
        root = self._resolve(real)
        with self._lock:
            self._known[real] = (signature, root)
            self._known.move_to_end(real)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return root


def _signature(real: Path) -> Iterator[_Mark]:
    """Yield the stamps of all files that determine the root, in `real` and its parents."""
    for directory in (real, *real.parents):
        yield _kind(directory / REPO_FILE)
        yield _state(directory / ".gitignore")
        git_dir = git_dir_of(directory)
        if git_dir is not None:
            yield _kind(git_dir / "HEAD")
            # A directory with tracked files belongs to the repository even if it is ignored.
            yield _state(git_dir / "index")


def _kind(path: Path) -> _Mark:
    try:
        stats = path.stat()
    except (OSError, ValueError):
        return None
    return (stat.S_IFMT(stats.st_mode),)


def _state(path: Path) -> _Mark:
    try:
        stats = path.stat()
    except (OSError, ValueError):
        return None
    return (stats.st_dev, stats.st_ino, stats.st_size, stats.st_mtime_ns, stats.st_ctime_ns)
