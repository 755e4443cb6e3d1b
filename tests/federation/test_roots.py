"""Roots are looked for again only when something that decides them has changed."""

import os
import subprocess
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.federation.roots import RootCache


class Counted:
    """A root finder that says each directory is its own root, and counts."""

    def __init__(self) -> None:
        self.asked: list[Path] = []

    def __call__(self, directory: Path) -> Path:
        self.asked.append(directory)
        return directory


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").touch()
    (tmp_path / "repo" / "sub").mkdir()
    return tmp_path


def test_a_root_is_looked_for_once(tree: Path) -> None:
    """A request must not start a process for each repository."""
    finder = Counted()
    roots = RootCache(finder)
    (tree / "link").symlink_to("repo")

    results = [roots(tree / name) for name in ("repo/sub", "repo/sub", "link/sub", "repo")]

    assert results == [tree / "repo/sub"] * 3 + [tree / "repo"]
    assert finder.asked == [tree / "repo/sub", tree / "repo"]


@pytest.mark.parametrize(
    "name",
    [
        "repo/.git/index",
        "repo/.gitignore",
        "repo/sub/.gitignore",
        "repo/.ggrep.toml",
        "repo/sub/.ggrep.toml",
        ".gitignore",
    ],
)
def test_a_file_that_decides_makes_it_look_again(tree: Path, name: str) -> None:
    """A directory that is ignored from now on is a corpus of its own."""
    finder = Counted()
    roots = RootCache(finder)
    roots(tree / "repo/sub")

    (tree / name).write_text("new")
    roots(tree / "repo/sub")
    roots(tree / "repo/sub")

    assert len(finder.asked) == 2


def test_what_decides_is_gone_or_new_makes_it_look_again(tree: Path) -> None:
    finder = Counted()
    roots = RootCache(finder)
    roots(tree / "repo/sub")

    (tree / "repo/sub/.git").mkdir()
    (tree / "repo/sub/.git/HEAD").touch()
    roots(tree / "repo/sub")
    (tree / "repo/.git/HEAD").unlink()
    roots(tree / "repo/sub")

    assert len(finder.asked) == 3


def test_the_index_of_a_linked_work_tree_is_found(tree: Path) -> None:
    """Its `.git` is a file that names a directory elsewhere."""
    git_dir = tree / "repo/.git/worktrees/w"
    git_dir.mkdir(parents=True)
    (tree / "w").mkdir()
    (tree / "w/.git").write_text(f"gitdir: {git_dir}\n")
    finder = Counted()
    roots = RootCache(finder)
    roots(tree / "w")

    (git_dir / "index").touch()
    roots(tree / "w")

    assert len(finder.asked) == 2


def test_other_files_change_nothing(tree: Path) -> None:
    finder = Counted()
    roots = RootCache(finder)
    roots(tree / "repo/sub")
    (tree / "repo/.git/index.lock").touch()
    (tree / "repo/sub/code.py").touch()
    roots(tree / "repo/sub")

    assert len(finder.asked) == 1


def test_a_refusal_is_not_remembered(tree: Path) -> None:
    """What is refused today may be made right tomorrow."""
    answers = [InvalidRequest("no"), InvalidRequest("no")]

    def refuse(_: Path) -> Path:
        raise answers.pop()

    roots = RootCache(refuse)
    for directory in (tree / "repo", tree / "gone"):
        with pytest.raises(InvalidRequest):
            roots(directory)

    assert answers == []


def test_no_more_than_a_bounded_number_is_remembered(tree: Path) -> None:
    finder = Counted()
    roots = RootCache(finder, most=2)

    for name in ("a", "b", "a", "c", "a", "b"):
        (tree / name).mkdir(exist_ok=True)
        roots(tree / name)

    assert [path.name for path in finder.asked] == ["a", "b", "c", "b"]


@pytest.mark.slow
def test_an_ignored_directory_is_noticed_by_the_real_finder(tmp_path: Path) -> None:
    """The files looked at are those that git reads."""
    quiet = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "--quiet", "repo"], cwd=tmp_path, env=quiet, check=True)
    sub = tmp_path / "repo" / "sub"
    sub.mkdir()
    (sub / "code.py").touch()
    roots = RootCache(canonical_root)
    before = roots(sub)

    (tmp_path / "repo" / ".gitignore").write_text("sub/\n")
    ignored = roots(sub)
    add = ["git", "-C", "repo", "add", "--force", "sub/code.py"]
    subprocess.run(add, cwd=tmp_path, env=quiet, check=True)

    assert (before, ignored, roots(sub)) == (tmp_path / "repo", sub, tmp_path / "repo")
