"""Goldens of a name's definitions over a workspace."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.model.navigation import SymbolRequest
from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes

CASES = {
    "defined_in_one": SymbolRequest("Payments.refund", deterministic=True),
    "other_case": SymbolRequest("payments", deterministic=True),
    "nothing": SymbolRequest("refnd", deterministic=True),
}


@pytest.mark.parametrize("case", CASES)
def test_equal_workspaces_give_equal_answers(
    case: str,
    golden: SnapshotAssertion,
    repos: Repos,
    indexed: dict[str, tuple[Engine, SyncReport]],
) -> None:
    """An answer that moves must be seen to move before it is shipped."""
    found = repos.symbol(repos.workspace(*indexed), CASES[case])

    assert neutral_bytes(found.to_json(), repos) == golden
