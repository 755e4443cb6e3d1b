"""Who a repository is does not depend on where it lies or how its remote was typed."""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.repo_key import is_key, key_by_history, normalised, repo_key
from ggrep.config.settings import Settings
from tests.fakes.git import run_git
from tests.fakes.remotes import clone, commit

SAME = (
    "https://github.com/Team/shop",
    "https://github.com/Team/shop.git",
    "https://github.com/Team/shop/",
    "https://user:token@GitHub.com:443/Team/shop.git",
    "git@github.com:Team/shop.git",
    "ssh://git@github.com/Team/shop",
    "ssh://git@github.com:22/Team/shop.git",
    "git+ssh://git@github.com/Team/shop.git",
    "git://github.com:9418/Team/shop.git",
    "github.com:Team/shop",
)
NONE = (
    "",
    "/srv/shop.git",
    "../shop",
    "./host:path",
    "file:///srv/shop.git",
    "https://github.com",
    "https://github.com/",
    "https://github.com/../x",
    "https://host:port/x",
    "https://github.com/a b",
    "https://github.com/" + "a" * 300,
    "git@host:",
)


def test_a_url_has_one_key_however_it_is_typed() -> None:
    """No user, password or usual port is part of it."""
    assert {normalised(url) for url in SAME} == {"github.com/Team/shop"}


@pytest.mark.parametrize("url", NONE)
def test_a_place_of_this_machine_is_no_key(url: str) -> None:
    """Nor is what could lead elsewhere on a remote."""
    assert normalised(url) == ""


def test_another_port_is_another_host() -> None:
    """Two services of one machine hold two repositories."""
    assert normalised("https://host:8443/shop") == "host:8443/shop"
    assert is_key("host:8443/shop")


def test_a_user_s_home_is_that_user_s() -> None:
    """But for the user that all share."""
    assert normalised("alice@host:proj.git") == "alice@host/proj"
    assert normalised("ssh://bob@host/~/proj") == "bob@host/~/proj"
    assert normalised("ssh://bob@host/proj") == normalised("git@host:proj") == "host/proj"
    assert normalised("C:repo") == ""


@pytest.mark.parametrize("name", ["../../x", "a/../b", ".", "k" * 300])
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    """A repository may bring its own settings."""
    with pytest.raises(InvalidRequest, match="repo_key: "):
        repo_key(tmp_path, Settings(repo_key=name))


def test_the_settings_name_it_first(tmp_path: Path) -> None:
    """Then the remote, then the first commit."""
    commit(tmp_path, {"a.py": "a = 1\n"})
    first = run_git(tmp_path, "rev-list", "--max-parents=0", "HEAD").strip()

    assert repo_key(tmp_path, Settings()) == ""
    assert key_by_history(tmp_path) == f"commit/{first}"
    run_git(tmp_path, "remote", "add", "origin", "git@github.com:team/shop.git")
    assert repo_key(tmp_path, Settings()) == "github.com/team/shop"
    assert repo_key(tmp_path, Settings(repo_key="team/other")) == "team/other"


def test_clones_of_a_local_repository_have_its_history(tmp_path: Path) -> None:
    """Their origin is a path, which says nothing elsewhere."""
    commit(tmp_path / "a", {"a.py": "a = 1\n"})
    clone(tmp_path / "a", tmp_path / "b")

    assert repo_key(tmp_path / "b", Settings()) == ""
    assert key_by_history(tmp_path / "a") == key_by_history(tmp_path / "b") != ""


def test_a_shallow_clone_does_not_know_its_first_commit(tmp_path: Path) -> None:
    """Its oldest one is another in each."""
    commit(tmp_path / "a", {"a.py": "a = 1\n"})
    commit(tmp_path / "a", {"a.py": "a = 2\n"})
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path}/a", str(tmp_path / "b"))

    assert key_by_history(tmp_path / "b") == ""
    assert key_by_history(tmp_path) == ""
