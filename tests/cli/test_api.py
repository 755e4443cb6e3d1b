"""`ggrep api`: what its flags let callers do."""

from dataclasses import replace
from pathlib import Path

import pytest

from ggrep.cli.api import ApiFlags, rules_of
from ggrep.errors import InvalidRequest, UsageError
from ggrep.home import Home

FLAGS = ApiFlags(
    host="127.0.0.1",
    port=0,
    workspaces=(),
    roots=(),
    token_file=None,
    new_token=False,
    open_to_all=False,
    hosts=(),
    origins=(),
    max_body_bytes=1000,
)
SECRET = {"GGREP_API_TOKEN": "x" * 16}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, which is a repository's."""
    found = tmp_path.resolve() / "here"
    found.mkdir()
    (found / ".ggrep.toml").write_text("")
    monkeypatch.chdir(found)
    return found


def test_without_flags_this_repository_may_be_searched(here: Path, home: Path) -> None:
    """By anybody on this machine, under its own names."""
    rules = rules_of(FLAGS, Home(home), {})

    assert rules.gate.token is None
    assert rules.allowlist.roots == (here,)
    assert rules.default_root == here
    assert rules.max_body_bytes == 1000


def test_named_roots_stand_in_its_place(here: Path, home: Path, tmp_path: Path) -> None:
    """Who names some means no others."""
    rules = rules_of(replace(FLAGS, roots=(tmp_path / "other",)), Home(home), {})

    assert not rules.allowlist.allows(here)
    assert rules.default_root is None


def test_a_workspace_allows_itself_and_its_repositories(
    here: Path, home: Path, tmp_path: Path
) -> None:
    """And nothing beside them."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    file = tmp_path / "w.jsonc"
    file.write_text('{"schemaVersion": 1, "cacheRoot": "c", "repos": [{"root": "a"}]}')

    allowlist = rules_of(replace(FLAGS, workspaces=(file,)), Home(home), {}).allowlist

    for path in (file, tmp_path / "a" / "x", tmp_path / "c", here):
        assert allowlist.allows(path)
    for path in (tmp_path, tmp_path / "b", tmp_path / "other.jsonc"):
        assert not allowlist.allows(path)


@pytest.mark.parametrize("host", ["192.0.2.1", "::", "box.lan"])
def test_off_loopback_a_token_is_needed(here: Path, home: Path, host: str) -> None:
    """Unless somebody says in so many words that it is not."""
    flags = replace(FLAGS, host=host)

    with pytest.raises(UsageError, match="is not loopback"):
        rules_of(flags, Home(home), {})
    assert rules_of(flags, Home(home), SECRET).gate.token == "x" * 16
    assert rules_of(replace(flags, open_to_all=True), Home(home), {}).gate.token is None


def test_a_token_is_made_and_read_again(here: Path, home: Path) -> None:
    """In the home, for the next start and for callers."""
    made = rules_of(replace(FLAGS, new_token=True), Home(home), {}).gate.token
    read = rules_of(replace(FLAGS, token_file=Home(home).api_token), Home(home), SECRET).gate.token

    assert made is not None
    assert made == read
    assert made != "x" * 16


def test_a_token_is_said_once(here: Path, home: Path) -> None:
    """Which of two would be meant?"""
    flags = replace(FLAGS, new_token=True, token_file=Path("x"))

    with pytest.raises(UsageError, match="cannot go together"):
        rules_of(flags, Home(home), {})


def test_a_token_too_short_to_be_one_is_refused(here: Path, home: Path) -> None:
    """A forgotten value must not open the door."""
    with pytest.raises(InvalidRequest, match="GGREP_API_TOKEN"):
        rules_of(FLAGS, Home(home), {"GGREP_API_TOKEN": "x"})


def test_names_of_the_server_are_compared_in_lower_case(here: Path, home: Path) -> None:
    """With brackets where a Host has them."""
    flags = replace(FLAGS, host="::1", hosts=("Box.LAN",))

    assert rules_of(flags, Home(home), {}).gate.hosts == {"::1", "[::1]", "box.lan"}


@pytest.mark.parametrize("origin", ["*", "null", "page.example", "https://page.example/", ""])
def test_an_origin_is_an_origin(here: Path, home: Path, origin: str) -> None:
    """One that no browser sends would let nobody in, and one of all everybody."""
    with pytest.raises(UsageError, match="--cors-allowed-origin"):
        rules_of(replace(FLAGS, origins=(origin,)), Home(home), {})
