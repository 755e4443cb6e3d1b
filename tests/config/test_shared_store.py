"""Sharing a home: who may ask for it, and what it does to the index."""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.config.settings import LoadedSettings, index_shaping, load_settings


def load(tmp_path: Path, text: str = "", **variables: str) -> LoadedSettings:
    """Return the settings of a root under a user's file and variables."""
    (tmp_path / "config.toml").write_text(text)
    environ = {f"GGREP_{name.upper()}": value for name, value in variables.items()}
    return load_settings(Home(tmp_path), tmp_path, environ=environ)


def test_a_shared_store_leaves_untracked_files_out(tmp_path: Path) -> None:
    """The value in force is the one that walk, manifest and fingerprint see."""
    loaded = load(tmp_path, "shared_store = true\n")

    assert not loaded.settings.include_untracked
    assert (loaded.sources["shared_store"], loaded.sources["include_untracked"]) == ("user", "user")


def test_whoever_decided_to_share_decided_that_too(tmp_path: Path) -> None:
    """The place to look for is the one that made the difference."""
    loaded = load(tmp_path, "include_untracked = true\n", shared_store="1")

    assert not loaded.settings.include_untracked
    assert loaded.sources["include_untracked"] == "env"


def test_untracked_files_can_be_let_in(tmp_path: Path) -> None:
    """But not where `include_untracked` itself is off."""
    both = "shared_store = true\nshared_store_include_untracked = true\n"

    assert load(tmp_path, both).settings.include_untracked
    assert load(tmp_path, both).sources["include_untracked"] == "default"
    assert not load(tmp_path, both, include_untracked="0").settings.include_untracked


def test_the_rules_bind_shared_stores_alone(tmp_path: Path) -> None:
    """A setting that waits for another one does nothing by itself."""
    loaded = load(tmp_path, "shared_store_clean = true\nshared_store_include_untracked = false\n")

    assert loaded.settings.include_untracked


def test_an_index_is_shaped_by_what_is_in_force(tmp_path: Path) -> None:
    """Stores are told apart by what they hold, not by who may read them."""
    private = index_shaping(load(tmp_path).settings)
    shared = index_shaping(load(tmp_path, "shared_store = true\n").settings)
    tracked = index_shaping(load(tmp_path, "include_untracked = false\n").settings)
    all_in = load(tmp_path, "shared_store = true\nshared_store_include_untracked = true\n")

    assert shared == tracked
    assert shared != private
    assert index_shaping(all_in.settings) == private


@pytest.mark.parametrize(
    "key", ["shared_store", "shared_store_clean", "shared_store_include_untracked"]
)
def test_a_repository_decides_nothing_about_it(tmp_path: Path, key: str) -> None:
    """It comes from strangers, who must not open a home to a group."""
    (tmp_path / ".ggrep.toml").write_text(f"{key} = true\n")

    with pytest.raises(InvalidRequest, match="cannot be set by a repository"):
        load(tmp_path)
