"""What is read below a root is the root's own, whoever renames things around it."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.confined import open_below, open_root, read_small


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_a_root_is_opened_by_its_path(tmp_path: Path) -> None:
    """Also one whose way there may be passed and not listed, and the very top."""
    (tmp_path / "home/repo").mkdir(parents=True)
    (tmp_path / "home").chmod(0o311)
    before = descriptors()

    try:
        for root in (tmp_path / "home/repo", Path("/")):
            opened = open_root(root)
            same = os.path.samestat(os.fstat(opened), root.stat())
            os.close(opened)
            assert same
    finally:
        (tmp_path / "home").chmod(0o755)
    assert descriptors() == before


@pytest.mark.parametrize("swapped", ["repo", "repo/sub"])
def test_a_root_that_a_link_took_the_place_of_is_not_read(tmp_path: Path, swapped: str) -> None:
    """Else another tree is indexed in its name, and shown once the link is gone again."""
    for place in ("repo/sub", "secret/sub"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "a.txt").write_text(place)
    (tmp_path / swapped).rename(tmp_path / "away")
    (tmp_path / swapped).symlink_to(tmp_path / "secret")
    root = tmp_path / "repo/sub"
    before = descriptors()

    for read in (
        lambda: open_root(root),
        lambda: open_below(root, "a.txt"),
        lambda: read_small(root, "a.txt", cap_bytes=100),
    ):
        with pytest.raises(InvalidRequest, match="symbolic link"):
            read()

    assert descriptors() == before


@pytest.mark.parametrize("gone", ["repo", "repo/sub"])
def test_a_root_that_is_gone_is_said_to_be_gone(tmp_path: Path, gone: str) -> None:
    """That is no attack."""
    (tmp_path / gone).parent.mkdir(exist_ok=True)
    before = descriptors()

    with pytest.raises(FileNotFoundError):
        open_root(tmp_path / "repo/sub")
    (tmp_path / gone).write_text("a file")
    with pytest.raises(NotADirectoryError):
        open_root(tmp_path / "repo/sub")

    assert descriptors() == before


def test_whose_own_path_leads_over_links_can_be_read_when_that_is_asked_for(tmp_path: Path) -> None:
    """Settings beside a workspace file are read where people see the file."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.txt").write_text("mine")
    (tmp_path / "seen").symlink_to(tmp_path / "real")

    assert read_small(tmp_path / "seen", "a.txt", cap_bytes=9, anchored=False) == b"mine"
