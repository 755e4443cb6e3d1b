"""Which files tell that git's state changed."""

import os
from pathlib import Path

import pytest

from ggrep.parse.source.git_files import index_file, state_files
from tests.fakes.git import Git


def below(root: Path, found: tuple[Path, ...] | None) -> set[str]:
    return {path.resolve().relative_to(root).as_posix() for path in found or ()}


def test_an_ordinary_repository_keeps_its_state_in_few_files(root: Path, git: Git) -> None:
    """The branch that HEAD names is among them, in either form."""
    git(root, "init", "--quiet")

    found = below(root, state_files(root))
    assert {".git/HEAD", ".git/index", ".git/config", ".git/packed-refs"} <= found
    assert ".git/refs/heads/main" in found
    assert index_file(root) == root / ".git" / "index"


def test_a_linked_work_tree_shares_branches_and_configuration(root: Path, git: Git) -> None:
    """Its index and HEAD are its own, and `.git` is a file that says where."""
    git(root, "init", "--quiet")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "--quiet", "../linked")
    linked = root.parent / "linked"

    found = below(root.parent, state_files(linked))
    assert {"linked/.git", "repo/.git/worktrees/linked/HEAD", "repo/.git/config"} <= found
    assert "repo/.git/refs/heads/linked" in found


def test_a_detached_head_names_no_branch(root: Path, git: Git) -> None:
    """Then HEAD itself changes with each commit."""
    git(root, "init", "--quiet")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(root, "checkout", "--quiet", "--detach")

    assert not any("refs/heads" in path for path in below(root, state_files(root)))


def test_what_is_laid_out_otherwise_is_not_known(root: Path, git: Git) -> None:
    """No files is an answer; a wrong list would be trusted."""
    assert state_files(root) is None
    git(root, "init", "--quiet")
    (root / ".git" / "HEAD").write_text("ref: ../../outside\n")
    assert state_files(root) is None
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git" / "refs" / "heads" / "main").write_text("ref: refs/heads/other\n")
    assert state_files(root) is None


@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/commondir"])
def test_a_fifo_in_place_of_one_makes_nobody_wait(root: Path, git: Git, name: str) -> None:
    """Nobody will ever write to it, and every sync looks here first."""
    if name != ".git":
        git(root, "init", "--quiet")
        (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)

    assert state_files(root) is None


@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/commondir"])
@pytest.mark.parametrize("noise", [b"a\0b", b"\xff\xfe"], ids=["nul", "not UTF-8"])
def test_noise_in_one_raises_nothing(root: Path, git: Git, name: str, noise: bytes) -> None:
    """A stranger's clone must not end a sync as a bug."""
    if name != ".git":
        git(root, "init", "--quiet")
    prefix = {".git": b"gitdir: ", ".git/HEAD": b"ref: refs/heads/"}.get(name, b"")
    (root / name).write_bytes(prefix + noise)

    assert all(not path.exists() or path.is_file() for path in state_files(root) or ())
