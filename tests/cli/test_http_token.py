"""Which token callers of the HTTP surfaces must present."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.config.home import Home
from ggrep.interfaces.cli.servers.http_token import TokenOptions, http_token

SECRET = {"GGREP_API_TOKEN": "x" * 16}


def test_a_token_is_wanted_unless_somebody_says_not(home: Path) -> None:
    """Every user of a machine reaches loopback, and what is served there is code."""
    kept = http_token(Home(home), {}, TokenOptions())
    again = http_token(Home(home), {}, TokenOptions())
    none = http_token(Home(home), SECRET, TokenOptions(none=True))

    assert kept.value is not None
    assert kept == again
    assert kept.file == Home(home).api_token
    assert stat.S_IMODE(Home(home).api_token.stat().st_mode) == 0o600
    assert none.value is None
    assert none.said.startswith("warning: ")


def test_the_token_itself_is_never_said(home: Path, tmp_path: Path) -> None:
    """Lines on a terminal end up in logs."""
    file = tmp_path / "mine"
    file.write_text("y" * 16)
    file.chmod(0o600)
    kept, named = (
        http_token(Home(home), {}, TokenOptions()),
        http_token(Home(home), SECRET, TokenOptions()),
    )
    given = http_token(Home(home), SECRET, TokenOptions(file=file))

    assert kept.said == f"callers must present the token in {Home(home).api_token}"
    assert named.said == "callers must present the token of GGREP_API_TOKEN"
    assert given.said == f"callers must present the token in {file}"
    for token in (kept, named, given):
        assert token.value is not None
        assert token.value not in token.said


def test_servers_that_start_at_once_want_the_same_token(home: Path) -> None:
    """Callers read one file."""
    with ThreadPoolExecutor(8) as pool:
        tokens = {
            token.value
            for token in pool.map(lambda _: http_token(Home(home), {}, TokenOptions()), range(8))
        }

    assert tokens == {Home(home).api_token.read_text().strip()}


def test_a_new_token_ends_the_last_one(home: Path) -> None:
    """That is how one is withdrawn."""
    first = http_token(Home(home), {}, TokenOptions())
    made = http_token(Home(home), SECRET, TokenOptions(new=True))

    assert made.value not in {first.value, "x" * 16}
    assert http_token(Home(home), {}, TokenOptions()) == made


@pytest.mark.parametrize(
    "options",
    [
        TokenOptions(new=True, file=Path("x")),
        TokenOptions(new=True, none=True),
        TokenOptions(file=Path("x"), none=True),
    ],
)
def test_a_token_is_said_once(home: Path, options: TokenOptions) -> None:
    """Which of two would be meant?"""
    with pytest.raises(UsageError, match="cannot go together"):
        http_token(Home(home), {}, options)


def test_a_token_too_short_to_be_one_is_refused(home: Path) -> None:
    """A forgotten value must not open the door."""
    with pytest.raises(InvalidRequest, match="GGREP_API_TOKEN"):
        http_token(Home(home), {"GGREP_API_TOKEN": "x"}, TokenOptions())


def test_a_token_that_others_read_is_refused_with_a_way_out(home: Path) -> None:
    """Also where the home cannot be written: the message names what helps."""
    http_token(Home(home), {}, TokenOptions())
    Home(home).api_token.chmod(0o640)

    with pytest.raises(
        InvalidRequest, match=r"set its mode to 0600.*--auth-token-file.*--no-token"
    ):
        http_token(Home(home), {}, TokenOptions())
