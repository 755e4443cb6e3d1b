"""Weighted and fused ranks: their formulas, their ties, whatever arrives first."""

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.ids import RepoId
from ggrep.federation.merge import (
    MergedHit,
    RankedList,
    merge_global,
    merge_global_rrf,
    merge_rrf,
)
from ggrep.model.hit import Hit
from tests.fakes.searchers import hit


def ranked(name: str, *hits: Hit, priority: int = 0) -> RankedList:
    return RankedList(RepoId(name), name.upper(), priority, hits)


def weighted(*lists: RankedList, weights: dict[str, float]) -> list[str]:
    named = {RepoId(name): weight for name, weight in weights.items()}
    return ids(merge_rrf(lists, weights=named, rrf_k=60, per_repo_top=20))


def fused(*lists: RankedList, rrf_k: int = 60) -> list[str]:
    return ids(merge_global_rrf(lists, rrf_k=rrf_k, per_repo_top=20))


def ids(merged: tuple[MergedHit, ...]) -> list[str]:
    return [item.hit.row_id for item in merged]


def test_the_fourth_root_of_a_weight_scales_the_reciprocal_rank() -> None:
    """The formula, rounded to twelve decimals; the hit keeps its own score."""
    lists = [ranked("a", hit("x"), hit("y"))]

    merged = merge_rrf(lists, weights={RepoId("a"): 0.0081}, rrf_k=60, per_repo_top=9)

    assert [item.score for item in merged] == [round(0.3 / 61, 12), round(0.3 / 62, 12)]
    assert (merged[0].local_score, merged[1].local_rank, merged[0].repo_alias) == (0.5, 1, "A")


def test_the_heavier_repository_comes_first_and_slides_with_rank() -> None:
    """What the contract's own strategy leaves to the alphabet is left to the weight."""
    lists = [ranked("a", hit("a0"), hit("a1")), ranked("b", hit("b0"), hit("b1"))]

    assert weighted(*lists, weights={"a": 0.5, "b": 0.9}) == ["b0", "b1", "a0", "a1"]
    assert weighted(*lists, weights={"a": 1.0, "b": 0.98}) == ["a0", "b0", "a1", "b1"]


def test_a_repository_without_a_weight_comes_last_by_the_contracts_ties() -> None:
    """Whoever could not be counted loses no hit, only its place; priority orders those."""
    lists = [
        ranked("a", hit("a0"), hit("a1")),
        ranked("b", hit("b0"), priority=1),
        ranked("c", hit("c0")),
    ]

    assert weighted(*lists, weights={"c": 0.1}) == ["c0", "b0", "a0", "a1"]


def test_lists_are_cut_before_the_weighing() -> None:
    """PerRepoTop on the way in."""
    lists = [ranked("a", hit("a0"), hit("a1"), hit("a2"))]

    cut = merge_rrf(lists, weights={RepoId("a"): 1.0}, rrf_k=1, per_repo_top=2)

    assert ids(cut) == ["a0", "a1"]


def evidence(*lists: RankedList, weights: dict[str, float]) -> list[MergedHit]:
    named = {RepoId(name): weight for name, weight in weights.items()}
    return list(merge_global(lists, weights=named, per_repo_top=20))


def test_evidence_takes_up_to_two_thirds_of_a_score() -> None:
    """The repository that fits best keeps its scores; the hit says what its own was."""
    lists = [ranked(name, hit(name, score=0.9)) for name in "abc"]

    merged = evidence(*lists, weights={"a": 0.0, "b": 1.0, "c": 0.5})

    assert [(item.repo_id, item.score) for item in merged] == [("b", 0.9), ("c", 0.6), ("a", 0.3)]
    assert [item.local_score for item in merged] == [0.9, 0.9, 0.9]


def test_a_much_better_hit_beats_all_evidence() -> None:
    """Evidence settles what the scores leave open; it does not shut a repository out."""
    lists = [ranked("a", hit("far", score=0.91)), ranked("b", hit("near", score=0.3))]

    merged = evidence(*lists, weights={"a": 0.0, "b": 1.0})

    assert [item.hit.row_id for item in merged] == ["far", "near"]


def test_weighed_scores_have_nine_decimals() -> None:
    """As scores have that come from one repository; more would differ between machines."""
    (merged,) = evidence(ranked("a", hit("a0", score=0.123456789)), weights={"a": 0.123456})

    assert merged.score == round(0.123456789 * (1 + 2 * 0.123456) / 3, 9)


def test_lists_that_compare_are_cut_before_and_after_the_merge() -> None:
    """PerRepoTop on the way in."""
    lists = [
        ranked("a", *(hit(f"a{n}", start=n + 1, score=0.9 - n / 10) for n in range(3))),
        ranked("b", hit("b0", score=0.1)),
    ]
    weights = {RepoId("a"): 1.0, RepoId("b"): 1.0}

    for merge in (
        partial(merge_global, weights=weights),
        partial(merge_global_rrf, rrf_k=60),
    ):
        assert ids(merge(lists, per_repo_top=2)) == ["a0", "a1", "b0"]


def test_evidence_without_a_weight_is_none() -> None:
    """Whoever could not be counted is taken for the least likely."""
    lists = [ranked("a", hit("a0", score=0.9)), ranked("b", hit("b0", score=0.9))]

    merged = evidence(*lists, weights={"b": 0.1})

    assert [item.hit.row_id for item in merged] == ["b0", "a0"]


def test_evidence_breaks_ties_as_one_store_does() -> None:
    """Weighed scores tie too: then the secondary score decides, the repository last."""
    lists = [
        ranked("a", hit("a0", score=0.5, lexical=0.1), hit("a1", score=0.5, lexical=0.1)),
        ranked("b", hit("b0", score=0.5, lexical=0.2)),
        ranked("c", hit("a0", score=0.5, lexical=0.1), priority=9),
    ]

    merged = evidence(*lists, weights=dict.fromkeys("abc", 1.0))[:3]

    assert [(item.repo_id, item.hit.row_id) for item in merged] == [
        ("b", "b0"),
        ("a", "a0"),
        ("c", "a0"),
    ]


def test_ranks_by_score_and_by_secondary_score_are_fused() -> None:
    """Each hit counts by its place in both rankings of the whole pool."""
    lists = [
        ranked("a", hit("both", score=0.8, lexical=0.8), hit("third", score=0.1, lexical=0.7)),
        ranked("b", hit("score", score=0.9, lexical=0.1), hit("lexical", score=0.2, lexical=0.9)),
    ]

    merged = merge_global_rrf(lists, rrf_k=60, per_repo_top=9)

    assert [(item.hit.row_id, item.score) for item in merged] == [
        ("lexical", round(1 / 63 + 1 / 61, 12)),
        ("both", round(1 / 62 + 1 / 62, 12)),
        ("score", round(1 / 61 + 1 / 64, 12)),
        ("third", round(1 / 64 + 1 / 63, 12)),
    ]


def test_fused_ties_fall_to_the_order_by_score() -> None:
    """Ranks 0 and 1 against 1 and 0: the score itself decides."""
    lists = [
        ranked("a", hit("low", score=0.5, lexical=0.9)),
        ranked("b", hit("high", score=0.9, lexical=0.5)),
    ]

    assert fused(*lists) == ["high", "low"]


@st.composite
def feeds(draw: st.DrawFn) -> list[RankedList]:
    """Lists of few scores and paths, so that ties are common."""
    names = draw(st.lists(st.sampled_from("abcdef"), unique=True))
    figure = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    lists = []
    for name in names:
        rows = draw(st.lists(st.tuples(figure, figure), max_size=5))
        hits = [
            hit(f"{name}{n}", f"{n % 2}.py", n + 1, score=score, lexical=lexical)
            for n, (score, lexical) in enumerate(sorted(rows, reverse=True))
        ]
        lists.append(ranked(name, *hits, priority=draw(st.integers(0, 1))))
    return lists


WEIGHTS = {RepoId("a"): 1.0, RepoId("b"): 0.5, RepoId("c"): 0.5, RepoId("d"): 0.0}


@pytest.mark.slow
@given(feeds(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(lists: list[RankedList], chance: object) -> None:
    """Same lists, same bytes, whoever answered first."""
    shuffled = list(lists)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands in a Random

    bounds = {"rrf_k": 60, "per_repo_top": 4}

    assert merge_global_rrf(shuffled, **bounds) == merge_global_rrf(lists, **bounds)
    assert merge_rrf(shuffled, weights=WEIGHTS, **bounds) == merge_rrf(
        lists, weights=WEIGHTS, **bounds
    )


@pytest.mark.slow
@given(feeds(), st.sampled_from([1.0, 0.5, 0.123456]))
def test_equal_weights_give_the_contracts_order(lists: list[RankedList], weight: float) -> None:
    """Evidence that says nothing changes nothing."""
    weights = dict.fromkeys((item.repo_id for item in lists), weight)
    bounds = {"rrf_k": 60, "per_repo_top": 4}

    assert ids(merge_rrf(lists, weights=weights, **bounds)) == ids(merge_rrf(lists, **bounds))


@pytest.mark.slow
@given(feeds())
def test_each_repository_keeps_its_own_order_under_weights(lists: list[RankedList]) -> None:
    """A weight moves a repository as a whole."""
    merged = merge_rrf(lists, weights=WEIGHTS, rrf_k=60, per_repo_top=99)

    for item in lists:
        mine = [found.hit for found in merged if found.repo_id == item.repo_id]
        assert not WEIGHTS.get(item.repo_id) or mine == list(item.hits)


@pytest.mark.slow
@given(feeds())
def test_fused_scores_never_rise(lists: list[RankedList]) -> None:
    """The list is ordered by what it says it is ordered by."""
    merged = merge_global_rrf(lists, rrf_k=60, per_repo_top=99)

    assert all(above.score >= below.score for above, below in pairwise(merged))
    assert len(merged) == sum(len(item.hits) for item in lists)


@pytest.mark.slow
@given(feeds())
def test_an_empty_repository_changes_nothing(lists: list[RankedList]) -> None:
    """Who has nothing to say is not heard."""
    more = [*lists, ranked("zz")]
    bounds = {"rrf_k": 60, "per_repo_top": 9}

    assert merge_global_rrf(more, **bounds) == merge_global_rrf(lists, **bounds)
    assert merge_rrf(more, weights=WEIGHTS, **bounds) == merge_rrf(lists, weights=WEIGHTS, **bounds)


@pytest.mark.slow
@given(feeds(), st.randoms(use_true_random=False))
def test_evidence_is_a_total_order_whoever_arrives_first(
    lists: list[RankedList], chance: object
) -> None:
    """Same lists, same bytes."""
    shuffled = list(lists)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands in a Random

    whole = merge_global(lists, weights=WEIGHTS, per_repo_top=99)

    assert merge_global(shuffled, weights=WEIGHTS, per_repo_top=99) == whole
    assert all(above.score >= below.score for above, below in pairwise(whole))


@pytest.mark.slow
@given(feeds())
def test_full_evidence_for_all_is_the_global_order(lists: list[RankedList]) -> None:
    """Evidence that tells nobody apart changes nothing."""
    weights = dict.fromkeys((item.repo_id for item in lists), 1.0)

    assert merge_global(lists, weights=weights, per_repo_top=99) == merge_global(
        lists, per_repo_top=99
    )


@pytest.mark.slow
@given(feeds(), st.sampled_from("abcdef"))
def test_a_failed_repository_never_reorders_the_others(lists: list[RankedList], gone: str) -> None:
    """Its own hits are missing and nothing else moves, as long as the weights stand."""
    rest = [item for item in lists if item.repo_id != gone]

    for merge in (
        partial(merge_global, weights=WEIGHTS),
        partial(merge_rrf, weights=WEIGHTS, rrf_k=60),
    ):
        whole = merge(lists, per_repo_top=99)
        part = merge(rest, per_repo_top=99)
        assert [item for item in whole if item.repo_id != gone] == list(part)
