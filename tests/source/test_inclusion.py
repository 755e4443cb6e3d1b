"""What a profile makes eligible, and what nothing makes so."""

from pathlib import Path

import pytest

from ggrep.config.settings import Settings
from ggrep.parse.source.walk import Walk, walk
from tests.fakes.git import Git
from tests.fakes.repos import write_tree

TREE = {
    "Datasets/a.csv": "1\n",
    "Datasets/.env": "PASSWORD=1\n",
    "Datasets/deep/b.weights": "2\n",
    "Datasets/deep/package-lock.json": "{}\n",
    "lib/Datasets/c.csv": "3\n",
    "node_modules/left/index.js": "4\n",
    "node_modules/right/index.js": "5\n",
    ".cache/d.txt": "6\n",
    "notes.weights": "7\n",
    "src/e.py": "8\n",
}


def found(root: Path, *include: str, ignored: tuple[str, ...] = ()) -> Walk:
    return walk(root, Settings(profile_include=include, extra_ignores=ignored))


def added(root: Path, *include: str) -> set[str]:
    return set(found(root, *include).included)


@pytest.fixture
def tree(root: Path) -> Path:
    write_tree(root, TREE)
    return root


def test_without_a_profile_only_the_lists_speak(tree: Path) -> None:
    """Data sets are left out until somebody wants them."""
    assert [file.path_key for file in found(tree).files] == ["src/e.py"]
    assert found(tree).included == frozenset()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("Datasets/**", {"Datasets/a.csv", "Datasets/deep/b.weights",
                         "Datasets/deep/package-lock.json"}),
        ("/Datasets/deep/", {"Datasets/deep/b.weights", "Datasets/deep/package-lock.json"}),
        ("Datasets/*.csv", {"Datasets/a.csv"}),
        ("Datasets/**/*.weights", {"Datasets/deep/b.weights"}),
        ("lib/Datasets/c.csv", {"lib/Datasets/c.csv"}),
        ("Datasets/", {"Datasets/a.csv", "Datasets/deep/b.weights",
                       "Datasets/deep/package-lock.json", "lib/Datasets/c.csv"}),
        ("node_modules/left/**", {"node_modules/left/index.js"}),
        (".cache/", {".cache/d.txt"}),
        (".cache/*.bin", set()),
        ("*.weights", {"notes.weights"}),
        ("src/**", {"src/e.py"}),
    ],
)  # fmt: skip
def test_a_pattern_adds_what_it_names(tree: Path, pattern: str, expected: set[str]) -> None:
    """Beyond the built-in lists; one by name opens no directory of packages."""
    assert added(tree, pattern) == expected


def test_a_profile_never_includes_secrets_or_large_files(tree: Path) -> None:
    """A repository that names its own `.env` does not get it into an index."""
    walked = found(tree, "Datasets/**", ".env")

    assert "Datasets/.env" not in {file.path_key for file in walked.files}
    assert ("Datasets/.env", "secret") in {(s.path_key, s.reason) for s in walked.skipped}

    walked = walk(tree, Settings(profile_include=("Datasets/a.csv",), max_file_size_bytes=1))

    assert walked.included == frozenset()
    assert ("Datasets/a.csv", "too_large") in {(s.path_key, s.reason) for s in walked.skipped}


def test_ignore_files_and_exclude_beat_include(tree: Path) -> None:
    write_tree(tree, {".gitignore": "deep/\n", "lib/.ggignore": "*.csv\n"})

    walked = found(tree, "Datasets/", ignored=("a.csv",))

    assert walked.included == frozenset()


def test_git_ignored_files_stay_out_of_a_work_tree(tree: Path, git: Git) -> None:
    write_tree(tree, {".gitignore": "Datasets/deep/\n"})
    git(tree, "init", "-q")

    assert added(tree, "Datasets/**") == {"Datasets/a.csv"}


def test_tracked_files_are_eligible_and_count_for_the_budget(tree: Path, git: Git) -> None:
    """They need no profile; one that names them bounds their bytes all the same."""
    git(tree, "init", "-q")
    git(tree, "add", "-f", "Datasets/a.csv")

    assert "Datasets/a.csv" in {file.path_key for file in found(tree).files}
    assert added(tree, "Datasets/a.csv") == {"Datasets/a.csv"}


def test_a_pattern_that_leads_out_of_the_root_includes_nothing(root: Path) -> None:
    write_tree(root, {"a.py": "1\n", "etc/b.weights": "2\n"})
    write_tree(root.parent / "etc", {"passwords.weights": "3\n"})

    walked = found(root, "../../etc/**", "../etc/**", "/../etc/**", "..", "../**")

    assert [file.path_key for file in walked.files] == ["a.py"]
    assert walked.included == frozenset()
