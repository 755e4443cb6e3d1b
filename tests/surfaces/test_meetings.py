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


def test_it_is_worked_out_once_for_each_root(
    kept: DaemonAddresses, root: Path, home: Path, counted: Counted
) -> None:
    """With the flags, the variables and the build of this process."""
    other = root.parent / "other"
    other.mkdir()
    first = kept.of(root)

    assert first == arrange(root, Home(home), environ={}, flags={"encoder": "hashed"}, build="b")
    assert kept.of(other).socket != first.socket
    assert kept.of(root) is first
    assert counted.times == 2


def test_settings_of_a_repository_are_read_when_they_appear_change_or_go(
    kept: DaemonAddresses, root: Path
) -> None:
    file, plain = root / ".ggrep.toml", kept.of(root)
    file.write_text("max_file_size_bytes = 9999\n")
    appeared, stamp = kept.of(root), file.stat()
    file.write_text("max_file_size_bytes = 8888\n")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    changed = kept.of(root)
    file.unlink()

    assert len({place.socket for place in (plain, appeared, changed)}) == 3
    assert kept.of(root).socket == plain.socket


@pytest.mark.parametrize("linked", [False, True])
def test_the_user_s_settings_count_too(
    kept: DaemonAddresses, root: Path, home: Path, linked: bool
) -> None:
    file = root.parent / "dotfiles.toml" if linked else Home(home).config_file
    if linked:
        file.write_text("max_query_results = 8\n")
        Home(home).config_file.symlink_to(file)
    before = dict(kept.of(root).budgets)["max_query_results"]
    file.write_text("max_query_results = 7\n")

    assert before == 8 if linked else before != 7
    assert dict(kept.of(root).budgets)["max_query_results"] == 7


def test_becoming_a_work_tree_is_noticed(
    kept: DaemonAddresses, root: Path, counted: Counted
) -> None:
    kept.of(root)
    (root / ".git").mkdir()
    kept.of(root)
    (root / ".git" / "index").write_text("x")
    kept.of(root)

    assert counted.times == 2


def test_wrong_settings_are_told_each_time_and_right_ones_help(
    kept: DaemonAddresses, root: Path
) -> None:
    file = root / ".ggrep.toml"
    file.write_text("max_file_size_bytes = 'many'\n")
    for _ in range(2):
        with pytest.raises(InvalidRequest, match="max_file_size_bytes"):
            kept.of(root)
    file.unlink()

    assert kept.of(root).identity.root == root


def test_a_model_s_folder_is_looked_at_each_time(root: Path, home: Path, counted: Counted) -> None:
    folder = root.parent / "model"
    folder.mkdir()
    flags = {"encoder": f"sentence-transformers:{folder}"}
    kept = DaemonAddresses(Home(home), {}, flags=flags)
    for _ in range(2):
        kept.of(root)

    assert counted.times == 2
