"""Tokens: which one callers of the HTTP surfaces present, and the file that keeps it."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.config.home import Home
from ggrep.interfaces.cli.servers.api import ApiFlags, rules_of
from ggrep.interfaces.cli.servers.http_token import TokenOptions, http_token
from ggrep.interfaces.cli.servers.token_file import check_token, new_token, read_token

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
    assert none.description.startswith("warning: ")


def test_the_token_itself_is_never_said(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("y" * 16)
    file.chmod(0o600)
    sources = {
        f"in {Home(home).api_token}": ({}, TokenOptions()),
        "of GGREP_API_TOKEN": (SECRET, TokenOptions()),
        f"in {file}": (SECRET, TokenOptions(file=file)),
    }

    for source, (environ, options) in sources.items():
        token = http_token(Home(home), environ, options)
        assert token.description == f"callers must present the token {source}"
        assert token.value is not None
        assert token.value not in token.description


def test_servers_that_start_at_once_want_the_same_token(home: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = {
            token.value
            for token in pool.map(lambda _: http_token(Home(home), {}, TokenOptions()), range(8))
        }

    assert tokens == {Home(home).api_token.read_text().strip()}


def test_a_new_token_ends_the_last_one(home: Path) -> None:
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
    with pytest.raises(UsageError, match="cannot go together"):
        http_token(Home(home), {}, options)


def test_a_token_too_short_is_refused_and_blanks_around_it_are_no_part(home: Path) -> None:
    """A forgotten value must not open the door."""
    with pytest.raises(InvalidRequest, match="GGREP_API_TOKEN"):
        http_token(Home(home), {"GGREP_API_TOKEN": "x"}, TokenOptions())

    assert check_token(f" {'x' * 16}\n", "here") == "x" * 16


def test_a_token_that_others_read_is_refused_with_a_way_out(home: Path) -> None:
    """Also where the home cannot be written: the message names what helps."""
    http_token(Home(home), {}, TokenOptions())
    Home(home).api_token.chmod(0o640)

    with pytest.raises(
        InvalidRequest, match=r"set the mode of the file to 0600.*--auth-token-file.*--no-token"
    ):
        http_token(Home(home), {}, TokenOptions())


def test_a_new_token_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "home" / "api-token"

    token = new_token(file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert read_token(file) == token
    assert len(token) >= 43


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_read_holds_no_secret(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    new_token(file)
    file.chmod(mode)

    for path, fault in (
        (file, "other users can read the token"),
        (tmp_path / "none", "No such file"),
        (tmp_path, "not a regular file"),
    ):
        with pytest.raises(InvalidRequest, match=fault):
            read_token(path)


@pytest.mark.parametrize("token", ["", " ", "x" * 15, "x y" * 8, "é" * 16, "x\n" * 16, "\x7f" * 16])
def test_a_weak_token_is_none(token: str) -> None:
    with pytest.raises(InvalidRequest, match="a token"):
        check_token(token, "here")


NONE = {"workspaces": (), "roots": (), "hosts": (), "origins": ()}
FLAGS = ApiFlags(host="127.0.0.1", port=0, max_body_bytes=1000, **NONE)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, which is a repository's."""
    result = tmp_path.resolve() / "here"
    result.mkdir()
    (result / ".ggrep.toml").write_text("")
    monkeypatch.chdir(result)
    return result


def test_without_flags_this_repository_may_be_searched_and_named_roots_in_its_place(
    here: Path, tmp_path: Path
) -> None:
    rules = rules_of(FLAGS, None, Path())
    named = rules_of(replace(FLAGS, roots=(tmp_path / "other",)), None, Path())

    assert rules.allowlist.roots == (here,)
    assert rules.default_root == here
    assert rules.max_body_bytes == 1000
    assert not named.allowlist.allows(here)
    assert named.default_root is None


def test_a_workspace_allows_itself_and_its_repositories(here: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    file = tmp_path / "w.jsonc"
    file.write_text('{"schemaVersion": 1, "cacheRoot": "c", "repos": [{"root": "a"}]}')

    allowlist = rules_of(replace(FLAGS, workspaces=(file,)), None, Path()).allowlist

    for path in (file, tmp_path / "a" / "x", tmp_path / "c", here):
        assert allowlist.allows(path)
    for path in (tmp_path, tmp_path / "b", tmp_path / "other.jsonc"):
        assert not allowlist.allows(path)


def test_names_of_the_server_are_compared_in_lower_case(here: Path) -> None:
    flags = replace(FLAGS, host="::1", hosts=("Box.LAN",))

    hosts = rules_of(flags, None, Path()).access.hosts

    assert hosts == {"localhost", "127.0.0.1", "[::1]", "box.lan"}


@pytest.mark.parametrize("origin", ["*", "null", "page.example", "https://page.example/", ""])
def test_an_origin_is_an_origin(here: Path, origin: str) -> None:
    with pytest.raises(UsageError, match="--cors-allowed-origin"):
        rules_of(replace(FLAGS, origins=(origin,)), None, Path())
