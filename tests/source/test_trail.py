"""A walk's way down holds few descriptors and follows no link."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.parse.source import dir_stack as trail_module
from ggrep.parse.source.dir_stack import DirStack, open_dir_stack


def names_in(trail: DirStack, prefix: bytes) -> list[str]:
    with os.scandir(trail.enter(prefix)) as entries:
        return sorted(entry.name for entry in entries)


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_directories_are_entered_in_any_order(tmp_path: Path) -> None:
    """A walk goes on with a cousin."""
    for path in ("a/b/c", "a/d", "ab/e"):
        (tmp_path / path).mkdir(parents=True)

    with open_dir_stack(tmp_path) as trail:
        found = [names_in(trail, prefix) for prefix in (b"", b"a/b/", b"ab/", b"a/", b"")]

    assert found == [["a", "ab"], ["c"], ["e"], ["b", "d"], ["a", "ab"]]


def test_a_link_is_no_way_down(tmp_path: Path) -> None:
    """Neither as the last part nor before."""
    (tmp_path / "elsewhere/below").mkdir(parents=True)
    (tmp_path / "root").mkdir()
    (tmp_path / "root/link").symlink_to(tmp_path / "elsewhere")

    with open_dir_stack(tmp_path / "root") as trail:
        for prefix in (b"link/", b"link/below/"):
            with pytest.raises(NotADirectoryError):
                trail.enter(prefix)
        assert names_in(trail, b"") == ["link"]


def test_a_link_in_the_place_of_the_root_is_no_way_in(tmp_path: Path) -> None:
    """What it leads to would be taken for the root's own."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "elsewhere")

    with open_dir_stack(tmp_path / "root") as trail, pytest.raises(InvalidRequest, match="link"):
        trail.enter(b"")


def test_depth_costs_few_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process has about a thousand, and the store needs some."""
    monkeypatch.setattr(trail_module, "_MOST_OPEN", 5)
    parts = [f"d{number}" for number in range(20)]
    (tmp_path / "/".join([*parts, "end"])).mkdir(parents=True)
    prefixes = [b"".join(f"{part}/".encode() for part in parts[:end]) for end in range(21)]
    before = open_descriptors()

    with open_dir_stack(tmp_path) as trail:
        down = [names_in(trail, prefix) for prefix in prefixes]
        held = open_descriptors() - before
        up = [names_in(trail, prefix) for prefix in reversed(prefixes)]

    assert held <= 5
    assert down == [*([part] for part in parts), ["end"]]
    assert up == down[::-1]
    assert open_descriptors() == before


def test_a_failure_on_the_way_down_leaves_the_trail_good(tmp_path: Path) -> None:
    """The walk goes on with the next directory."""
    (tmp_path / "a/b").mkdir(parents=True)

    with open_dir_stack(tmp_path) as trail:
        with pytest.raises(FileNotFoundError):
            trail.enter(b"a/gone/c/")
        assert names_in(trail, b"a/") == ["b"]
