"""git's own files tell when it moves those of the work tree."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from ggrep.base.processes import is_held_open
from ggrep.parse.source.git_work import ABANDONED_MS, MOST_MS, STEP_MS, GitLook, GitWatch, look
from tests.fakes.clocks import ManualClock
from tests.fakes.git import Git
from tests.fakes.repos import write_tree

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def settle(git_directory: Path, age_ms: float = 0.0) -> None:
    """Have all of git's files written so long before NOW."""
    moment_ns = int((NOW.timestamp() * 1000 - age_ms) * 1_000_000)
    for path in (*git_directory.iterdir(), git_directory):
        os.utime(path, ns=(moment_ns, moment_ns))


def watch(root: Path, clock: ManualClock, *, held: bool = False) -> GitWatch:
    return GitWatch(root, clock, lambda _: held)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def committed(root: Path, git: Git) -> Path:
    """Return a work tree with one commit."""
    git(root, "init", "-q")
    write_tree(root, {"a.py": "one\n"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def plain(root: Path, git: Git) -> tuple[Path, Path]:
    return root, root / ".git"


def linked(root: Path, git: Git) -> tuple[Path, Path]:
    git(root, "worktree", "add", "-q", "../linked")
    return root.parent / "linked", root / ".git" / "worktrees" / "linked"


def separate(root: Path, git: Git) -> tuple[Path, Path]:
    git(root, "init", "-q", "--separate-git-dir", "../elsewhere")
    return root, root.parent / "elsewhere"


@pytest.mark.parametrize("layout", [plain, linked, separate])
@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock"])
def test_a_lock_is_seen_wherever_git_keeps_its_files(
    committed: Path,
    git: Git,
    clock: ManualClock,
    layout: Callable[..., tuple[Path, Path]],
    lock: str,
) -> None:
    """Of a linked work tree, and of a submodule, `.git` is a file that says where."""
    top, own = layout(committed, git)
    watched = watch(top, clock)
    assert not watched.is_at_work()

    (own / lock).touch()
    settle(own)

    assert watched.is_at_work()
    (own / lock).unlink()
    assert not watched.is_at_work()


def test_a_lock_that_a_killed_git_left_is_heeded_for_a_while(
    committed: Path, clock: ManualClock
) -> None:
    """Nobody removes it, and what is edited beside it must be found."""
    (committed / ".git" / "index.lock").touch()
    settle(committed / ".git", ABANDONED_MS - 1)

    assert watch(committed, clock).is_at_work()
    clock.advance(1)
    assert not watch(committed, clock).is_at_work()


def test_a_lock_of_a_file_system_with_another_clock_is_heeded_as_long_as_it_is_watched(
    committed: Path, clock: ManualClock
) -> None:
    """By its own time it is of tomorrow."""
    (committed / ".git" / "index.lock").touch()
    settle(committed / ".git", -86_400_000)
    watched = watch(committed, clock)

    assert watched.is_at_work()
    clock.advance(ABANDONED_MS)
    assert not watched.is_at_work()


def test_a_git_that_lives_is_waited_for_longer_but_not_for_ever(
    committed: Path, clock: ManualClock
) -> None:
    """A checkout of large files takes minutes, and holds its lock open meanwhile."""
    (committed / ".git" / "index.lock").touch()
    settle(committed / ".git")
    watched = watch(committed, clock, held=True)

    assert watched.is_at_work()
    clock.advance(MOST_MS - 1)
    assert watched.is_at_work()
    clock.advance(1)
    assert not watched.is_at_work()
    assert not watched.is_at_work()


@pytest.mark.parametrize("name", ["rebase-merge", "rebase-apply", "sequencer"])
def test_steps_rest_when_nothing_gets_on(committed: Path, clock: ManualClock, name: str) -> None:
    """A rebase that waits for somebody to solve a conflict may do so for days."""
    (committed / ".git" / name).mkdir()
    settle(committed / ".git", STEP_MS - 1)

    assert watch(committed, clock).is_at_work()
    clock.advance(1)
    assert not watch(committed, clock).is_at_work()


def test_a_merge_that_waits_for_somebody_is_no_work_of_gits(
    committed: Path, git: Git, clock: ManualClock
) -> None:
    """It may stay open for hours, and what is edited meanwhile is to be found."""
    git(committed, "switch", "-q", "-c", "other")
    for branch in ("other", "main"):
        git(committed, "switch", "-q", branch)
        write_tree(committed, {"a.py": f"{branch}\n"})
        git(committed, "commit", "-q", "-a", "-m", branch)
    with pytest.raises(CalledProcessError):
        git(committed, "merge", "other")

    assert (committed / ".git" / "MERGE_HEAD").exists()
    assert not watch(committed, clock).is_at_work()


def test_a_commit_shows_in_gits_files_and_in_the_index_a_checkout(
    committed: Path, git: Git
) -> None:
    """The one moves HEAD alone where nothing is staged; the other cannot do without the index."""
    before = look(committed)
    git(
        committed,
        "update-ref",
        "refs/heads/main",
        git(committed, "commit-tree", "-m", "x", "HEAD^{tree}").strip(),
    )
    moved = look(committed)
    write_tree(committed, {"a.py": "two\n"})
    git(committed, "checkout", "-q", "a.py")

    assert not moved.agrees(before)
    assert moved.index == before.index
    assert look(committed).index != before.index


def test_without_git_there_is_nothing_to_wait_for(root: Path, clock: ManualClock) -> None:
    """Nor where its files lie in a way that is not known."""
    assert look(root) == GitLook()
    assert not watch(root, clock).is_at_work()
    (root / ".git").mkdir()
    (root / ".git" / "index.lock").touch()
    assert not watch(root, clock).is_at_work()


def test_a_file_is_held_open_until_it_is_closed(tmp_path: Path) -> None:
    """Git keeps its lock open as long as it moves files; a killed one keeps nothing."""
    path = tmp_path / "index.lock"
    with path.open("w"):
        assert is_held_open(path)
    assert not is_held_open(path)
    path.unlink()
    assert not is_held_open(path)
