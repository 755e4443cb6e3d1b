"""Paths below the ggrep home."""

from pathlib import Path

from ggrep.base.ids import StoreId
from ggrep.config.home import Home


def test_everything_lies_below_the_base() -> None:
    """Moving the home moves all of it: nothing is left behind on a full disk."""
    home = Home(Path("/h"))

    paths = [home.config_file, home.data, home.cache, home.locks, home.logs]

    assert [str(path) for path in paths] == [
        "/h/config.toml",
        "/h/data",
        "/h/cache",
        "/h/locks",
        "/h/logs",
    ]


def test_each_store_has_a_directory_of_its_own() -> None:
    """Two stores never share files."""
    home = Home(Path("/h"))

    assert home.store_dir(StoreId("a-1-2")) == Path("/h/data/a-1-2")
