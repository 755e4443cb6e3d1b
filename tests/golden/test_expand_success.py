"""Golden of a place's surroundings."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from ggrep.model.navigation import ExpandRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.navigations import expand_response
from tests.golden.documents import Repos, neutral_bytes


def test_what_stands_around_a_place_is_the_contracts(golden: SnapshotAssertion) -> None:
    """Agents read on from here."""
    assert dumps_pretty(answer_json(expand_response())) == golden


def test_surroundings_in_a_tree_are_found_again(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """An answer that moves must be seen to move before it is shipped."""
    found = shop.ask(ExpandRequest("shop/pricing.py:20", "definition", deterministic=True))

    assert neutral_bytes(answer_json(found), repos) == golden
