"""Goldens of a workspace's failures."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.base import stable_json
from ggrep.base.errors import Busy, GgrepError, InvalidRequest
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import failure_json
from ggrep.model.request import SearchRequest
from tests.golden.documents import Repos, neutral_bytes
from tests.golden.test_query_error import CASES as ERRORS

CASES: dict[str, GgrepError] = {
    "busy": Busy(retry_after_ms=250),
    "redacted": InvalidRequest("/srv/team.jsonc: no such file or directory"),
    "workspace": ERRORS["workspace"],
}


@pytest.mark.parametrize("case", CASES)
def test_a_request_that_reached_no_repository_has_one_shape(
    case: str, golden: SnapshotAssertion
) -> None:
    """Callers find the code at one place whatever went wrong."""
    document = failure_json(CASES[case], include_paths=False)

    assert stable_json.dumps_pretty(document) == golden


def test_a_workspace_without_any_index_names_its_repositories(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """The caller learns which of them to index."""
    repos = Repos(tmp_path.resolve())
    workspace = repos.workspace("gateway", "shop")
    request = FederatedRequest(SearchRequest("retry", deterministic=True))

    assert neutral_bytes(repos.federate(workspace, request).to_json(), repos) == golden
