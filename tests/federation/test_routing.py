"""Routing: a bound on repositories leaves out those least likely to be missed, and says so."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.routing import Routed, route
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.limits import LimitHit
from ggrep.model.request import CollectionStatistics
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
    found = routed(EIGHT, most=0)

    assert names(found.kept) == sorted(EIGHT)
    assert (found.skipped, found.limits, found.warnings) == ((), (), ())

    found = routed(EIGHT, most=8)

    assert (found.skipped, found.limits, found.warnings) == ((), (), ())
    assert route([], {}, {}, "words", max_repos=1) == Routed((), ())


def test_the_best_by_score_are_kept() -> None:
    """By id, for that is how they are asked; the bound and what was left out are told."""
    found = routed(EIGHT, most=6)

    assert names(found.kept) == ["c", "d", "e", "f", "g", "h"]
    assert names(found.skipped) == ["a", "b"]
    assert found.limits == (LimitHit("max_repos", 6, 8),)
    (warning,) = found.warnings
    assert warning.code == "WARN_FEDERATED_ROUTED"
    assert "6 of 8" in warning.message
    assert warning.repo_id is None


def test_equal_scores_fall_to_the_id() -> None:
    """A score of 0 is the same as none."""
    found = route(
        [repo(name) for name in "gfedcba"],
        {repo_id(name): figures() for name in "abcdefg"},
        {repo_id("a"): 0.0, repo_id("g"): 0.0},
        "words",
        max_repos=5,
    )

    assert names(found.skipped) == ["f", "g"]


@pytest.mark.parametrize("most", [1, 2, 5])
def test_as_few_as_asked_for_are_searched(most: int) -> None:
    """Whoever bounds the cost means it; what is missed for it is said."""
    found = routed({f"r{n:02}": n / 100 for n in range(19)}, most=most)

    assert names(found.kept) == [f"r{n:02}" for n in range(19 - most, 19)]
    assert found.limits == (LimitHit("max_repos", most, 19),)
    (warning,) = found.warnings
    assert f"{most} of 19" in warning.message


def test_selected_repositories_are_kept_and_take_places() -> None:
    found = routed(EIGHT, explicit=["a", "b"])

    assert names(found.kept) == ["a", "b", "f", "g", "h"]

    found = routed(EIGHT, explicit=list("abcdef"))

    assert names(found.kept) == list("abcdef")
    assert names(found.skipped) == ["g", "h"]


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
    """All its words stand in the query, however they are written."""
    found = routed({"payment-gateway": 0.0, **EIGHT}, query)

    assert "payment-gateway" in names(found.kept)


@pytest.mark.parametrize("query", ["payment failed", "gateways payment", "pay ment gate way", "x"])
def test_part_of_a_name_is_no_name(query: str) -> None:
    """Otherwise one common word would keep half of a workspace."""
    found = routed({"payment-gateway": 0.0, **EIGHT}, query)

    assert "payment-gateway" not in names(found.kept)


def test_the_folder_names_a_repository_too() -> None:
    """Not every workspace gives aliases; names of signs alone say nothing."""
    repos = [repo(name) for name in EIGHT]
    repos[0] = replace(repos[0], alias=None, root_canonical=Path("/srv/Billing2Go"))
    repos[1] = replace(repos[1], alias=None, root_canonical=Path("/srv/--"))
    scores = {repo_id(name): value for name, value in EIGHT.items()}

    for query in ("billing 2 go", "Billing2Go"):
        found = route(repos, {name: figures() for name in scores}, scores, query, max_repos=5)

        assert names(found.kept) == ["a", "e", "f", "g", "h"]


def test_names_beyond_the_latin_alphabet_count() -> None:
    found = routed({"поиск-api": 0.0, **EIGHT}, "где ПОИСК в api")

    assert "поиск-api" in names(found.kept)


def test_a_repository_without_chunks_displaces_nobody() -> None:
    """Adding an empty one must not change anybody's answer."""
    scores = {**EIGHT, "empty": 0.9}

    found = routed(scores, empty=["empty"])

    assert names(found.kept) == ["d", "e", "empty", "f", "g", "h"]
    assert found.skipped == routed(EIGHT).skipped
    assert found.limits == routed(EIGHT).limits
    assert found.warnings == routed(EIGHT).warnings


def test_repositories_without_figures_or_chunks_displace_nobody() -> None:
    found = routed({**EIGHT, "dead": 0.9}, silent=["dead"], explicit=["dead"])

    assert names(found.kept) == ["d", "dead", "e", "f", "g", "h"]

    few = {"a": 0.1, "b": 0.2, "c": 0.3, "empty": 0.0, "void": 0.0}

    found = routed(few, most=3, empty=["empty", "void"])

    assert (found.skipped, found.limits, found.warnings) == ((), (), ())


@st.composite
def workspaces(draw: st.DrawFn) -> tuple[list[WorkspaceRepo], dict[RepoId, float], set[RepoId]]:
    held = sorted(draw(st.sets(st.sampled_from("abcdefghijklmnop"))))
    scores = {repo_id(name): draw(st.sampled_from([0.0, 0.5, 1.0])) for name in held}
    explicit = draw(st.sets(st.sampled_from(sorted(scores)))) if scores else set()
    return [repo(name) for name in held], scores, explicit


@given(workspaces(), st.integers(0, 17), st.randoms(use_true_random=False))
def test_the_order_of_the_workspace_does_not_matter(
    world: tuple[list[WorkspaceRepo], dict[RepoId, float], set[RepoId]],
    most: int,
    chance: object,
) -> None:
    """Who is searched follows from what the repositories are; everybody is in one list."""
    repos, scores, explicit = world
    shuffled = list(repos)
    chance.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis' own Random

    held = {name: figures() for name in scores}
    found = route(repos, held, scores, "b words", max_repos=most, explicit=explicit)
    again = route(shuffled, held, scores, "b words", max_repos=most, explicit=explicit)

    assert found == again
    assert sorted((*found.kept, *found.skipped)) == sorted(scores)
    assert explicit <= set(found.kept)
    named = explicit | ({repo_id("b")} & set(scores))
    assert len(found.kept) == min(len(repos), max(most, len(named)) if most else len(repos))
