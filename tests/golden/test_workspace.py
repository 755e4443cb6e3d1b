"""Goldens of what the commands of `ggrep workspace` print with `--json`."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fakes.workspace_documents import Workspaces


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Workspaces:
    """Return a workspace in which not all is well."""
    return Workspaces(Path(tmp_path_factory.mktemp("golden")).resolve())


def test_a_manifest_that_was_written(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """Where it lies and what is wrong, in figures."""
    assert workspaces.neutral_bytes(workspaces.written()) == golden


def test_the_state_of_every_repository(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """Daemons included, which enter no hash."""
    assert workspaces.neutral_bytes(workspaces.status()) == golden


def test_the_catalog_shows_places(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """For those who look into a problem."""
    assert workspaces.neutral_bytes(workspaces.catalog()) == golden


def test_a_build_of_which_a_part_failed(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """Passed, killed, not begun."""
    assert workspaces.neutral_bytes(workspaces.build()) == golden


def test_an_examination_with_work_to_do(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """Each finding with what to type."""
    assert workspaces.neutral_bytes(workspaces.doctor()) == golden


def test_a_line_of_a_watch(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """One document for each change."""
    assert workspaces.neutral_bytes(workspaces.event()) == golden


def test_directories_that_nobody_claims(workspaces: Workspaces, golden: SnapshotAssertion) -> None:
    """Before anything is deleted."""
    assert workspaces.neutral_bytes(workspaces.collection()) == golden
