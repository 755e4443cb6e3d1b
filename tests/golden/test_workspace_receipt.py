"""Goldens of `ggrep search --workspace --receipt`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_receipts import workspace_receipt_document
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.fakes.receipts import without_builds, workspace_receipt_of
from tests.golden.documents import Repos, neutral_bytes


def test_a_receipt_of_a_workspaces_answer(
    golden: SnapshotAssertion, repos: Repos, indexed: dict[str, tuple[Engine, SyncReport]]
) -> None:
    """One document for all repositories."""
    search = SearchRequest("refund", deterministic=True, snippet=SnippetMode.NONE)
    workspace = repos.workspace("shop", "ledger")
    response = repos.federate(workspace, FederatedRequest(search, top=3, merge_strategy="global"))
    document = workspace_receipt_document(workspace_receipt_of(response))

    assert neutral_bytes(without_builds(document), repos) == golden
