"""Determines the commit of a work tree, and whether the tree differs from the commit."""

from pathlib import Path

from ggrep.config.git import GitFailed, is_git_marker, run_git, run_git_without_filters
from ggrep.model.response import GitState
from ggrep.parse.source.ignore_rules import GIT_FILE

_COMMIT = b"# branch.oid "


def git_state(root: Path, *, untracked_included: bool = True) -> GitState | None:
    """Return the state of the git work tree at `root`; None without a work tree, or if git fails.

    A tree with untracked files that no `.gitignore` excludes is dirty. For submodules, only the
    checked-out commit counts; git is not run inside them.
    """
    if not is_git_marker(root / ".git"):
        return None
    try:
        head, is_changed = _status(root)
        return GitState(head, is_changed or _has_untracked(root), untracked_included)
    except GitFailed:
        return None


def _status(root: Path) -> tuple[str | None, bool]:
    """Return the commit of HEAD, None before the first commit, and whether tracked files differ."""
    output = run_git_without_filters(
        root,
        *("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z"),
        *("--untracked-files=no", "--no-renames", "--ignore-submodules=dirty"),
    )
    lines = output.split(b"\0")[:-1]
    commit = next(line[len(_COMMIT) :] for line in lines if line.startswith(_COMMIT))
    changed = any(not line.startswith(b"# ") for line in lines)
    return None if commit == b"(initial)" else commit.decode("ascii"), changed


def _has_untracked(root: Path) -> bool:
    arguments = ("ls-files", "-z", "--others", f"--exclude-per-directory={GIT_FILE}")
    return run_git(root, *arguments)[1] != b""
