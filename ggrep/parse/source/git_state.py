"""Reads the commit of a work tree, and whether the tree differs from the commit."""

from pathlib import Path

from ggrep.config.git import GitFailed, is_git_marker, run_git, run_git_without_filters
from ggrep.model.response import GitState
from ggrep.parse.source.ignore_rules import GIT_FILE


def git_state(root: Path, *, untracked_included: bool = True) -> GitState | None:
    """Return the state of the git work tree at `root`; None without a work tree, or if git fails.

    A tree with untracked files that no `.gitignore` excludes is dirty. For submodules, only the
    checked-out commit counts; git is not run inside them.
    """
    if not is_git_marker(root / ".git"):
        return None
    try:
        return GitState(head_sha(root), _is_dirty(root), untracked_included)
    except GitFailed:
        return None


def head_sha(root: Path) -> str | None:
    """Return the commit of HEAD; None before the first commit.

    Raises:
        GitFailed: git is absent or cannot read the repository.
    """
    status, output = run_git(root, "rev-parse", "--verify", "--quiet", "HEAD", accept=(0, 1))
    return output.decode("ascii").strip() if status == 0 else None


def _is_dirty(root: Path) -> bool:
    changed = run_git_without_filters(
        root,
        *("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"),
        "--ignore-submodules=dirty",
    )
    if changed:
        return True
    _, untracked = run_git(
        root, "ls-files", "-z", "--others", f"--exclude-per-directory={GIT_FILE}"
    )
    return untracked != b""
