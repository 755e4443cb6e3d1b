"""Someone else's idea of what a definition is: universal-ctags, on a real package a language."""

import re
from pathlib import Path

import pytest

from tests.oracle.clients import Unavailable
from tests.oracle.definitions import Tag, compare, tags_of
from tests.oracle.kinds import definitions
from tests.oracle.mentioned import mentions_of
from tests.oracle.packages import HAND_READ, HELD_OUT, MORE_PACKAGES, PACKAGES, Package
from tests.oracle.registries import Cache
from tests.oracle.table import CACHE_FOLDER

ENOUGH = 0.95
FEWEST_TAGS = 100
"""A package that yields less proves nothing."""
TOLD_ALONE = frozenset({"dart", "gdscript", "gleam", "hcl", "solidity"})
"""Of the others `symbol` tells more than a person would write down: what functions hold, keys of
objects, attributes that calls are given; and only parts of some files were read."""


READ_BY_HAND = Path(__file__).parent / "read_by_hand"
"""For languages that ctags cannot read: what a person found in files drawn by lot. A file holds a
path a line, and below it a line number and a name for each type, function, method, field, constant
and module that the file defines, without locals."""


def tags_by_hand(language: str) -> list[Tag]:
    """Return what was read of a language."""
    results: list[Tag] = []
    path = ""
    for line in (READ_BY_HAND / f"{language}.txt").read_text().splitlines():
        number, _, name = line.partition(" ")
        if number.isdigit():
            results.append(Tag(path, int(number), name, "definition"))
        else:
            path = line
    return results


@pytest.fixture(scope="module")
def cache() -> Cache:
    return Cache(CACHE_FOLDER)


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "package",
    [*PACKAGES, *MORE_PACKAGES, *HELD_OUT],
    ids=lambda package: f"{package.language}-{package.name}",
)
def test_definitions_that_ctags_finds_start_or_name_a_chunk(cache: Cache, package: Package) -> None:
    """A definition that no chunk is known by is found only by luck."""
    folder = cache.files(package)
    comparison = compare(package, folder, tags_of(package, folder, cache.ctags()))

    assert comparison.tags >= FEWEST_TAGS
    assert comparison.share >= ENOUGH, comparison.missing_kinds()


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("package", HAND_READ, ids=lambda package: package.language)
def test_definitions_read_by_hand_start_or_name_a_chunk(cache: Cache, package: Package) -> None:
    """Where no other program reads a language, somebody has to."""
    comparison = compare(package, cache.files(package), tags_by_hand(package.language))

    assert comparison.share >= ENOUGH, comparison.missing


@pytest.mark.deep
@pytest.mark.parametrize(
    "package",
    [package for package in HAND_READ if package.language in TOLD_ALONE],
    ids=lambda package: package.language,
)
def test_what_symbol_tells_is_what_a_person_found(cache: Cache, package: Package) -> None:
    """A name that is none, told as a definition, sends its reader astray."""
    folder, tags = cache.files(package), tags_by_hand(package.language)
    beside, listed = [], 0
    for path in {tag.path for tag in tags}:
        data = (folder / path).read_bytes()
        ours = {(tag.line, tag.name) for tag in tags if tag.path == path}
        reported = mentions_of(path, data, re.findall(r"[^\W\d][\w-]*\w|\w", data.decode()))
        defined = {(each.line, each.text) for each in reported if each.defined is not None}
        beside += [(path, *each) for each in defined - ours]
        listed += len(defined)

    assert listed >= len(tags) / 2
    assert len(beside) <= (1 - ENOUGH) * listed, beside


def test_locals_and_imports_do_not_count() -> None:
    """The share is of what a reader would call a definition."""
    rows = [
        {"path": "a", "line": 1, "name": "np", "kind": "namespace"},
        {"path": "a", "line": 3, "end": 9, "name": "run", "kind": "function"},
        {"path": "a", "line": 4, "name": "inner", "kind": "function", "scopeKind": "function"},
        {"path": "a", "line": 6, "name": "x", "kind": "variable"},
        {"path": "a", "line": 11, "name": "Shape", "kind": "class"},
        {"path": "a", "line": 12, "name": "__anon1", "kind": "class", "extras": "anonymous"},
    ]

    assert [row["name"] for row in definitions("Python", rows)] == ["run", "Shape"]


def test_a_script_s_local_is_known_by_its_indentation() -> None:
    """There ctags tells no scope for what stands in an arrow function."""
    rows = [
        {
            "path": "a",
            "line": 1,
            "name": "f",
            "kind": "constant",
            "pattern": "/^const f = () => {$/",
        },
        {"path": "a", "line": 2, "name": "x", "kind": "constant", "pattern": "/^  const x = {$/"},
        {
            "path": "a",
            "line": 3,
            "name": "y",
            "kind": "property",
            "scope": "x",
            "pattern": "/^    y",
        },
    ]

    assert [row["name"] for row in definitions("TypeScript", rows)] == ["f"]


def test_a_definition_counts_as_started_behind_its_comments(tmp_path: Path) -> None:
    """Leading comments and decorators belong to the chunk, and to no other."""
    (tmp_path / "a.py").write_text("# Runs.\n@wraps(f)\ndef run():\n    return 1\n")
    package = Package("python", "Python", "pypi", "none", "0", ("*.py",))

    comparison = compare(package, tmp_path, tags=[Tag("a.py", 3, "run", "function")])

    assert (comparison.started, comparison.named, comparison.share) == (1, 1, 1.0)


def test_a_name_that_no_chunk_bears_is_missing(tmp_path: Path) -> None:
    """The oracle has to be able to say no."""
    (tmp_path / "a.py").write_text("def run():\n    x = 1\n    return x\n")
    package = Package("python", "Python", "pypi", "none", "0", ("*.py",))

    comparison = compare(package, tmp_path, tags=[Tag("a.py", 2, "x", "variable")])

    assert comparison.missing_kinds() == [("variable", 1)]


def test_a_package_that_no_registry_has_is_named(tmp_path: Path) -> None:
    """A machine without the client gets a reason, not a traceback of its own."""
    package = Package("python", "Python", "pypi", "none", "0", ())
    (tmp_path / "empty").mkdir()

    with pytest.raises(Unavailable):
        Cache(tmp_path).keep(package, tmp_path / "empty", iter(()))
