"""Routing: scores of repositories by term statistics, and the choice under a bound."""

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.routing import Routed, repo_scores, route
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.limits import LimitHit
from ggrep.model.request import CollectionStatistics, TermFrequency
from tests.fakes.searchers import repo


def figures(chunks: int = 9) -> CollectionStatistics:
    return CollectionStatistics("fake-1", chunks, chunks, (chunks,), ())


def repo_id(name: str) -> RepoId:
    return RepoId(f"{name}-000000000000")


def names(repo_ids: Sequence[RepoId]) -> list[str]:
    return [name.removesuffix("-000000000000") for name in repo_ids]


def routed(
    scores: Mapping[str, float],
    query: str = "words",
    *,
    most: int = 5,
    explicit: Collection[str] = (),
    empty: Collection[str] = (),
    silent: Collection[str] = (),
) -> Routed:
    """Return the route over one repository for each name in `scores`."""
    return route(
        [repo(name) for name in scores],
        {
            repo_id(name): figures(0 if name in empty else 9)
            for name in scores
            if name not in silent
        },
        {repo_id(name): value for name, value in scores.items()},
        query,
        max_repos=most,
        explicit={repo_id(name) for name in explicit},
    )


EIGHT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "f": 0.6, "g": 0.7, "h": 0.8}


def test_without_a_bound_or_within_it_all_are_kept() -> None:
    result = routed(EIGHT, most=0)

    assert names(result.kept) == sorted(EIGHT)
    assert (result.skipped, result.limits, result.warnings) == ((), (), ())

    result = routed(EIGHT, most=8)

    assert (result.skipped, result.limits, result.warnings) == ((), (), ())
    assert route([], {}, {}, "words", max_repos=1) == Routed((), ())


def test_the_best_by_score_are_kept() -> None:
    result = routed(EIGHT, most=6)

    assert names(result.kept) == ["c", "d", "e", "f", "g", "h"]
    assert names(result.skipped) == ["a", "b"]
    assert result.limits == (LimitHit("max_repos", 6, 8),)
    (warning,) = result.warnings
    assert warning.code == "WARN_FEDERATED_ROUTED"
    assert "6 of 8" in warning.message
    assert warning.repo_id is None


def test_equal_scores_fall_to_the_id() -> None:
    """A score of 0 is the same as none."""
    result = route(
        [repo(name) for name in "gfedcba"],
        {repo_id(name): figures() for name in "abcdefg"},
        {repo_id("a"): 0.0, repo_id("g"): 0.0},
        "words",
        max_repos=5,
    )

    assert names(result.skipped) == ["f", "g"]


@pytest.mark.parametrize("most", [1, 2, 5])
def test_as_few_as_asked_for_are_searched(most: int) -> None:
    result = routed({f"r{n:02}": n / 100 for n in range(19)}, most=most)

    assert names(result.kept) == [f"r{n:02}" for n in range(19 - most, 19)]
    assert result.limits == (LimitHit("max_repos", most, 19),)
    (warning,) = result.warnings
    assert f"{most} of 19" in warning.message


def test_selected_repositories_are_kept_and_take_places() -> None:
    result = routed(EIGHT, explicit=["a", "b"])

    assert names(result.kept) == ["a", "b", "f", "g", "h"]

    result = routed(EIGHT, explicit=list("abcdef"))

    assert names(result.kept) == list("abcdef")
    assert names(result.skipped) == ["g", "h"]


@pytest.mark.parametrize(
    "query",
    [
        "where does the payment gateway retry",
        "PaymentGateway.retry",
        "payment_gateway",
        "payment-gateway timeouts",
        "paymentgateway",
        "GATEWAY payment",
    ],
)
def test_a_repository_that_the_query_names_is_kept(query: str) -> None:
    result = routed({"payment-gateway": 0.0, **EIGHT}, query)

    assert "payment-gateway" in names(result.kept)


@pytest.mark.parametrize("query", ["payment failed", "gateways payment", "pay ment gate way", "x"])
def test_part_of_a_name_is_no_name(query: str) -> None:
    """Otherwise one common word would keep half of a workspace."""
    result = routed({"payment-gateway": 0.0, **EIGHT}, query)

    assert "payment-gateway" not in names(result.kept)


def test_the_folder_names_a_repository_too() -> None:
    repos = [repo(name) for name in EIGHT]
    repos[0] = replace(repos[0], alias=None, root_canonical=Path("/srv/Billing2Go"))
    repos[1] = replace(repos[1], alias=None, root_canonical=Path("/srv/--"))
    scores = {repo_id(name): value for name, value in EIGHT.items()}

    for query in ("billing 2 go", "Billing2Go"):
        result = route(repos, {name: figures() for name in scores}, scores, query, max_repos=5)

        assert names(result.kept) == ["a", "e", "f", "g", "h"]


def test_names_beyond_the_latin_alphabet_count() -> None:
    result = routed({"поиск-api": 0.0, **EIGHT}, "где ПОИСК в api")

    assert "поиск-api" in names(result.kept)


def test_a_repository_without_chunks_displaces_nobody() -> None:
    scores = {**EIGHT, "empty": 0.9}

    result = routed(scores, empty=["empty"])

    assert names(result.kept) == ["d", "e", "empty", "f", "g", "h"]
    assert result.skipped == routed(EIGHT).skipped
    assert result.limits == routed(EIGHT).limits
    assert result.warnings == routed(EIGHT).warnings


def test_repositories_without_figures_or_chunks_displace_nobody() -> None:
    result = routed({**EIGHT, "dead": 0.9}, silent=["dead"], explicit=["dead"])

    assert names(result.kept) == ["d", "dead", "e", "f", "g", "h"]

    few = {"a": 0.1, "b": 0.2, "c": 0.3, "empty": 0.0, "void": 0.0}

    result = routed(few, most=3, empty=["empty", "void"])

    assert (result.skipped, result.limits, result.warnings) == ((), (), ())


@st.composite
def workspaces(draw: st.DrawFn) -> tuple[list[WorkspaceRepo], dict[RepoId, float], set[RepoId]]:
    kept = sorted(draw(st.sets(st.sampled_from("abcdefghijklmnop"))))
    scores = {repo_id(name): draw(st.sampled_from([0.0, 0.5, 1.0])) for name in kept}
    explicit = draw(st.sets(st.sampled_from(sorted(scores)))) if scores else set()
    return [repo(name) for name in kept], scores, explicit


@given(workspaces(), st.integers(0, 17), st.randoms(use_true_random=False))
def test_the_order_of_the_workspace_does_not_matter(
    world: tuple[list[WorkspaceRepo], dict[RepoId, float], set[RepoId]],
    most: int,
    chance: object,
) -> None:
    repos, scores, explicit = world
    shuffled = list(repos)
    chance.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis' own Random

    kept = {name: figures() for name in scores}
    result = route(repos, kept, scores, "b words", max_repos=most, explicit=explicit)
    again = route(shuffled, kept, scores, "b words", max_repos=most, explicit=explicit)

    assert result == again
    assert sorted((*result.kept, *result.skipped)) == sorted(scores)
    assert explicit <= set(result.kept)
    named = explicit | ({repo_id("b")} & set(scores))
    assert len(result.kept) == min(len(repos), max(most, len(named)) if most else len(repos))


def counted(chunks: int, files: int = 10, **terms: int | tuple[int, int]) -> CollectionStatistics:
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
