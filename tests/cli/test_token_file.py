"""A token is its owner's alone."""

import stat
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.cli.servers.token_file import check_token, new_token, read_token


def test_a_new_token_is_its_owners_alone(tmp_path: Path) -> None:
    """File and directory: whoever reads it may ask anything."""
    file = tmp_path / "home" / "api-token"

    token = new_token(file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert read_token(file) == token
    assert len(token) >= 43


def test_a_new_token_replaces_the_last_one(tmp_path: Path) -> None:
    """That is how one is withdrawn."""
    file = tmp_path / "api-token"

    first, second = new_token(file), new_token(file)

    assert first != second
    assert read_token(file) == second


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_read_holds_no_secret(tmp_path: Path, mode: int) -> None:
    """The server would not be as closed as it says."""
    file = tmp_path / "token"
    new_token(file)
    file.chmod(mode)

    with pytest.raises(InvalidRequest, match="readable by other users"):
        read_token(file)


def test_a_file_that_is_no_file_is_refused(tmp_path: Path) -> None:
    """A pipe would be waited for."""
    with pytest.raises(InvalidRequest, match="No such file"):
        read_token(tmp_path / "none")
    with pytest.raises(InvalidRequest, match="not a regular file"):
        read_token(tmp_path)


@pytest.mark.parametrize("token", ["", " ", "x" * 15, "x y" * 8, "é" * 16, "x\n" * 16, "\x7f" * 16])
def test_a_weak_token_is_none(token: str) -> None:
    """An empty one would let everybody in."""
    with pytest.raises(InvalidRequest, match="a token"):
        check_token(token, "here")


def test_blanks_around_a_token_are_no_part_of_it() -> None:
    """Files end in a line break."""
    assert check_token(f" {'x' * 16}\n", "here") == "x" * 16
