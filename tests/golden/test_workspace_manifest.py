"""Golden of the manifest as it is kept on disk."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from tests.fakes.workspace_documents import Workspaces


def test_the_manifest_of_a_workspace(tmp_path: Path, golden: SnapshotAssertion) -> None:
    """A sound repository, one with a broken pointer, one that was never indexed."""
    workspaces = Workspaces(tmp_path.resolve())

    assert workspaces.neutral_bytes(workspaces.kept()) == golden
