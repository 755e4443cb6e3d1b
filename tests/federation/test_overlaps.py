"""Roots that hold the same files, told without running git."""

import os
import subprocess
from pathlib import Path

import pytest

from ggrep.base.ids import RepoId
from ggrep.federation.roots import common_git_dir, workspace_warnings
from tests.fakes.searchers import repo, workspace

NESTED = "WARN_WORKSPACE_NESTED_ROOTS"
SHARED = "WARN_WORKSPACE_SHARED_HISTORY"


def warned(*roots: Path) -> list[tuple[str, RepoId | None]]:
    repos = [repo(root.name, root_canonical=root, index=n) for n, root in enumerate(roots)]
    return [(item.code, item.repo_id) for item in workspace_warnings(workspace(*repos))]


def work_tree(root: Path, git_dir: Path, pointer: str = "../..") -> Path:
    """Make a linked work tree as git does: a file here, a directory with a pointer there."""
    root.mkdir()
    git_dir.mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {git_dir}\n")
    (git_dir / "commondir").write_text(f"{pointer}\n")
    return root


def test_a_root_inside_another_is_told(tmp_path: Path) -> None:
    """Its files are in both indexes, and each hit comes twice."""
    outer, inner, beside = tmp_path / "a", tmp_path / "a" / "x" / "b", tmp_path / "a2"

    assert warned(inner, outer, beside) == [(NESTED, "b-000000000000")]


def test_of_nested_roots_the_nearest_around_is_named(tmp_path: Path) -> None:
    """That is the one whose ignore rules would leave it out."""
    repos = [
        repo(name, root_canonical=tmp_path / path, index=n)
        for n, (name, path) in enumerate((("a", "a"), ("b", "a/b"), ("c", "a/b/c")))
    ]

    messages = [item.message for item in workspace_warnings(workspace(*repos))]

    assert messages == [
        "repos[1] (b) lies inside repos[0] (a): files in both are shown twice",
        "repos[2] (c) lies inside repos[1] (b): files in both are shown twice",
    ]


def test_work_trees_of_one_repository_are_told(tmp_path: Path) -> None:
    """Two branches of one project answer almost every query alike."""
    main = tmp_path / "main"
    (main / ".git").mkdir(parents=True)
    linked = work_tree(tmp_path / "linked", main / ".git" / "worktrees" / "linked")
    third = work_tree(tmp_path / "third", main / ".git" / "worktrees" / "third")
    (tmp_path / "alone" / ".git").mkdir(parents=True)
    (tmp_path / "plain").mkdir()

    result = warned(main, linked, third, tmp_path / "alone", tmp_path / "plain")

    assert result == [(SHARED, "linked-000000000000"), (SHARED, "third-000000000000")]


def test_a_submodule_shares_nothing_with_what_holds_it(tmp_path: Path) -> None:
    """Its git directory lies in the other's, but its history is its own."""
    main = tmp_path / "main"
    (main / ".git" / "modules" / "sub").mkdir(parents=True)
    (main / "sub").mkdir()
    (main / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")

    assert warned(main, main / "sub") == [(NESTED, "sub-000000000000")]
    assert common_git_dir(main / "sub") == main / ".git" / "modules" / "sub"


@pytest.mark.parametrize("content", ["", "gitdir", "gitdir: a\0b\n", "odd\n", "gitdir: \n"])
def test_a_pointer_that_says_nothing_warns_of_nothing(tmp_path: Path, content: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(content)

    assert warned(tmp_path / "a", tmp_path / "b") == []


def test_what_stands_in_the_pointer_s_place_is_not_waited_for(tmp_path: Path) -> None:
    """A FIFO, a circle of links and a device are a stranger's idea of a git directory."""
    roots = [tmp_path / name for name in ("fifo", "loop", "device", "inside")]
    for root in roots:
        root.mkdir()
    os.mkfifo(roots[0] / ".git")
    (roots[1] / ".git").symlink_to(".git")
    (roots[2] / ".git").symlink_to("/dev/zero")
    (roots[3] / ".git").mkdir()
    os.mkfifo(roots[3] / ".git" / "commondir")

    assert warned(*roots) == []


@pytest.mark.slow
def test_git_itself_makes_what_is_recognised(tmp_path: Path) -> None:
    """The files above are written by hand; these are not."""
    quiet = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, env=quiet, check=True)

    git("init", "--quiet", "main")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git("-C", "main", *identity, "commit", "--quiet", "--allow-empty", "-m", "first")
    git("-C", "main", "worktree", "add", "--quiet", "../linked")

    assert warned(tmp_path / "main", tmp_path / "linked") == [(SHARED, "linked-000000000000")]
