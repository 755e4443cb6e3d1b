"""Paths as they are, and which of them lie inside which."""

import errno
import os
from pathlib import Path

import pytest

from ggrep.federation.containment import canonical_path, is_canonical, is_inside, lexical_path


@pytest.mark.parametrize(
    ("path", "root", "inside"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b/c", "/a/b", True),
        ("/a/bc", "/a/b", False),
        ("/a", "/a/b", False),
        ("/a/b/..cache", "/a/b", True),
        ("/a/..cache", "/a/b", False),
        ("/a", "/", True),
        ("/", "/", True),
        ("/", "/a", False),
    ],
)
def test_inside_is_told_by_whole_parts(path: str, root: str, inside: bool) -> None:
    """A common beginning of the text is not enough, and two dots may begin a name."""
    assert is_inside(Path(path), Path(root)) == inside


def test_of_a_missing_path_the_part_that_is_there_is_resolved(tmp_path: Path) -> None:
    """A link on the way to a file not yet made would lead outside unseen."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "link").symlink_to("../out")
    (tmp_path / "in" / "dangling").symlink_to("../out/gone")
    (tmp_path / "file").touch()

    assert canonical_path(tmp_path / "in/link/new/deep") == tmp_path / "out/new/deep"
    assert canonical_path(tmp_path / "in/dangling/deep") == tmp_path / "out/gone/deep"
    assert canonical_path(tmp_path / "in/gone/../link/x") == tmp_path / "out/x"
    assert canonical_path(tmp_path / "in/link/../x") == tmp_path / "x"
    assert canonical_path(tmp_path / "file/x") == tmp_path / "file/x"


def test_a_lexical_path_follows_no_link_and_starts_at_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(canonical_path(Path(f"/{tmp_path}"))) == str(tmp_path)
    assert str(canonical_path(Path(f"/{tmp_path}/gone"))) == f"{tmp_path}/gone"
    assert str(lexical_path(Path(f"/{tmp_path}"))) == str(tmp_path)
    assert str(lexical_path(Path("//"))) == "/"

    (tmp_path / "link").symlink_to("/")
    monkeypatch.chdir(tmp_path)

    assert lexical_path(Path("link/../x")) == tmp_path / "x"

    monkeypatch.chdir(tmp_path)

    assert canonical_path(Path("gone/x")) == tmp_path / "gone" / "x"


def test_links_in_a_circle_and_bytes_of_no_path_are_refused(tmp_path: Path) -> None:
    """Whoever asks must get an error, not a path that means nothing."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(OSError, match="symbolic links"):
        canonical_path(tmp_path / "a" / "x")
    with pytest.raises(ValueError, match="null"):
        canonical_path(tmp_path / "a\0b")


def test_a_path_that_cannot_be_followed_is_not_canonical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever exchanges links that fast has no good in mind; it is no bug to be logged."""

    def confused(*_: object, **__: object) -> str:
        raise OSError(errno.EINVAL, "links went round in a circle")

    monkeypatch.setattr(os.path, "realpath", confused)

    assert not is_canonical(tmp_path)
