"""A walk's way down holds few descriptors, follows no link and can be left at each step."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.settings import Settings
from ggrep.parse.source import dir_stack as trail_module
from ggrep.parse.source.dir_stack import DirStack, open_dir_stack
from ggrep.parse.source.priority_walk import PriorityWalk
from ggrep.parse.source.walk import listing_of, walk
from tests.fakes.git import Git
from tests.fakes.repos import write_tree


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
        results = [names_in(trail, prefix) for prefix in (b"", b"a/b/", b"ab/", b"a/", b"")]

    assert results == [["a", "ab"], ["c"], ["e"], ["b", "d"], ["a", "ab"]]


def test_a_link_is_no_way_down(tmp_path: Path) -> None:
    """Neither as the last part nor before, nor in the place of the root."""
    (tmp_path / "elsewhere/below").mkdir(parents=True)
    (tmp_path / "root").mkdir()
    (tmp_path / "root/link").symlink_to(tmp_path / "elsewhere")

    with open_dir_stack(tmp_path / "root") as trail:
        for prefix in (b"link/", b"link/below/"):
            with pytest.raises(NotADirectoryError):
                trail.enter(prefix)
        assert names_in(trail, b"") == ["link"]

    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere")

    with open_dir_stack(tmp_path / "linked") as trail, pytest.raises(InvalidRequest, match="link"):
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
        kept = open_descriptors() - before
        up = [names_in(trail, prefix) for prefix in reversed(prefixes)]

    assert kept <= 5
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


TREE = {
    "a/one.py": "1",
    "b/deep/two.py": "22",
    "b/three.py": "333",
    "b/image.png": b"\x89PNG",
    "node_modules/m/x.js": "x",
    ".gitignore": "hidden.py\n",
    "hidden.py": "secret",
}


def glimpse(root: Path, *, first: bytes = b"", without: bytes = b"\0") -> PriorityWalk:
    settings = Settings()
    listing, _ = listing_of(root, settings)
    return PriorityWalk(
        root,
        settings,
        listing,
        frozenset(),
        promise=lambda path: float(bool(first) and path.startswith(first)),
        leads=lambda path: not path.startswith(without),
    )


def met(found: PriorityWalk) -> list[tuple[str, bytes]]:
    return [(each.file.path_key, each.read()) for each in found.visited() if each is not None]


def test_it_sees_what_a_walk_sees_with_or_without_git(root: Path, git: Git) -> None:
    """Else it would show what the index leaves out."""
    write_tree(root, TREE)
    for _ in range(2):
        files = [file.path_key for file in walk(root, Settings()).files]
        assert dict(met(glimpse(root))) == {key: (root / key).read_bytes() for key in files}
        git(root, "init", "-q")
        git(root, "add", ".")


def test_what_promises_most_comes_first_and_the_rest_may_be_left_out(root: Path) -> None:
    """Directories near the root before deeper ones, then by name."""
    write_tree(root, TREE)

    assert [key for key, _ in met(glimpse(root))] == ["a/one.py", "b/three.py", "b/deep/two.py"]
    assert [key for key, _ in met(glimpse(root, first=b"b/"))][-1] == "a/one.py"
    assert [key for key, _ in met(glimpse(root, without=b"b/"))] == ["a/one.py"]


def test_each_directory_is_a_step(root: Path) -> None:
    """A tree of pictures alone must not keep anybody waiting."""
    write_tree(root, {f"d{number}/x.png": b"\x89PNG" for number in range(9)})

    assert list(glimpse(root).visited()) == [None] * 10


def test_a_link_is_read_as_nothing(root: Path) -> None:
    """No byte from outside the root is even counted."""
    write_tree(root, {"b.py": "2"})
    outside = root.parent / "outside.py"
    outside.write_text("outside")
    for each in glimpse(root).visited():
        if each is not None:
            (root / "b.py").unlink()
            (root / "b.py").symlink_to(outside)

            assert each.read() is None
