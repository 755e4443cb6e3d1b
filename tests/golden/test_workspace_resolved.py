"""Goldens of `ggrep workspace validate --json`: the part that says what a file means."""

from pathlib import Path

from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from ggrep.federation.validation import WorkspaceDefaults
from ggrep.federation.workspace import resolved_object
from tests.fakes.searchers import repo, workspace


def test_a_resolved_workspace(golden: SnapshotAssertion) -> None:
    """Each key is there, also where the file says nothing."""
    plain = repo("billing", alias=None, root_input="../billing/src", index=1, enabled=False)
    resolved = replace(
        workspace(repo("engine", tags=("core",), priority=10, index=0), plain),
        cache_root=Path("/srv/cache"),
        defaults=WorkspaceDefaults(priority=3, tags=("active",)),
        workspace_config_hash="wsc1-" + "0" * 64,
    )

    assert dumps_pretty(resolved_object(resolved)) == golden
