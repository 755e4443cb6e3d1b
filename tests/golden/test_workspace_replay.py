"""Goldens of `ggrep replay --workspace --json`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.federation.federated_request import FederatedRequest
from ggrep.model.request import SearchRequest
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.fakes.receipts import (
    everywhere,
    without_builds,
    workspace_receipt_of,
    workspace_replay_of,
)
from tests.golden.documents import Repos, neutral_bytes


def test_a_workspace_that_lost_a_repository(
    golden: SnapshotAssertion, repos: Repos, indexed: dict[str, tuple[Engine, SyncReport]]
) -> None:
    """What stayed is the same, what cannot be looked into is unknown."""
    search = SearchRequest("refund", deterministic=True)
    asked = FederatedRequest(search, top=3, merge_strategy="global")
    receipt = workspace_receipt_of(repos.federate(repos.workspace("shop", "ledger"), asked))
    shop = {key: held for key, held in everywhere(receipt).items() if key.startswith("shop")}
    today = repos.federate(repos.workspace("shop"), asked)
    document = workspace_replay_of(receipt, today, shop).to_dict()

    assert neutral_bytes(without_builds(document), repos) == golden
