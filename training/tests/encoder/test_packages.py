"""The lists of packages and the names that may not be on them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from training import encoder
from training.encoder.packages import (
    Package,
    excluded,
    read_exclusions,
    read_packages,
    write_packages,
)

NAMES = frozenset({"jest", "vue", "lazy-nvim", "trpc/server", "messagepack-csharp"})
PERMISSIVE = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT",
        "MIT-0", "PSF-2.0", "Unlicense", "Zlib",
    }
)  # fmt: skip
LISTS = sorted(Path(encoder.__file__).parent.glob("corpus_*.toml"))


def package(
    name: str = "attrs", version: str = "1.2", sha256: str = "a" * 64, licence: str = "MIT"
) -> Package:
    return Package("pypi", name, version, sha256, licence, ("python", "c"), kind="wheel")


def written(folder: Path, text: str) -> Path:
    path = folder / "list.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_is_read_again_sorted_by_name(tmp_path: Path) -> None:
    packages = (package("b"), package("a", licence='odd "licence" \\ \x7f ü'))
    text = write_packages(packages)
    assert read_packages(written(tmp_path, text)) == (packages[1], packages[0])
    assert "suite" not in text
    assert "folders" not in text


def test_what_is_taken_of_a_package_is_written_and_read(tmp_path: Path) -> None:
    whole = replace(package(), folders=("lib/", "a.c"), without=("lib/x/",), max_bytes=30)
    assert read_packages(written(tmp_path, write_packages((whole,)))) == (whole,)


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
        (write_packages([package()]).replace('["python", "c"]', "[]"), "`languages` must name"),
        (write_packages([package()]) + 'folders = [""]', "`folders` must be"),
        (write_packages([package()]) + "without = [1]", "`without` must be"),
        (write_packages([package()]) + "max_bytes = -1", "`max_bytes` must be"),
        (write_packages([package()]) + "max_bytes = true", "`max_bytes` must be"),
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
        assert each.languages
        assert all(not PERMISSIVE.isdisjoint(choice) for choice in choices), each
