"""Answers over nodes are those of one machine with all repositories, byte for byte."""

import gc
import weakref

import pytest

from ggrep.server.node_searchers import NodeSearchers
from ggrep.server.nodes import Nodes
from tests.fakes.team import SEARCHES, TREES, Link, Team, answer, follow_ups, hold, search

NUMBERS = (1, 3, *(pytest.param(number, marks=pytest.mark.deep) for number in (2, 5)))


def _far(team: Team, number: int) -> tuple[NodeSearchers, dict[str, Link]]:
    """Return the searchers of nodes, and the nodes, which were sent nothing."""
    links = team.filled_nodes(number)
    for link in links.values():
        link.sent.clear()
    return team.far(Nodes(links), team.epoch()), links


@pytest.mark.parametrize("number", NUMBERS)
async def test_searches_equal_those_of_one_machine(team: Team, number: int) -> None:
    workspace, here = team.workspace(), team.here()
    far, links = _far(team, number)
    for name, request in [*SEARCHES.items()][:: 2 if number > 1 else 7]:
        assert await answer(far, workspace, request) == await answer(here, workspace, request), name
    assert sum(bool(link.sent) for link in links.values()) >= min(number, 2)


@pytest.mark.parametrize("number", NUMBERS)
async def test_names_places_and_slates_equal_those_of_one_machine(team: Team, number: int) -> None:
    far, _ = _far(team, number)

    assert await follow_ups(far, team.workspace()) == await follow_ups(
        team.here(), team.workspace()
    )


async def test_the_nodes_search_their_repositories_together(team: Team) -> None:
    """Each node answers a message to describe, one to count, and a few to search."""
    far, links = _far(team, 2)
    await answer(far, team.workspace(), search(merge_strategy="global", fold=False))

    messages = [data for link in links.values() for data in link.sent]
    assert all(b'"joint_' in data for data in messages)
    assert len(messages) <= 2 * (2 + 1 + 1)


async def test_a_dropped_tree_is_released(team: Team) -> None:
    links = team.nodes(1, "dropping")
    hold(links, team.epoch())
    (link,) = links.values()
    far = team.far(Nodes(links), team.epoch())
    for strategy in ("global", "rrf"):
        await answer(far, team.workspace(), search(merge_strategy=strategy))
    engines = [weakref.ref(engine) for engine in link.node._engines.values()]
    assert len(engines) == len(TREES)
    kept = team.epoch().repos["tools/log"]
    link.node.hold([kept])
    gc.collect()

    assert [engine() is not None for engine in engines].count(True) == 1
    link.node.close()
