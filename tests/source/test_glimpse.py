"""A walk in order of promise sees what any walk sees, and can be left at each step."""

from pathlib import Path

from ggrep.config.settings import Settings
from ggrep.parse.source.priority_walk import PriorityWalk
from ggrep.parse.source.walk import listing_of, walk
from tests.fakes.git import Git
from tests.fakes.repos import write_tree

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
    return [(one.file.path_key, one.read()) for one in found.visited() if one is not None]


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
    for one in glimpse(root).visited():
        if one is not None:
            (root / "b.py").unlink()
            (root / "b.py").symlink_to(outside)

            assert one.read() is None
