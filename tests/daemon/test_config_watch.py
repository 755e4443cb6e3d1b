"""Settings are known together with the bytes that said them."""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.daemon import watched_root
from ggrep.daemon.daemon_tasks import Debouncer
from ggrep.daemon.watched_root import load_config
from tests.fakes.repos import write_tree


def test_a_file_that_says_the_same_is_no_change(root: Path, home: Path) -> None:
    """Editors write files anew that nobody changed."""
    write_tree(root, {".ggrep.toml": "max_query_results = 5\n"})
    loaded = load_config(root, Home(home), {}, {})
    write_tree(root, {".ggrep.toml": None})
    write_tree(root, {".ggrep.toml": "max_query_results = 5\n"})

    assert loaded.settings.max_query_results == 5
    assert loaded.is_current()


@pytest.mark.parametrize("place", ["root", "home"])
def test_a_file_that_comes_changes_or_goes_is_one(root: Path, home: Path, place: str) -> None:
    """The repository's own and the user's alike."""
    where, name = (root, ".ggrep.toml") if place == "root" else (home, "config.toml")
    without = load_config(root, Home(home), {}, {})
    write_tree(where, {name: "max_query_results = 5\n"})
    with_five = load_config(root, Home(home), {}, {})
    write_tree(where, {name: "max_query_results = 6\n"})

    assert not without.is_current()
    assert not with_five.is_current()
    write_tree(where, {name: None})
    assert not with_five.is_current()
    assert without.is_current()


def test_settings_are_those_of_one_moment(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes while ggrep reads it is read again, and not for ever."""
    load, edits = watched_root.load_settings, iter(range(100))

    def load_and_edit(*args: object, **kwargs: object) -> object:
        found = load(*args, **kwargs)  # type: ignore[arg-type] # passed through
        if (number := next(edits)) < until:
            write_tree(root, {".ggrep.toml": f"max_query_results = {number + 1}\n"})
        return found

    monkeypatch.setattr(watched_root, "load_settings", load_and_edit)
    until = 2
    assert load_config(root, Home(home), {}, {}).settings.max_query_results == 2
    until = 100

    with pytest.raises(InvalidRequest, match="changes while ggrep reads it"):
        load_config(root, Home(home), {}, {})


def test_a_change_is_taken_in_once_it_has_lasted() -> None:
    """A rebase writes the file many times; a daemon must not restart its store each time."""
    now_ms = [0.0]
    quiet = Debouncer(2_000.0, lambda: now_ms[0])

    def look(seen: str, at_ms: float, *, changed: bool = True) -> bool:
        now_ms[0] = at_ms
        return quiet.settled(seen, changed=changed)

    assert not look("a", 0)
    assert not look("a", 1_999)
    assert not look("b", 2_000), "it moved again"
    assert not look("b", 3_999)
    assert look("b", 4_000)
    assert not look("b", 4_500), "it was told"
    assert not look("old", 5_000, changed=False)
    assert not look("b", 5_500), "the patience begins anew"
    assert look("b", 7_500)
