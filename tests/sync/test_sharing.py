"""What others take for the repository's is what a commit holds, or they are told."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import SyncRefused
from ggrep.index.sync import sharing
from tests.fakes.git import Git
from tests.fakes.repos import open_engine, paths, write_tree

SHARED = {"shared_store": True}
CLEAN = SHARED | {"shared_store_clean": True}


@pytest.fixture
def tracked(root: Path, git: Git) -> Path:
    """Return a work tree with one commit and nothing else."""
    git(root, "init", "-q")
    write_tree(root, {"a.py": "def alpha():\n    return 1\n"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Do something between the first look at git's state and the publish."""
    look = sharing.require_clean

    def and_then(*arguments: Any) -> None:
        look(*arguments)
        monkeypatch.setattr(sharing, "require_clean", look)
        act()

    monkeypatch.setattr(sharing, "require_clean", and_then)


def test_changes_meanwhile_count(
    tracked: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: write_tree(tracked, {"a.py": "def beta():\n    return 2\n"}))

    report = open_engine(tracked, home, **SHARED).sync()
    git = open_engine(tracked, home, **SHARED).view().manifest.git

    assert [notice.code for notice in report.warnings] == ["shared_dirty"]
    assert git is not None
    assert (git.dirty, git.untracked_included) == (True, False)


def test_a_clean_store_takes_no_tree_that_changes_meanwhile(
    tracked: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: write_tree(tracked, {"a.py": "def beta():\n    return 2\n"}))

    with pytest.raises(SyncRefused, match="differs"):
        open_engine(tracked, home, **CLEAN).sync()
    monkeypatch.undo()
    with pytest.raises(Exception, match="no index"):
        open_engine(tracked, home, **CLEAN).view()


def test_a_clean_store_takes_the_commit_that_is_made_meanwhile_whole(
    tracked: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of two commits are those of none, so the sync begins again."""

    def change() -> None:
        write_tree(tracked, {"a.py": "def beta():\n    return 2\n"})
        git(tracked, "commit", "-q", "-a", "-m", "two")

    meanwhile(monkeypatch, change)
    engine = open_engine(tracked, home, **CLEAN)
    engine.sync()
    result = engine.view().manifest.git

    assert result is not None
    assert (result.head_sha, result.dirty) == (git(tracked, "rev-parse", "HEAD").strip(), False)
    assert paths(engine, "beta") == ["a.py"]


@pytest.mark.parametrize(
    ("repository", "reason"), [(False, "git cannot determine"), (True, "has no commit yet")]
)
def test_without_git_or_a_commit_nothing_is_clean(
    root: Path, home: Path, git: Git, *, repository: bool, reason: str
) -> None:
    """A rule that cannot be checked is not met."""
    write_tree(root, {"a.py": "x = 1\n"})
    if repository:
        git(root, "init", "-q")

    with pytest.raises(SyncRefused, match=reason):
        open_engine(root, home, **CLEAN).sync()
