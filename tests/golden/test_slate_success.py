"""Goldens of slates."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.navigations import SLATE, slate_response
from tests.golden.documents import Repos, neutral_bytes


@pytest.mark.parametrize("level", [0, 1])
def test_a_slate_of_each_shape(level: int, golden: SnapshotAssertion) -> None:
    """Paths alone at level 0; with anchors, evidence and a graph above it."""
    document = answer_json(slate_response(replace(SLATE, level=level)))

    assert dumps_pretty(document) == golden


def test_a_slate_without_a_session_tells_its_timings(golden: SnapshotAssertion) -> None:
    """Outside of deterministic mode."""
    search = replace(SLATE.search, deterministic=False)
    document = answer_json(slate_response(replace(SLATE, search=search, session=None)))

    assert dumps_pretty(document) == golden


@pytest.mark.parametrize("level", [0, 2])
def test_equal_trees_give_equal_slates(
    level: int, golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """A selection that moves must be seen to move before it is shipped."""
    search = SearchRequest("what happens at checkout?", deterministic=True)
    found = shop.ask(SlateRequest(search, level))

    assert neutral_bytes(answer_json(found), repos) == golden
