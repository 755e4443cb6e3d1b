"""git's own files tell when it moves those of the work tree."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from ggrep.base.processes import is_held_open
from ggrep.parse.source.git_files import index_file, state_files
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
    top, ours = layout(committed, git)
    watched = watch(top, clock)
    assert not watched.is_at_work()

    (ours / lock).touch()
    settle(ours)

    assert watched.is_at_work()
    (ours / lock).unlink()
    assert not watched.is_at_work()


def test_an_abandoned_lock_counts_for_a_while(committed: Path, clock: ManualClock) -> None:
    (committed / ".git" / "index.lock").touch()
    settle(committed / ".git", ABANDONED_MS - 1)

    assert watch(committed, clock).is_at_work()
    clock.advance(1)
    assert not watch(committed, clock).is_at_work()


def test_a_lock_of_another_clock_counts_while_watched(committed: Path, clock: ManualClock) -> None:
    """By its own time it is of tomorrow."""
    (committed / ".git" / "index.lock").touch()
    settle(committed / ".git", -86_400_000)
    watched = watch(committed, clock)

    assert watched.is_at_work()
    clock.advance(ABANDONED_MS)
    assert not watched.is_at_work()


def test_a_living_git_is_waited_for_longer(committed: Path, clock: ManualClock) -> None:
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


def test_a_waiting_merge_is_no_work(committed: Path, git: Git, clock: ManualClock) -> None:
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


def test_commits_show_in_files_and_checkouts_in_the_index(committed: Path, git: Git) -> None:
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


def below(root: Path, found: tuple[Path, ...] | None) -> set[str]:
    return {path.resolve().relative_to(root).as_posix() for path in found or ()}


def test_an_ordinary_repository_keeps_its_state_in_few_files(root: Path, git: Git) -> None:
    """The branch that HEAD names is among them; a detached HEAD changes with each commit."""
    git(root, "init", "--quiet")

    result = below(root, state_files(root))
    assert {".git/HEAD", ".git/index", ".git/config", ".git/packed-refs"} <= result
    assert ".git/refs/heads/main" in result
    assert index_file(root) == root / ".git" / "index"

    git(root, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(root, "checkout", "--quiet", "--detach")

    assert not any("refs/heads" in path for path in below(root, state_files(root)))


def test_a_linked_work_tree_shares_branches_and_configuration(root: Path, git: Git) -> None:
    """Its index and HEAD are its own, and `.git` is a file that says where."""
    git(root, "init", "--quiet")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "--quiet", "../linked")
    linked = root.parent / "linked"

    result = below(root.parent, state_files(linked))
    assert {"linked/.git", "repo/.git/worktrees/linked/HEAD", "repo/.git/config"} <= result
    assert "repo/.git/refs/heads/linked" in result


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
