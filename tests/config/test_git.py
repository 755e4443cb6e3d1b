"""git over a hostile work tree lists and compares, and executes nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.config import git as module
from ggrep.config.git import (
    GitFailed,
    has_git_marker,
    is_git_marker,
    run_git,
    run_git_without_filters,
)

Git = Callable[..., str]

LISTING = ("ls-files", "-z", "--others", "--exclude-per-directory=.gitignore")
STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=dirty")


@pytest.fixture
def hostile(tmp_path: Path, git: Git) -> Path:
    root = tmp_path / "hostile"
    git(root, "init")
    for name in ("a.py", "b.py", "gone.py"):
        (root / name).write_text("x\n")
    git(root, "add", ".")
    git(root, "commit", "-m", "x")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{tmp_path}/trace'\ncat\n")
    trap.chmod(0o755)
    hooks = root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout"):
        (hooks / hook).write_text(trap.read_text())
        (hooks / hook).chmod(0o755)
    (root / ".gitattributes").write_text("* filter=evil diff=evil\nb.py filter=odd.name\n")
    for key, value in {
        "core.fsmonitor": str(trap),
        "core.hooksPath": str(hooks),
        "core.pager": str(trap),
        "core.editor": str(trap),
        "core.sshCommand": str(trap),
        "core.worktree": "/",
        "pager.status": str(trap),
        "diff.external": str(trap),
        "diff.evil.textconv": str(trap),
        "diff.evil.command": str(trap),
        "filter.evil.clean": str(trap),
        "filter.evil.smudge": str(trap),
        "filter.evil.required": "true",
        "filter.odd.name.process": str(trap),
        "filter.odd.name.required": "true",
        "remote.origin.url": f"ext::{trap} %S",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(trap),
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "credential.helper": f"!{trap}",
        "alias.ls-files": f"!{trap}",
        "alias.status": f"!{trap}",
    }.items():
        git(root, "config", "--file", str(root / ".git/config"), key, value)
    for name in ("a.py", "b.py"):
        (root / name).write_text("y\n")
    return root


def test_nothing_that_a_hostile_repository_configures_is_executed(
    hostile: Path, tmp_path: Path
) -> None:
    """Searching a clone of a stranger's repository must be as safe as reading it."""
    run_git(hostile, *LISTING)
    run_git(hostile, "ls-files", "-z", "--cached")
    run_git(hostile, "rev-parse", "--verify", "--quiet", "HEAD")
    ignore = ("check-ignore", "-z", "--stdin", "--verbose")
    run_git(hostile, *ignore, stdin=b"a.py\0", accept=(0, 1))
    changed = run_git_without_filters(hostile, *STATUS)

    assert changed == b" M a.py\0 M b.py\0"
    assert not (tmp_path / "trace").exists()


def test_missing_objects_of_a_hostile_repository_are_not_fetched(
    hostile: Path, tmp_path: Path
) -> None:
    """A promised object would be asked of a transport that the repository names."""
    for item in (hostile / ".git/objects").glob("??/*"):
        item.unlink()

    with pytest.raises(GitFailed):
        run_git_without_filters(hostile, *STATUS)
    assert not (tmp_path / "trace").exists()


def test_the_trap_itself_works(hostile: Path, tmp_path: Path, git: Git) -> None:
    """Without our precautions git does execute it, or the tests above prove nothing."""
    git(hostile, "-c", f"core.worktree={hostile}", "ls-files", "--others")
    git(hostile, "-c", f"core.worktree={hostile}", "-c", "filter.odd.name.process=", "status")

    assert (tmp_path / "trace").exists()


def test_a_work_tree_of_another_owner_is_read(tmp_path: Path, git: Git) -> None:
    git(tmp_path / "r", "init")
    (tmp_path / "r/a.py").write_text("")

    status, listed = run_git(tmp_path / "r", *LISTING)

    assert (status, listed) == (0, b"a.py\0")


def test_a_failing_or_a_relative_git_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitFailed, match="git ls-files exited with status 128"):
        run_git(tmp_path, "ls-files")

    monkeypatch.setattr(module.shutil, "which", lambda _name: "./git")

    with pytest.raises(GitFailed, match="not installed"):
        run_git(tmp_path, "ls-files")


def test_markers_are_what_git_takes_for_one(tmp_path: Path, git: Git) -> None:
    """An empty directory or a stray file named `.git` is no repository."""
    git(tmp_path / "r", "init")
    (tmp_path / "empty").mkdir()
    (tmp_path / "stray").write_text("hello")
    (tmp_path / "linked").write_text("gitdir: /somewhere\n")

    assert is_git_marker(tmp_path / "r/.git")
    assert is_git_marker(tmp_path / "linked")
    assert not is_git_marker(tmp_path / "empty")
    assert not is_git_marker(tmp_path / "stray")
    assert not is_git_marker(tmp_path / "none")


def test_a_marker_that_cannot_be_looked_at_raises_where_it_matters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(OSError(24, "too many")))

    assert not is_git_marker(tmp_path / ".git")
    with pytest.raises(OSError, match="too many"):
        has_git_marker(tmp_path / ".git")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("used_s", "answers"),
    [([0.001 * n for n in range(1, 1000)], True), ([0.0] * 2, False), ([0.06] * 2, False)],
    ids=["gets on", "waits in vain", "used up its time"],
)
def test_git_has_its_own_time_however_busy_the_machine_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used_s: list[float], answers: bool
) -> None:
    """Without git other files are eligible: a busy minute must not make another index."""
    slow = ["/bin/sh", "-c", "sleep 0.3; echo done" if answers else "exec sleep 1000"]
    used = iter(used_s)
    monkeypatch.setattr(module, "_LISTING_S", 0.05)
    monkeypatch.setattr(module, "_command", lambda *_: slow)
    monkeypatch.setattr(module, "_processor_s", lambda _: next(used))

    if answers:
        assert run_git(tmp_path, "ls-files") == (0, b"done\n")
    else:
        with pytest.raises(GitFailed, match="longer"):
            run_git(tmp_path, "ls-files")


def test_the_processor_time_of_a_child_is_known() -> None:
    assert module._processor_s(os.getpid()) > 0
    assert module._processor_s(2**22 + 1) == 0
