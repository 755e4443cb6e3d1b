"""`ggrep api`: what its flags let callers do."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.servers.api import ApiFlags, rules_of

FLAGS = ApiFlags(
    host="127.0.0.1",
    port=0,
    workspaces=(),
    roots=(),
    hosts=(),
    origins=(),
    max_body_bytes=1000,
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, which is a repository's."""
    found = tmp_path.resolve() / "here"
    found.mkdir()
    (found / ".ggrep.toml").write_text("")
    monkeypatch.chdir(found)
    return found


def test_without_flags_this_repository_may_be_searched(here: Path) -> None:
    """Under its own names."""
    rules = rules_of(FLAGS, None, Path())

    assert rules.allowlist.roots == (here,)
    assert rules.default_root == here
    assert rules.max_body_bytes == 1000


def test_named_roots_stand_in_its_place(here: Path, tmp_path: Path) -> None:
    """Who names some means no others."""
    rules = rules_of(replace(FLAGS, roots=(tmp_path / "other",)), None, Path())

    assert not rules.allowlist.allows(here)
    assert rules.default_root is None


def test_a_workspace_allows_itself_and_its_repositories(here: Path, tmp_path: Path) -> None:
    """And nothing beside them."""
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
    """With brackets where a Host has them."""
    flags = replace(FLAGS, host="::1", hosts=("Box.LAN",))

    hosts = rules_of(flags, None, Path()).access.hosts

    assert hosts == {"localhost", "127.0.0.1", "[::1]", "box.lan"}


@pytest.mark.parametrize("origin", ["*", "null", "page.example", "https://page.example/", ""])
def test_an_origin_is_an_origin(here: Path, origin: str) -> None:
    """One that no browser sends would let nobody in, and one of all everybody."""
    with pytest.raises(UsageError, match="--cors-allowed-origin"):
        rules_of(replace(FLAGS, origins=(origin,)), None, Path())
