"""Scores of repositories by term statistics: the likeliest is 1, size and chance say nothing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.ids import RepoId
from ggrep.federation.routing import repo_scores
from ggrep.model.request import CollectionStatistics, TermFrequency


def counted(chunks: int, files: int = 10, **terms: int | tuple[int, int]) -> CollectionStatistics:
    """Return figures in which a term stands in so many chunks, and paths of files."""
    results = []
    for term, given_ in sorted(terms.items()):
        in_chunks, in_files = given_ if isinstance(given_, tuple) else (given_, 0)
        results.append(TermFrequency(term, in_chunks, in_files))
    return CollectionStatistics("l", chunks, files, (0,), tuple(results))


def scores(**figures: CollectionStatistics) -> dict[str, float]:
    return {str(repo): item for repo, item in repo_scores(as_repos(figures)).items()}


def as_repos(figures: dict[str, CollectionStatistics]) -> dict[RepoId, CollectionStatistics]:
    return {RepoId(name): kept for name, kept in figures.items()}


def test_the_formula() -> None:
    """The logarithm of likelihoods, smoothed by 30 chunks, a tenth of it; paths: a quarter."""
    result = scores(a=counted(70, router=20), b=counted(30, router=0))
    in_paths = scores(a=counted(10, 70, router=(0, 20)), b=counted(10, 30, router=(0, 0)))

    ratio = ((0 / 0.2 + 30) / (30 + 30)) / ((20 / 0.2 + 30) / (70 + 30))
    assert result == {"a": 1.0, "b": round(math.exp(0.1 * math.log(ratio)), 6)}
    assert in_paths == {"a": 1.0, "b": round(math.exp(0.1 * 0.25 * math.log(ratio)), 6)}


def test_a_single_repository_has_the_full_score_and_one_without_a_chunk_none() -> None:
    assert scores(a=counted(5, word=5)) == {"a": 1.0}
    assert scores(a=counted(5, word=0)) == {"a": 1.0}
    assert scores(a=counted(0, 0)) == {"a": 0.0}
    assert scores(a=counted(0, 0), b=counted(3, word=1)) == {"a": 0.0, "b": 1.0}
    assert repo_scores({}) == {}


def test_the_share_of_chunks_counts_and_not_their_number() -> None:
    """A large repository holds every word more often; that alone says nothing."""
    assert scores(big=counted(10_000, word=100), small=counted(100, word=1)) == {
        "big": 1.0,
        "small": 1.0,
    }
    result = scores(big=counted(10_000, word=100), small=counted(100, word=90))
    assert result["small"] == 1.0 > result["big"]


def test_what_nobody_or_not_all_have_counted_says_nothing() -> None:
    """A typing error must not speak for small repositories."""
    plain = scores(a=counted(1000, word=10), b=counted(10, word=5))

    assert scores(a=counted(1000, word=10, typo=0), b=counted(10, word=5, typo=0)) == plain
    assert scores(a=counted(1000, typo=0), b=counted(10, typo=0)) == {"a": 1.0, "b": 1.0}

    plain = scores(a=counted(50, word=9), b=counted(70, word=1))

    assert scores(a=counted(50, word=9, stem=4), b=counted(70, word=1)) == plain
    assert scores(a=counted(50, word=9), b=counted(70)) == {"a": 1.0, "b": 1.0}
    assert scores(a=counted(5, 0, word=(0, 3)), b=counted(5, 0)) == {"a": 1.0, "b": 1.0}


def test_a_rare_word_says_more_than_a_usual_one() -> None:
    result = scores(
        rare=counted(1000, rare=20, usual=0),
        usual=counted(1000, rare=0, usual=20),
        other=counted(1000, rare=0, usual=500),
    )

    assert result["rare"] == 1.0 > result["usual"]


@st.composite
def cohorts(draw: st.DrawFn) -> dict[str, CollectionStatistics]:
    """Some repositories with figures of the same three terms."""
    results = {}
    for name in draw(st.lists(st.sampled_from("abcdef"), unique=True)):
        chunks = draw(st.integers(0, 5000))
        counts = {term: draw(st.integers(0, chunks)) for term in ("x", "y", "z")}
        results[name] = counted(chunks, chunks // 7, **counts)
    return results


@pytest.mark.slow
@given(cohorts())
def test_a_score_is_a_share_and_the_best_has_all_of_it(
    figures: dict[str, CollectionStatistics],
) -> None:
    """From 0 to 1, six decimals, in whatever order the repositories came."""
    result = repo_scores(as_repos(figures))

    filled = [result[RepoId(name)] for name, kept in figures.items() if kept.chunks]
    assert all(0.0 <= each <= 1.0 and round(each, 6) == each for each in result.values())
    assert not filled or max(filled) == 1.0
    backwards = dict(reversed(figures.items()))
    assert repo_scores(as_repos(backwards)) == result


@pytest.mark.slow
@given(cohorts())
def test_an_empty_repository_moves_nobodys_score(
    figures: dict[str, CollectionStatistics],
) -> None:
    more = {**figures, "zz": counted(0, 0, x=0, y=0, z=0)}

    assert repo_scores(as_repos(more)) == {**repo_scores(as_repos(figures)), "zz": 0.0}


@pytest.mark.slow
@given(cohorts(), st.sampled_from(["x", "y", "z"]))
def test_holding_a_word_more_often_never_lowers_a_place(
    figures: dict[str, CollectionStatistics], word: str
) -> None:
    """Who adds the queried word comes before all whom it came before."""
    if "a" not in figures or not figures["a"].chunks:
        return
    kept = figures["a"]
    raised = tuple(
        TermFrequency(each.term, kept.chunks, 0) if each.term == word else each
        for each in kept.terms
    )
    after = {**figures, "a": CollectionStatistics("l", kept.chunks, kept.files, (0,), raised)}

    before_it = repo_scores(as_repos(figures))
    after_it = repo_scores(as_repos(after))

    assert all(
        after_it[RepoId("a")] >= after_it[RepoId(name)]
        for name in figures
        if before_it[RepoId("a")] > before_it[RepoId(name)]
    )
