"""Files are replaced whole, whoever else does the same."""

from pathlib import Path

from ggrep import durable


def test_leftovers_are_in_nobodys_way_and_can_be_swept(tmp_path: Path) -> None:
    """A dead process of the same number may have left one, in another container say."""
    path = tmp_path / "x"
    durable.replace_file(path, b"1")
    names = {durable._fresh_file(path).name for _ in range(3)}
    durable.replace_file(path, b"2")

    assert len(names) == 3
    assert path.read_bytes() == b"2"
    durable.sweep_leftovers(path)
    assert [found.name for found in tmp_path.iterdir()] == ["x"]
