"""Golden of a place's surroundings in a workspace."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.model.navigation import ExpandRequest
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes

CASES = {
    "of_one": ExpandRequest("shop:shop/pricing.py:20", "definition", deterministic=True),
}


@pytest.mark.parametrize("case", CASES)
def test_equal_workspaces_give_equal_answers(
    case: str,
    golden: SnapshotAssertion,
    repos: Repos,
    indexed: dict[str, tuple[Engine, SyncReport]],
) -> None:
    """An answer that moves must be seen to move before it is shipped."""
    found = repos.expand(repos.workspace(*indexed), CASES[case])

    assert neutral_bytes(found.to_json(), repos) == golden
