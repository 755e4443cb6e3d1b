"""Finds the root directory that contains a path."""

import os
import stat
from functools import cache, partial
from itertools import chain
from pathlib import Path
from shlex import quote

from ggrep.base.errors import InvalidRequest
from ggrep.config.builtin import DIRECTORIES
from ggrep.config.git import GitFailed, is_bare_repository, is_git_marker, run_git
from ggrep.config.settings import process_home
from ggrep.config.settings_files import REPO_FILE
from ggrep.model.sanitise import is_text


def canonical_root(path: Path, *, enclosing: bool = True) -> Path:
    """Return the root of `path`, absolute and free of symbolic links.

    The root is the top level of the git work tree that contains `path`, else the nearest directory
    above it with a `.ggrep.toml`, else the directory itself. A directory that its work tree ignores
    is a separate root: an installed package below `.venv` is not part of the project.

    Args:
        path: a directory, or a file, which is replaced by its directory.
        enclosing: False to return the directory itself instead of a directory above it.

    Raises:
        InvalidRequest: `path` does not exist; the root would be `/` or the home directory, which
            contain too many files; the root's path is not UTF-8; or `path` is in a bare repository.
    """
    return RootFinder()(path, enclosing=enclosing)


class RootFinder:
    """Finds the roots of many paths, like `canonical_root`, but reads each directory once."""

    def __init__(self) -> None:
        self._refused = {Path("/"), Path(os.path.realpath(process_home() or "/"))}
        self._real_path = RealPaths()
        self._known: dict[Path, tuple[Path | None, bool]] = {}

    def __call__(self, path: Path, *, enclosing: bool = True) -> Path:
        """Return the root of `path`; for arguments and errors, see `canonical_root`."""
        directory = self._directory_of(path)
        if not is_text(os.fspath(directory)):
            shown = os.fsencode(directory).decode(errors="backslashreplace")
            raise InvalidRequest(f"{shown} cannot be a root: its path is not UTF-8")
        if directory in self._refused:
            raise InvalidRequest(f"{directory} cannot be a root; use a directory below it")
        if not enclosing:
            return directory
        root, is_top = self._nearest(directory)
        is_separate = is_top and root not in {None, directory} and _is_left_out(root, directory)
        return directory if root is None or is_separate else root

    def _directory_of(self, path: Path) -> Path:
        try:
            real = Path(self._real_path(path))
        except FileNotFoundError as error:
            raise InvalidRequest(f"{path}: no such file or directory") from error
        except (OSError, RuntimeError) as error:
            raise InvalidRequest(f"{path}: cannot be resolved") from error
        return real if real.is_dir() else real.parent

    def _nearest(self, directory: Path) -> tuple[Path | None, bool]:
        """Return the top level of the work tree that contains a directory, and True.

        Without a work tree, return the nearest directory with settings, or None, and False.
        """
        passed: list[Path] = []
        nearest: tuple[Path | None, bool] = (None, False)
        for each in chain((directory,), directory.parents):
            if each in self._known:
                nearest = self._known[each]
                break
            passed.append(each)
            if each not in self._refused and _is_top_level(each):
                nearest = each, True
                break
        for each in reversed(passed):
            if not nearest[1] and each not in self._refused and (each / REPO_FILE).is_file():
                nearest = each, False
            self._known[each] = nearest
        return nearest


class RealPaths:
    """Resolves the links of many paths, like `os.path.realpath(path, strict=True)`.

    A directory that contains several of the paths is resolved once.
    """

    def __init__(self) -> None:
        self._directory = cache(partial(os.path.realpath, strict=True))

    def __call__(self, path: Path) -> str:
        """Return the path with its symbolic links resolved.

        Raises:
            OSError: the path does not exist, or its links cannot be followed.
        """
        directory, name = os.path.split(path)
        if not directory.startswith("/") or name in {"", "..", "."}:
            return os.path.realpath(path, strict=True)
        real = os.path.join(self._directory(directory), name)  # noqa: PTH118 - faster, of many
        is_link = stat.S_ISLNK(os.lstat(real).st_mode)
        return os.path.realpath(real, strict=True) if is_link else real


def _is_top_level(directory: Path) -> bool:
    """Return whether a directory is the top level of a work tree.

    Raises:
        InvalidRequest: the directory is a bare repository.
    """
    if is_git_marker(directory / ".git"):
        return True
    if is_bare_repository(directory) and ".git" not in directory.parts:
        raise InvalidRequest(
            f"{directory} is a bare repository and has no files to index; to create a "
            "directory with files:"
            f" git -C {quote(str(directory))} worktree add DIR"
        )
    return False


def _is_left_out(top: Path, directory: Path) -> bool:
    """Return whether ggrep's index of `top` excludes all files in `directory`."""
    key = directory.relative_to(top)
    if ".git" in key.parts:
        return False
    try:
        # Tracked files are eligible even if a pattern matches, so the index includes them.
        if run_git(top, "--literal-pathspecs", "ls-files", "-z", "--", os.fspath(key))[1]:
            return False
        return not DIRECTORIES.isdisjoint(key.parts) or _is_ignored(top, key)
    except GitFailed:
        return not DIRECTORIES.isdisjoint(key.parts)


def _is_ignored(top: Path, key: Path) -> bool:
    _, answer = run_git(
        top,
        *("check-ignore", "-z", "--stdin", "--verbose"),
        stdin=os.fsencode(key) + b"\0",
        accept=(0, 1),
    )
    # Source file, line, pattern, path; empty if no pattern matches.
    source, _, pattern, *_ = answer.split(b"\0") if answer else (b"", b"", b"!")
    # `.git/info/exclude` belongs to one clone and does not affect an index.
    return not pattern.startswith(b"!") and source.endswith(b".gitignore")
