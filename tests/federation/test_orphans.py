"""The collection of what workspaces left behind: it takes what nobody claims and nothing else."""

import os
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ggrep.config.home import Home
from ggrep.federation.orphans import OrphansReport, collect_orphans
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_state import read_workspace_state, store_manifest
from tests.fakes.workspaces import ENVIRON, load, make_workspace, tree_of, write_workspace

NOW = datetime(2100, 1, 1, tzinfo=UTC)
GRACE = timedelta(days=7)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def house(base: Path) -> Home:
    return Home(base / "home")


@pytest.fixture
def workspace(base: Path, house: Home) -> Workspace:
    result = make_workspace(base, "alpha", "beta")
    store_manifest(read_workspace_state(result, house, ENVIRON), datetime(2031, 1, 1, tzinfo=UTC))
    return result


def collect(house: Home, **options: Any) -> OrphansReport:
    """Return what a collection finds long after everything was written."""
    options = {"force": True, "grace": GRACE, "now": NOW} | options
    return collect_orphans([house.cache, house.cache], partial(load, whole=True), **options)


def test_a_workspace_that_lives_keeps_its_directory(workspace: Workspace, house: Home) -> None:
    report = collect(house)

    assert (report.candidates, report.deleted) == ((), ())
    assert (house.cache / "federation" / workspace.repo_set_id).is_dir()


def test_without_force_nothing_is_touched(workspace: Workspace, house: Home, base: Path) -> None:
    workspace.workspace_path.unlink()
    before = tree_of(base)

    report = collect(house, force=False)

    assert report.dry_run
    assert [orphan.path for orphan in report.candidates] == [
        str(house.cache / "federation" / workspace.repo_set_id)
    ]
    assert report.deleted == ()
    assert tree_of(base) == before


def test_the_directory_of_a_file_that_is_gone_goes(workspace: Workspace, house: Home) -> None:
    """Once; it is counted once though two places led to it."""
    workspace.workspace_path.unlink()

    (orphan,) = collect(house).deleted

    assert orphan.reason == "workspace_gone"
    assert orphan.workspace_path == str(workspace.workspace_path)
    assert (orphan.files, orphan.size_bytes > 0) == (1, True)
    assert not (house.cache / "federation" / workspace.repo_set_id).exists()


def test_the_directory_of_other_repositories_goes(
    workspace: Workspace, house: Home, base: Path
) -> None:
    write_workspace(base / "ws.jsonc", {"repos": [{"root": "alpha"}]})

    assert [orphan.reason for orphan in collect(house).deleted] == ["other_repositories"]


@pytest.mark.parametrize("content", ["{", '{"schemaVersion": 1, "repos": [{"root": "gone"}]}'])
def test_a_file_that_cannot_be_loaded_keeps_its_directory(
    workspace: Workspace, house: Home, content: str
) -> None:
    """A slip of the pen, or a disk that is not mounted."""
    workspace.workspace_path.write_text(content)

    assert collect(house).candidates == ()


def test_a_directory_is_as_young_as_its_newest_file_and_a_young_one_stays(
    workspace: Workspace, house: Home
) -> None:
    workspace.workspace_path.unlink()
    (manifest,) = (house.cache / "federation" / workspace.repo_set_id).iterdir()
    os.utime(manifest, (NOW.timestamp(), NOW.timestamp()))

    assert collect(house).candidates == ()
    assert collect(house, now=NOW + GRACE).deleted != ()


@pytest.mark.parametrize("content", [None, b"{", b"{}"])
def test_a_directory_without_a_manifest_goes(
    workspace: Workspace, house: Home, content: bytes | None
) -> None:
    (manifest,) = (house.cache / "federation" / workspace.repo_set_id).iterdir()
    manifest.unlink()
    if content is not None:
        manifest.write_bytes(content)

    (orphan,) = collect(house).deleted

    assert (orphan.reason, orphan.workspace_path) == ("no_manifest", None)


def test_what_is_not_called_as_ours_stays(house: Home, base: Path) -> None:
    assert collect(house).candidates == ()
    folder = house.cache / "federation"
    for name in ("ws1-short", "ws1-" + "0" * 64 + ".bak"):
        (folder / name).mkdir(parents=True)
    (folder / ("ws1-" + "0" * 64)).write_text("a file")
    (base / "theirs").mkdir()
    (folder / ("ws1-" + "1" * 64)).symlink_to(base / "theirs")

    assert collect(house).candidates == ()
    assert (base / "theirs").is_dir()


def test_a_run_deletes_so_many_files_and_says_that_there_is_more(house: Home) -> None:
    """Nothing partial is silent; a directory goes whole or not at all."""
    for digit in "ab":
        directory = house.cache / "federation" / ("ws1-" + digit * 64)
        directory.mkdir(parents=True)
        for name in "xy":
            (directory / name).write_text(name)
    first, second = collect(house, most=3), collect(house, most=2)

    assert (len(first.candidates), len(first.deleted), first.limit_reached) == (2, 1, True)
    assert (len(second.deleted), second.limit_reached) == (1, False)
