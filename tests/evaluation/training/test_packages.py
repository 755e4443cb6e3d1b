"""The lists of packages and the names that may not be on them."""

import re
from pathlib import Path

import pytest

from ggrep.errors import UsageError
from ggrep.evaluation import training
from ggrep.evaluation.training.packages import (
    Package,
    excluded,
    read_exclusions,
    read_packages,
    write_packages,
)

NAMES = frozenset({"jest", "vue", "lazy-nvim", "trpc/server", "messagepack-csharp"})
LISTS = sorted(Path(training.__file__).parent.glob("corpus_*.toml"))


def package(name: str = "attrs", **said: str) -> Package:
    facts = {"version": "1.2", "sha256": "a" * 64, "licence": "MIT", "kind": "wheel"} | said
    return Package(registry="pypi", name=name, languages=("python", "c"), **facts)


def written(folder: Path, text: str) -> Path:
    path = folder / "list.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_is_read_again_sorted_by_name(tmp_path: Path) -> None:
    packages = (package("b"), package("a", suite="", licence='odd "licence" \\ \x7f ü'))
    text = write_packages(packages)
    assert read_packages(written(tmp_path, text)) == (packages[1], packages[0])
    assert "suite" not in text


def test_a_scoped_name_has_a_folder_of_one_part() -> None:
    assert package("@noble/hashes").folder_name == "@noble__hashes"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("package = 3", "array of tables"),
        ("package = [3]", "not a table"),
        ("[[package]", "not TOML"),
        (write_packages([package()]) + "more = 1", "unknown key 'more'"),
        (write_packages([package(), package()]), "stands twice"),
        (write_packages([package("--index-url")]), "`name` cannot be"),
        (write_packages([package("../up")]), "`name` cannot be"),
        (write_packages([package(version="1;rm")]), "`version` cannot be"),
        (write_packages([package(sha256="A" * 64)]), "`sha256` cannot be"),
        (write_packages([package()]).replace("pypi", "cargo"), "unknown registry"),
        (write_packages([package()]).replace('licence = "MIT"', ""), "`licence` must be text"),
        (write_packages([package()]).replace('["python", "c"]', '"c"'), "`languages` must be"),
    ],
)
def test_what_is_no_list_of_packages_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        read_packages(written(tmp_path, text))


def test_a_missing_list_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        read_packages(tmp_path / "none.toml")
    with pytest.raises(UsageError, match=r"none\.txt"):
        read_exclusions(tmp_path / "none.txt")


@pytest.mark.parametrize(
    "name", ["jest", "Jest", "@jest/core", "@Vue/reactivity", "LAZY_nvim", "@trpc/server"]
)
def test_names_and_scopes_are_excluded_however_they_are_written(name: str) -> None:
    assert excluded(name, NAMES)


@pytest.mark.parametrize("name", ["jester", "@trpc/client", "mobx-vue", "lazy", "server"])
def test_names_that_only_resemble_are_not(name: str) -> None:
    assert not excluded(name, NAMES)


def test_exclusions_are_words_of_lines_that_are_no_comments(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("# not these\nvue  Jest\n\n  lazy.nvim @trpc/server\n", encoding="utf-8")
    assert read_exclusions(path) == {"vue", "jest", "lazy-nvim", "trpc/server"}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_the_corpus_is_permissive(path: Path) -> None:
    for each in read_packages(path):
        choices = [part.split(" OR ") for part in each.licence.split(" AND ")]
        copyleft = re.compile(r"(?:A|L)?GPL|MPL|EPL|CDDL")
        assert each.languages
        assert all(any(not copyleft.match(one) for one in choice) for choice in choices), each
