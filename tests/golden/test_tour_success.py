"""Golden of the tour of a repository."""

from syrupy.assertion import SnapshotAssertion

from ggrep.model.outline import TourRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes


def test_a_tree_is_shown_around_again(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """An answer that moves must be seen to move before it is shipped."""
    found = shop.ask(TourRequest(deterministic=True))

    assert neutral_bytes(answer_json(found), repos) == golden
