"""Merging: both strategies, every tie, whatever arrives first."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.ids import RepoId
from ggrep.federation.merge import (
    MergedHit,
    RankedList,
    merge_global,
    merge_rrf,
    rrf_score,
)
from ggrep.model.response import Hit
from tests.fakes.searchers import hit


def ranked(name: str, *hits: Hit, priority: int = 0) -> RankedList:
    return RankedList(RepoId(name), name.upper(), priority, hits)


def rrf(*lists: RankedList, per_repo_top: int = 20) -> list[str]:
    return ids(merge_rrf(lists, rrf_k=60, per_repo_top=per_repo_top))


def ids(merged: tuple[MergedHit, ...]) -> list[str]:
    return [item.hit.row_id for item in merged]


def test_rrf_scores_by_place_alone() -> None:
    (first, second) = merge_rrf([ranked("a", hit("x"), hit("y"))], rrf_k=60, per_repo_top=9)

    assert (first.score, second.score) == (round(1 / 61, 12), round(1 / 62, 12))
    assert (first.local_score, first.local_rank, second.local_rank) == (0.5, 0, 1)
    assert (first.global_id, first.repo_alias) == ("a:x", "A")
    assert rrf_score(0, 1) == 0.5


@pytest.mark.parametrize(
    ("lists", "order"),
    [
        # The workspace author's will beats the alphabet.
        ((ranked("a", hit("a0")), ranked("z", hit("z0"), priority=5)), ["z0", "a0"]),
        ((ranked("b", hit("x")), ranked("a", hit("y"))), ["y", "x"]),
        ((ranked("a", hit("z"), hit("m"), hit("a")),), ["z", "m", "a"]),
    ],
)
def test_equal_ranks_fall_to_priority_and_then_to_repo_id(
    lists: tuple[RankedList, ...], order: list[str]
) -> None:
    assert rrf(*lists) == order


def test_hit_id_file_and_start_break_ties_of_one_repository_fed_twice() -> None:
    """The end of the contract's chain, which only odd feeds reach."""
    same = [ranked("a", hit(i, path, start)) for i, path, start in TIED]

    assert [(m.hit.row_id, m.hit.path, m.hit.start_line) for m in merged_all(same)] == sorted(TIED)


TIED = [("2", "a.py", 1), ("1", "b.py", 1), ("1", "a.py", 10), ("1", "a.py", 9)]


def merged_all(lists: list[RankedList]) -> tuple[MergedHit, ...]:
    return merge_rrf(lists, rrf_k=60, per_repo_top=99)


def test_lists_are_cut_before_the_merge() -> None:
    """PerRepoTop on the way in; who shows them cuts them to top."""
    lists = [ranked("a", hit("a0"), hit("a1"), hit("a2")), ranked("b", hit("b0"), hit("b1"))]

    assert rrf(*lists, per_repo_top=1) == ["a0", "b0"]
    assert rrf(*lists) == ["a0", "b0", "a1", "b1", "a2"]
    assert rrf(*lists, per_repo_top=0) == []


def test_global_orders_by_score_wherever_it_comes_from() -> None:
    good = ranked("z", hit("z0", score=0.9), hit("z1", score=0.8))
    poor = ranked("a", hit("a0", score=0.1), priority=100)

    merged = merge_global([poor, good], per_repo_top=9)

    assert ids(merged) == ["z0", "z1", "a0"]
    assert [item.score for item in merged] == [0.9, 0.8, 0.1]


def test_global_breaks_ties_as_one_store_does_and_the_repository_comes_last() -> None:
    """Secondary score, path by bytes, line, row; then the repository. Priority never counts."""
    hits = [
        ("a", hit("9", "b.py", 1, lexical_score=0.0)),
        ("b", hit("9", "b.py", 1, lexical_score=0.0)),
        ("a", hit("8", "b.py", 1, lexical_score=0.0)),
        ("a", hit("0", "b.py", 2, lexical_score=0.0)),
        ("a", hit("0", "\uffff.py", 1, lexical_score=0.0)),
        ("a", hit("0", "\U00010000.py", 1, lexical_score=0.0)),
        ("z", hit("0", "zzz.py", 1, lexical_score=0.5)),
    ]
    lists = [ranked(name, found, priority=ord(name)) for name, found in hits]

    merged = merge_global(lists, per_repo_top=99)

    assert [(m.repo_id, m.hit.row_id, m.hit.path) for m in merged] == [
        ("z", "0", "zzz.py"),
        ("a", "8", "b.py"),
        ("a", "9", "b.py"),
        ("b", "9", "b.py"),
        ("a", "0", "b.py"),
        ("a", "0", "\uffff.py"),
        ("a", "0", "\U00010000.py"),
    ]


HITS = st.builds(
    hit,
    st.sampled_from("0123"),
    st.sampled_from(["a.py", "b.py"]),
    st.integers(1, 3),
    score=st.sampled_from([0.1, 0.2]),
    lexical_score=st.sampled_from([0.0, 0.1]),
)


@st.composite
def some_lists(draw: st.DrawFn) -> list[RankedList]:
    names = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=4))
    lists = []
    for name in names:
        hits = draw(st.lists(HITS, max_size=4, unique_by=lambda h: h.row_id))
        lists.append(ranked(name, *hits, priority=draw(st.integers(0, 1))))
    return lists


@pytest.mark.slow
@given(some_lists(), st.randoms(use_true_random=False), st.integers(0, 4))
def test_the_order_of_arrival_never_shows(
    lists: list[RankedList], chance: object, per_repo_top: int
) -> None:
    shuffled = list(lists)
    chance.shuffle(shuffled)
    bounds = {"per_repo_top": per_repo_top}

    assert merge_rrf(lists, rrf_k=60, **bounds) == merge_rrf(shuffled, rrf_k=60, **bounds)
    assert merge_global(lists, **bounds) == merge_global(shuffled, **bounds)


@pytest.mark.slow
@given(some_lists())
def test_both_orders_are_total(lists: list[RankedList]) -> None:
    """All hits are there, best first; none comes twice."""
    total = sum(len(item.hits) for item in lists)
    whole = {
        "rrf": merge_rrf(lists, rrf_k=60, per_repo_top=99),
        "global": merge_global(lists, per_repo_top=99),
    }

    for name, merged in whole.items():
        assert len({item.global_id for item in merged}) == total, name
        assert all(one.score >= two.score for one, two in pairwise(merged)), name


@pytest.mark.slow
@given(some_lists(), st.integers(0, 3))
def test_a_repository_s_failure_never_reorders_the_others(
    lists: list[RankedList], missing: int
) -> None:
    """A dead daemon takes its own hits away and nothing else."""
    rest = [item for place, item in enumerate(lists) if place != missing]
    kept = {item.repo_id for item in rest}
    bounds = {"per_repo_top": 99}

    for whole, part in (
        (merge_rrf(lists, rrf_k=60, **bounds), merge_rrf(rest, rrf_k=60, **bounds)),
        (merge_global(lists, **bounds), merge_global(rest, **bounds)),
    ):
        assert [item for item in whole if item.repo_id in kept] == list(part)


@pytest.mark.slow
@given(some_lists())
def test_the_value_of_k_never_changes_the_order_of_rrf(lists: list[RankedList]) -> None:
    """Known limit of the contract's formula: k only scales the score."""
    orders = {
        tuple(m.global_id for m in merge_rrf(lists, rrf_k=k, per_repo_top=99))
        for k in (1, 60, 1000)
    }

    assert len(orders) == 1
