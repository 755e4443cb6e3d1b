"""Which root a path belongs to."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.model.sanitise import is_text

Git = Callable[..., str]


def directory(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def test_a_path_in_a_work_tree_belongs_to_its_top_level(tmp_path: Path, git: Git) -> None:
    """Searching from any directory of a project asks the same index."""
    git(tmp_path / "r", "init")
    below = directory(tmp_path / "r/a/b")
    (below / "f.py").write_text("")

    assert canonical_root(below) == tmp_path / "r"
    assert canonical_root(below / "f.py") == tmp_path / "r"
    assert canonical_root(tmp_path / "r/.git/hooks") == tmp_path / "r"


def test_outside_git_the_nearest_settings_file_marks_the_root(tmp_path: Path) -> None:
    """A project without git can still say where it begins."""
    below = directory(tmp_path / "p/q/r")
    (tmp_path / "p/.ggrep.toml").write_text("")
    (tmp_path / "p/q/.ggrep.toml").write_text("")

    assert canonical_root(below) == tmp_path / "p/q"


def test_else_the_directory_itself_is_the_root(tmp_path: Path) -> None:
    """Any folder can be searched."""
    plain = directory(tmp_path / "a/b")
    (plain / "f.py").write_text("")

    assert canonical_root(plain) == plain
    assert canonical_root(plain / "f.py") == plain


def test_without_enclosing_the_directory_itself_is_the_root(tmp_path: Path, git: Git) -> None:
    """A workspace may name a part of a repository."""
    git(tmp_path / "r", "init")
    below = directory(tmp_path / "r/a")

    assert canonical_root(below, enclosing=False) == below


@pytest.mark.parametrize("below", [".", "hooks", "objects/info"])
def test_a_bare_repository_is_no_root(tmp_path: Path, git: Git, below: str) -> None:
    """Its hooks and settings are no files of the project; a work tree inside of it has some."""
    bare = tmp_path / "bare repo.git"
    git(bare, "init", "--bare")
    directory(bare / below)
    for name in ("HEAD", "config"):
        assert (bare / name).is_file()
    directory(bare / "main/.git")
    (bare / "main/.git/HEAD").write_text("")

    with pytest.raises(InvalidRequest, match=r"git -C '.*/bare repo.git' worktree add DIR"):
        canonical_root(bare / below)
    assert canonical_root(bare / "main") == bare / "main"


def test_links_on_the_way_are_resolved(tmp_path: Path, git: Git) -> None:
    """Two names of one directory are one root."""
    git(tmp_path / "r", "init")
    directory(tmp_path / "r/a")
    (tmp_path / "link").symlink_to(tmp_path / "r/a")

    assert canonical_root(tmp_path / "link") == tmp_path / "r"


def test_an_ignored_directory_is_a_corpus_of_its_own(tmp_path: Path, git: Git) -> None:
    """An installed package is not part of the project that installed it."""
    git(tmp_path / "r", "init")
    (tmp_path / "r/.gitignore").write_text("envs/\n")
    package = directory(tmp_path / "r/envs/lib/site-packages/pkg")

    assert canonical_root(package) == package


def test_a_product_directory_is_a_corpus_of_its_own(tmp_path: Path, git: Git) -> None:
    """The index of the project leaves it out whether or not git was told to."""
    git(tmp_path / "r", "init")
    package = directory(tmp_path / "r/node_modules/pkg")

    assert canonical_root(package) == package


def test_an_ignored_directory_with_tracked_files_stays_in_its_project(
    tmp_path: Path, git: Git
) -> None:
    """Tracked files are in the project's index, so that is the one to ask."""
    git(tmp_path / "r", "init")
    (tmp_path / "r/.gitignore").write_text("build/\n")
    (directory(tmp_path / "r/build") / "f.py").write_text("")
    git(tmp_path / "r", "add", "-f", "build/f.py")

    assert canonical_root(tmp_path / "r/build") == tmp_path / "r"


def test_a_clone_private_exclude_does_not_split_a_project(tmp_path: Path, git: Git) -> None:
    """`info/exclude` takes nothing out of an index either."""
    git(tmp_path / "r", "init")
    (tmp_path / "r/.git/info/exclude").write_text("notes/\n")

    assert canonical_root(directory(tmp_path / "r/notes")) == tmp_path / "r"


def test_a_re_included_directory_stays_in_its_project(tmp_path: Path, git: Git) -> None:
    """The last matching line decides, as it does for the index."""
    git(tmp_path / "r", "init")
    (tmp_path / "r/.gitignore").write_text("gen*/\n!general/\n")

    assert canonical_root(directory(tmp_path / "r/general")) == tmp_path / "r"


def test_linked_work_trees_and_submodules_are_roots(tmp_path: Path, git: Git) -> None:
    """Each has files of its own; answers from another checkout would be wrong."""
    git(tmp_path / "r", "init")
    git(tmp_path / "r", "commit", "--allow-empty", "-m", "x")
    git(tmp_path / "r", "worktree", "add", str(tmp_path / "w"))
    inner = directory(tmp_path / "w/a")

    assert canonical_root(inner) == tmp_path / "w"


def test_an_empty_git_directory_marks_nothing(tmp_path: Path) -> None:
    """Git does not take it for a repository, so neither do we."""
    below = directory(tmp_path / "r/a")
    directory(tmp_path / "r/.git")

    assert canonical_root(below) == below


def test_home_and_slash_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexing all a user owns is never what was meant."""
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(InvalidRequest, match="not allowed as a root"):
        canonical_root(tmp_path)
    with pytest.raises(InvalidRequest, match="not allowed as a root"):
        canonical_root(Path("/"), enclosing=False)


def test_a_repository_of_dotfiles_in_home_does_not_claim_what_lies_below(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many keep their home under git; their projects are still their own."""
    git(tmp_path, "init")
    monkeypatch.setenv("HOME", str(tmp_path))
    project = directory(tmp_path / "src/p")

    assert canonical_root(project) == project


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    """Never silently another root."""
    with pytest.raises(InvalidRequest, match="nowhere: no such file or directory"):
        canonical_root(tmp_path / "nowhere")


def test_a_root_whose_path_is_not_utf_8_is_refused_in_one_line(tmp_path: Path) -> None:
    """Manifests and messages hold text; the refusal shows the bytes that are none."""
    below = directory(tmp_path / os.fsdecode(b"caf\xe9") / "src")

    with pytest.raises(InvalidRequest, match="not UTF-8") as caught:
        canonical_root(below)
    told = str(caught.value)
    assert is_text(told)
    assert "caf\\xe9/src: " in told
    assert len(told.splitlines()) == 1
