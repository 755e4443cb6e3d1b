"""Goldens of a workspace's slates."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes

CASES = {
    "level_0": (SlateShape(0), "rrf"),
    "level_1": (SlateShape(1, Budgets(files=8)), "rrf"),
    "level_2_global": (SlateShape(2, Budgets(files=6), anchors=False), "global"),
}


@pytest.mark.parametrize("case", CASES)
def test_equal_workspaces_give_equal_slates(
    case: str,
    golden: SnapshotAssertion,
    repos: Repos,
    indexed: dict[str, tuple[Engine, SyncReport]],
) -> None:
    """A selection or an edge that moves must be seen to move before it is shipped."""
    shape, strategy = CASES[case]
    workspace = repos.workspace(*indexed)
    search = SearchRequest("retry with the same idempotency key", deterministic=True)
    found = repos.slate(workspace, FederatedRequest(search, merge_strategy=strategy), shape)

    assert neutral_bytes(found.to_json(), repos) == golden
