"""How much of which package is taken."""

import pytest

from training.encoder.packages import Package
from training.encoder.shares import Share, share_of


def package(registry: str, *languages: str, max_bytes: int = 0) -> Package:
    return Package(
        registry, "x", "1", "a" * 64, "MIT", languages, folders=("src/",), max_bytes=max_bytes
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (package("debian", "haskell"), package("debian", "c", "haskell")),
        (package("pypi", "python"), package("debian", "python")),
        (package("npm", "java", "kotlin"), package("npm", "java")),
    ],
    ids=["scarce in Debian", "Debian has many", "mobile"],
)
def test_more_is_taken_where_there_is_little(one: Package, other: Package) -> None:
    assert share_of(one).max_bytes > share_of(other).max_bytes


def test_a_package_may_say_its_own_share() -> None:
    assert share_of(package("npm", "c", max_bytes=7)) == Share(max_bytes=7, folders=("src/",))


def test_folders_are_beginnings_of_paths() -> None:
    share = Share(folders=("lib/", "a.c"), without=("lib/Web.",))
    assert share.covers("lib/b.c")
    assert share.covers("a.c")
    assert not share.covers("library/b.c")
    assert not share.covers("lib/Web.Two/b.c")
    assert Share().covers("anything")
