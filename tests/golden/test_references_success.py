"""Golden of a name's usages."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from ggrep.model.navigation import ReferencesRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.navigations import references_response
from tests.golden.documents import Repos, neutral_bytes


def test_the_usages_of_a_name_are_the_contracts(golden: SnapshotAssertion) -> None:
    """Whoever changes a name goes by these."""
    assert dumps_pretty(answer_json(references_response())) == golden


def test_usages_in_a_tree_are_found_again(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """An answer that moves must be seen to move before it is shipped."""
    found = shop.ask(
        ReferencesRequest("round_cents", strings=True, comments=True, deterministic=True)
    )

    assert neutral_bytes(answer_json(found), repos) == golden
