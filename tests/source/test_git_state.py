"""The state of a work tree as manifests and answers report it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.parse.source.git_state import git_state

Git = Callable[..., str]


@pytest.fixture
def root(tmp_path: Path, git: Git) -> Path:
    """A clean work tree with one commit."""
    made = tmp_path / "root"
    git(made, "init")
    (made / "a.py").write_text("x\n")
    (made / ".gitignore").write_text("*.log\n")
    git(made, "add", ".")
    git(made, "commit", "-m", "x")
    return made


def dirty(root: Path) -> bool | None:
    state = git_state(root)
    assert state is not None
    return state.dirty


def test_a_clean_tree_has_the_state_of_its_commit_and_changes_make_it_dirty(
    root: Path, git: Git
) -> None:
    """Only content that differs from the commit makes a tree dirty."""
    state = git_state(root, untracked_included=False)

    assert state is not None
    assert state.head_sha == git(root, "rev-parse", "HEAD").strip()
    assert state.dirty is False
    assert state.untracked_included is False

    (root / "x.log").write_text("x")
    (root / "a.py").write_text("x\n")

    assert dirty(root) is False

    (root / "new ü\n.py").write_text("")
    untracked = dirty(root)
    (root / "new ü\n.py").unlink()
    (root / "a.py").write_text("y\n")
    changed = dirty(root)
    git(root, "add", ".")
    staged = dirty(root)

    assert (untracked, changed, staged) == (True, True, True)


def test_without_a_commit_or_git_there_is_no_head(tmp_path: Path, git: Git) -> None:
    """A fresh repository is searchable too; a broken one has no state."""
    git(tmp_path / "r", "init")

    state = git_state(tmp_path / "r")

    assert state is not None
    assert (state.head_sha, state.dirty) == (None, False)

    (tmp_path / "broken/.git").mkdir(parents=True)
    (tmp_path / "broken/.git/HEAD").write_text("nonsense")

    assert git_state(tmp_path) is None
    assert git_state(tmp_path / "broken") is None
