"""Goldens of a workspace's answers."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.federation.federated_request import FederatedRequest
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes

CASES: dict[str, FederatedRequest] = {
    "global": FederatedRequest(
        SearchRequest("retry with the same idempotency key", snippet=SnippetMode.SHORT),
        top=5,
        merge_strategy="global",
    ),
    "global_planning": FederatedRequest(
        SearchRequest("refund", mode=Mode.PLANNING, snippet=SnippetMode.NONE, explain=True),
        top=4,
        merge_strategy="global",
    ),
    "one_corpus": FederatedRequest(
        SearchRequest("checkout", corpora=(Corpus.PROSE,), snippet=SnippetMode.SHORT), top=3
    ),
    "rrf": FederatedRequest(
        SearchRequest("retry with the same idempotency key", snippet=SnippetMode.SHORT), top=5
    ),
    "selected": FederatedRequest(
        SearchRequest("round half to even", snippet=SnippetMode.NONE),
        top=2,
        only=("gateway", "shop", "warehouse"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_equal_workspaces_give_equal_answers(
    case: str,
    golden: SnapshotAssertion,
    repos: Repos,
    indexed: dict[str, tuple[Engine, SyncReport]],
) -> None:
    """Neither the order in which repositories answer nor their place on disk may show."""
    workspace = repos.workspace(*indexed, priorities={"shop": 5})
    response = repos.federate(workspace, CASES[case])

    assert neutral_bytes(response.to_json(), repos) == golden


def test_a_repository_without_an_index_keeps_its_row(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """Nobody may take a partial answer for a whole one."""
    repos = Repos(tmp_path.resolve())
    repos.index("ledger")
    workspace = repos.workspace("gateway", "ledger")
    request = FederatedRequest(SearchRequest("trial balance", deterministic=True), top=2)

    assert neutral_bytes(repos.federate(workspace, request).to_json(), repos) == golden
