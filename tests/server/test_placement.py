"""Repositories are spread evenly, and few of them move when nodes come and go."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ggrep.server.placement import COPIES, placed

KEYS = [f"acme/repo{number}" for number in range(400)]
names = st.lists(
    st.text("abcdefghij0123456789-", min_size=1, max_size=12), min_size=1, max_size=12, unique=True
)


@given(names, st.randoms(use_true_random=False))
def test_a_placement_does_not_depend_on_the_order_of_nodes(
    nodes: list[str], random: Random
) -> None:
    shuffled = [*nodes]
    random.shuffle(shuffled)

    assert [placed(key, nodes) for key in KEYS] == [placed(key, shuffled) for key in KEYS]


@given(names)
def test_each_repository_has_two_different_nodes_if_there_are_two(nodes: list[str]) -> None:
    for key in KEYS:
        chosen = placed(key, nodes)

        assert len(set(chosen)) == len(chosen) == min(COPIES, len(nodes))
        assert {*chosen} <= {*nodes}


@given(names, st.text("xyz", min_size=13, max_size=13))
def test_a_new_node_takes_repositories_and_moves_no_other(nodes: list[str], new: str) -> None:
    for key in KEYS:
        before, after = placed(key, nodes), placed(key, [*nodes, new])

        assert [node for node in after if node != new] == [*before][: len(after) - (new in after)]


@given(names, st.data())
def test_a_lost_node_leaves_all_other_copies_where_they_are(
    nodes: list[str], data: st.DataObject
) -> None:
    lost = data.draw(st.sampled_from(nodes))
    left = [node for node in nodes if node != lost]
    for key in KEYS:
        before, after = placed(key, nodes), placed(key, left)

        kept = [node for node in before if node != lost]
        assert [*after][: len(kept)] == kept


def test_repositories_are_spread_evenly() -> None:
    nodes = [f"node-{number}" for number in range(8)]
    numbers = Counter(node for key in KEYS for node in placed(key, nodes))

    even = COPIES * len(KEYS) / len(nodes)
    assert {*numbers} == {*nodes}
    assert max(numbers.values()) < 1.4 * even
    assert min(numbers.values()) > 0.6 * even
