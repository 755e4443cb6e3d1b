"""Files are replaced whole, whoever else does the same."""

from pathlib import Path

import pytest

from ggrep.base import durable


def test_leftovers_are_in_nobodys_way_and_can_be_swept(tmp_path: Path) -> None:
    """A dead process of the same number may have left one, in another container say."""
    path = tmp_path / "x"
    durable.replace_file(path, b"1")
    names = {durable._fresh_file(path).name for _ in range(3)}
    durable.replace_file(path, b"2")

    assert len(names) == 3
    assert path.read_bytes() == b"2"
    durable.sweep_leftovers(path)
    assert [item.name for item in tmp_path.iterdir()] == ["x"]


def test_a_replacement_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """Else every run adds a file that nobody knows."""
    (tmp_path / "x").mkdir()

    with pytest.raises(IsADirectoryError):
        durable.replace_file(tmp_path / "x", b"1")
    assert [item.name for item in tmp_path.iterdir()] == ["x"]
