"""Roots of repositories: when they are determined again, and roots with the same files."""

import os
import subprocess
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import RepoId
from ggrep.config.root import canonical_root
from ggrep.federation.roots import RootCache, common_git_dir, workspace_warnings
from tests.fakes.searchers import repo, workspace


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
