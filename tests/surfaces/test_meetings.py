"""Where daemons are met is worked out again when, and only when, it may be elsewhere."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.service import daemon_addresses as addresses
from ggrep.service.daemon_addresses import DaemonAddresses


class Counted:
    """How often a meeting was worked out."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.times = 0

        def count(*given: object, **more: object) -> DaemonAddress:
            self.times += 1
            return arrange(*given, **more)  # type: ignore[arg-type]  # as they came

        patch.setattr(addresses, "arrange", count)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture
def kept(home: Path, counted: Counted) -> DaemonAddresses:
    home.mkdir()
    return DaemonAddresses(Home(home), {}, flags={"encoder": "hashed"}, build="b")


def test_it_is_what_would_be_worked_out(kept: DaemonAddresses, root: Path, home: Path) -> None:
    """With the flags, the variables and the build of this process."""
    plain = arrange(root, Home(home), environ={}, flags={"encoder": "hashed"}, build="b")

    assert kept.of(root) == plain


def test_it_is_worked_out_once(kept: DaemonAddresses, root: Path, counted: Counted) -> None:
    """A workspace of a hundred repositories reads no settings for the next question."""
    first = kept.of(root)

    assert kept.of(root) is first
    assert counted.times == 1


def test_each_root_has_its_own(kept: DaemonAddresses, root: Path, counted: Counted) -> None:
    """One's settings are not another's."""
    other = root.parent / "other"
    other.mkdir()

    assert kept.of(root).socket != kept.of(other).socket
    assert kept.of(root) is kept.of(root)
    assert counted.times == 2


def test_settings_of_a_repository_that_appear_are_read(kept: DaemonAddresses, root: Path) -> None:
    """They may lead to another index."""
    before = kept.of(root)
    (root / ".ggrep.toml").write_text("max_file_size_bytes = 9999\n")

    assert kept.of(root).socket != before.socket


def test_settings_of_a_repository_that_change_are_read(kept: DaemonAddresses, root: Path) -> None:
    """Even at the same length and the same time."""
    file = root / ".ggrep.toml"
    file.write_text("max_file_size_bytes = 9999\n")
    before, stamp = kept.of(root), file.stat()
    file.write_text("max_file_size_bytes = 8888\n")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    assert kept.of(root).socket != before.socket


def test_settings_of_a_repository_that_go_are_forgotten(kept: DaemonAddresses, root: Path) -> None:
    """It is met where it was met without them."""
    before = kept.of(root)
    file = root / ".ggrep.toml"
    file.write_text("max_file_size_bytes = 9999\n")
    kept.of(root)
    file.unlink()

    assert kept.of(root).socket == before.socket


def test_the_user_s_settings_count_too(kept: DaemonAddresses, root: Path, home: Path) -> None:
    """They apply to every repository."""
    before = kept.of(root)
    Home(home).config_file.write_text("max_query_results = 7\n")

    assert dict(before.budgets)["max_query_results"] != 7
    assert dict(kept.of(root).budgets)["max_query_results"] == 7


def test_the_user_s_settings_count_behind_a_link(
    kept: DaemonAddresses, root: Path, home: Path
) -> None:
    """Many keep their settings elsewhere and link them."""
    elsewhere = root.parent / "dotfiles.toml"
    elsewhere.write_text("max_query_results = 7\n")
    Home(home).config_file.symlink_to(elsewhere)
    kept.of(root)
    elsewhere.write_text("max_query_results = 8\n")

    assert dict(kept.of(root).budgets)["max_query_results"] == 8


def test_becoming_a_work_tree_is_noticed(
    kept: DaemonAddresses, root: Path, counted: Counted
) -> None:
    """Commits are not."""
    kept.of(root)
    (root / ".git").mkdir()
    kept.of(root)
    (root / ".git" / "index").write_text("x")
    kept.of(root)

    assert counted.times == 2


def test_wrong_settings_are_told_each_time_and_right_ones_help(
    kept: DaemonAddresses, root: Path
) -> None:
    """A mistake is not kept."""
    file = root / ".ggrep.toml"
    file.write_text("max_file_size_bytes = 'many'\n")
    for _ in range(2):
        with pytest.raises(InvalidRequest, match="max_file_size_bytes"):
            kept.of(root)
    file.unlink()

    assert kept.of(root).identity.root == root


def test_a_model_s_folder_is_looked_at_each_time(root: Path, home: Path, counted: Counted) -> None:
    """Its content is part of who we are."""
    folder = root.parent / "model"
    folder.mkdir()
    flags = {"encoder": f"sentence-transformers:{folder}"}
    kept = DaemonAddresses(Home(home), {}, flags=flags)
    for _ in range(2):
        kept.of(root)

    assert counted.times == 2
