"""What lies inside, and what only looks as if it did."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import Forbidden, InvalidRequest
from ggrep.federation.containment import is_inside
from ggrep.service.workspace_access import Allowlist, canonical


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with something allowed and something not."""
    result = tmp_path.resolve()
    (result / "in" / "deep").mkdir(parents=True)
    (result / "out").mkdir()
    return result


def test_a_root_and_all_below_it_are_inside(place: Path) -> None:
    """The root itself, what is there, what is to come, and `..cache`."""
    allowlist = Allowlist([place / "in"])
    for path in ("in", "in/deep/../deep", "in/no/file", "in/..cache"):
        assert allowlist.check(place / path) == Path(os.path.normpath(place / path))
    for path in ("", "out", "inner", "in/../out", "/"):
        with pytest.raises(Forbidden, match="outside the directories"):
            allowlist.check(place / path)
    assert is_inside(Path("/a/..cache"), Path("/a"))
    assert not is_inside(Path("/ab"), Path("/a"))


def test_everything_is_inside_the_top_and_nothing_inside_nothing(place: Path) -> None:
    """`/` has no name to compare; a server that was given no root searches none."""
    assert Allowlist([Path("/")]).allows(place)
    assert Allowlist([Path("//")]).allows(Path("//etc"))
    assert not Allowlist([]).allows(place)


@pytest.mark.parametrize("rest", ["", "file", "no/such/file"])
def test_a_link_that_leads_outside_is_outside(place: Path, rest: str) -> None:
    """Also where what it leads to does not exist."""
    (place / "in" / "link").symlink_to(place / "out")

    assert not Allowlist([place / "in"]).allows(place / "in" / "link" / rest)


def test_a_link_to_nowhere_is_where_it_points(place: Path) -> None:
    (place / "in" / "link").symlink_to(place / "out" / "later")

    assert not Allowlist([place / "in"]).allows(place / "in" / "link")


def test_a_link_that_leads_inside_is_inside(place: Path) -> None:
    (place / "out" / "link").symlink_to(place / "in" / "deep")

    result = Allowlist([place / "in"]).check(place / "out" / "link" / "x")

    assert result == place / "in" / "deep" / "x"


def test_a_root_is_where_its_link_led_at_the_start(place: Path) -> None:
    link = place / "link"
    link.symlink_to(place / "in")
    allowlist = Allowlist([link])
    link.unlink()
    link.symlink_to(place / "out")

    assert allowlist.allows(place / "in")
    assert not allowlist.allows(link)


def test_a_path_that_nothing_can_have_is_refused_and_a_relative_one_meant_from_here(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowlist = Allowlist([Path("/")])

    with pytest.raises(InvalidRequest, match="not a valid path"):
        allowlist.check(Path("/a\0b"))
    assert not allowlist.allows(Path("/a\0b"))

    monkeypatch.chdir(place / "in")

    assert canonical(Path("deep")) == place / "in" / "deep"
    assert canonical(Path(os.curdir)) == place / "in"


@pytest.mark.parametrize("name", ["x" * 300, "loop/x"])
def test_an_error_of_a_path_outside_tells_nothing_of_it(place: Path, name: str) -> None:
    """A name too long and links in a circle are refused alike, there or not."""
    (place / "out" / "loop").symlink_to("loop")
    (place / "in" / "link").symlink_to(place / "out")
    allowlist = Allowlist([place / "in"])

    for path in (place / "out" / name, place / "gone" / name, place / "in" / "link" / name):
        with pytest.raises(Forbidden):
            allowlist.check(path)
    assert allowlist.allows(place / "in" / name)


def test_names_on_the_way_to_a_root_are_told_without_looking(place: Path) -> None:
    """All names inside, only such names above, and none elsewhere."""
    allowlist = Allowlist([place / "in" / "deep"])

    assert allowlist.names_in(place / "in" / "deep") is None
    assert allowlist.names_in(place / "in") == {"deep"}
    assert allowlist.names_in(place) == {"in"}
    assert allowlist.names_in(place / "out") == frozenset()
