"""The fast path's guess of the root, and the hint it follows."""

import os
from pathlib import Path

import pytest

from ggrep.config import settings_files
from ggrep.config.settings import home_from
from ggrep.interfaces.entry.daemon_place import (
    REPO_FILE,
    is_led,
    locator_file,
    place_of,
    read_locator,
)
from ggrep.protocol.wire.locator import Locator, locator_bytes, locator_name
from ggrep.service.location import location_of as typed_place_of


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work tree with another one inside, below a home of its own."""
    root = tmp_path / "repo"
    for directory in ("src/deep", ".git", "nested/.git", "linked", "broken/.git", "odd/.git"):
        (root / directory).mkdir(parents=True)
    for git in (root / ".git", root / "nested/.git"):
        (git / "HEAD").write_text("ref: refs/heads/main\n")
    (root / "linked/.git").write_text(f"gitdir: {root}/.git\n")
    (root / "src/a.py").write_text("pass\n")
    (root / "way").symlink_to("src/deep")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(root / "src")
    return root


def test_a_hint_for_a_directory_above_is_seen(tree: Path, tmp_path: Path) -> None:
    """Then a daemon runs, most likely, and none is to be begun."""
    environ = {"HOME": str(tmp_path)}
    hint = Path(locator_file(str(tree), environ))

    assert not is_led("deep", environ)
    hint.parent.mkdir(parents=True)
    hint.touch()
    assert is_led("deep", environ)
    assert not is_led(str(tmp_path), environ)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [None, ".", "..", "deep", "a.py", "a.py/", "../way", "../way/..", "../nested", "../linked"],
)
def test_the_guess_is_the_root_that_the_command_line_finds(tree: Path, path: str | None) -> None:
    """Else the daemon of another repository would be asked."""
    guess = place_of(path, {"HOME": str(tree.parent)})
    typed = typed_place_of(None if path is None else Path(path))

    assert (guess.root, guess.scope) == (str(typed.root), typed.scope)


def test_a_marker_that_git_would_not_take_and_the_home_are_no_roots(tree: Path) -> None:
    assert place_of("../broken", {"HOME": str(tree.parent)}).root == str(tree)
    assert place_of(None, {"HOME": str(tree)}).root == str(tree / "src")
    with pytest.raises(ValueError, match="cannot be a root"):
        place_of(str(tree), {"HOME": str(tree)})

    with pytest.raises(OSError, match="nosuch"):
        place_of("nosuch", {"HOME": str(tree.parent)})


@pytest.mark.parametrize("home", ["", "relative"])
def test_a_home_that_has_to_be_looked_up_is_left_to_the_command_line(tree: Path, home: str) -> None:
    """The user database is slow to ask, and a root must not be the home directory."""
    with pytest.raises(ValueError, match="HOME"):
        place_of(None, {"HOME": home})


@pytest.mark.slow
@pytest.mark.parametrize("path", [".", "deep", "deep/a.py", "named", "named/deep", "named/a.py"])
def test_outside_git_the_guess_is_the_root_that_the_command_line_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Else a search of a plain directory would take four times as long."""
    for directory in ("deep", "named/deep"):
        (tmp_path / "plain" / directory).mkdir(parents=True)
        (tmp_path / "plain" / directory / "a.py").touch()
    for file in ("a.py", REPO_FILE):
        (tmp_path / "plain/named" / file).touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "plain")

    guess, typed = place_of(path, {"HOME": str(tmp_path)}), typed_place_of(Path(path))

    assert (guess.root, guess.scope) == (str(typed.root), typed.scope)


def test_the_settings_of_a_repository_are_called_as_everywhere_and_a_relative_home_is_refused() -> (
    None
):
    assert REPO_FILE == settings_files.REPO_FILE

    with pytest.raises(ValueError, match="rel"):
        locator_file("/r", {"HOME": "/h", "GGREP_HOME": "rel"})


@pytest.mark.parametrize("environ", [{"HOME": "/h"}, {"HOME": "/h", "GGREP_HOME": "/g/h"}])
def test_the_hint_is_looked_for_where_daemons_leave_it(environ: dict[str, str]) -> None:
    """The home and the name of the file are worked out in two places."""
    root = "/srv/café"

    expected = home_from(environ).base / "daemon" / locator_name(os.fsencode(root))
    assert locator_file(root, environ) == str(expected)


def test_a_hint_says_where_to_ask_and_for_what(tmp_path: Path) -> None:
    """What daemons write is what is read, whatever bytes the root is made of."""
    root = os.fsdecode(b"/srv/caf\xe9")
    file = _locator_in(tmp_path, os.fsencode(root))

    result = read_locator(str(file), root)

    assert (result.store_id, result.config_fingerprint) == ("store", "config")
    assert (result.address, result.build) == ("/run/a.sock", "1+2")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b"/repo\n", b"/other\n"),
        lambda data: data.replace(b"locator-1", b"locator-2"),
        lambda data: data + b"more\n",
        lambda data: data[:-1],
        lambda data: data.rpartition(b"\n1+2")[0],
        lambda data: data.replace(b"store", b"\xff"),
        lambda data: b"",
        lambda data: b"\n" * 20_000,
    ],
)
def test_a_hint_that_is_not_exactly_one_is_none(tmp_path: Path, spoil: object) -> None:
    """Two roots may share its name, and a file may be cut short."""
    file = _locator_in(tmp_path, b"/repo")
    file.write_bytes(spoil(file.read_bytes()))  # type: ignore[operator] # one of the above

    with pytest.raises(ValueError):
        read_locator(str(file), "/repo")


def test_a_hint_that_is_a_link_or_a_pipe_is_not_followed(tmp_path: Path) -> None:
    """A pipe without a writer would be waited for."""
    file = _locator_in(tmp_path, b"/repo")
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="link"):
        read_locator(str(tmp_path / "link"), "/repo")
    with pytest.raises(ValueError):
        read_locator(str(tmp_path / "pipe"), "/repo")


def test_a_hint_of_another_user_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a daemon sends is written to the terminal as it is."""
    file = _locator_in(tmp_path, b"/repo")
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)

    with pytest.raises(ValueError, match="not ours"):
        read_locator(str(file), "/repo")


def _locator_in(directory: Path, root: bytes) -> Path:
    file = directory / "a.locator"
    file.write_bytes(locator_bytes(Locator(root, "store", "config", Path("/run/a.sock"), "1+2")))
    return file
