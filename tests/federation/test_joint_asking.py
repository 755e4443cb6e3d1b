"""Little makes a workspace's repositories be asked one by one where they can be asked at once."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.model.request import Find, SearchRequest
from ggrep.search.engine import joint_pools
from ggrep.search.query import literal
from tests.fakes.coordinated import document
from tests.fakes.served_workspace import ServedWorkspace, asked, served_workspace

pytestmark = pytest.mark.slow

MOST = 4
TREES = [
    {f"fetch{n}.py": f"def fetch_{n}(page):\n    return page + {n}\n", "own.md": "# A page\n"}
    for n in range(MOST)
]


@pytest.fixture(scope="module")
def place() -> Iterator[ServedWorkspace]:
    with served_workspace(MOST, "none") as made:
        made.write(TREES)
        made.between.together = True
        yield made


@pytest.fixture(autouse=True)
def nothing_seen(place: ServedWorkspace) -> None:
    place.between.apart = frozenset()
    place.between.joint.clear()
    place.between.pools.clear()


def answered(
    place: ServedWorkspace,
    max_repos: int = 0,
    query: str = "fetch a page",
    find: Find = Find.AUTO,
    strategy: str = "global",
    per_repo_top: int | None = None,
    **search: Any,
) -> FederatedResponse:
    question = SearchRequest(query, find=find, deterministic=True, timeout_ms=0, **search)
    request = FederatedRequest(
        search=question,
        merge_strategy=strategy,
        max_repos=max_repos,
        per_repo_top=per_repo_top,
    )
    with asked(place.federator()) as federator:
        return federator.search(place.workspace(MOST), request)


def test_all_are_asked_by_one_question(place: ServedWorkspace) -> None:
    answered(place)

    assert (len(place.between.joint), len(place.between.pools)) == (1, 0)


@pytest.mark.parametrize(
    ("query", "find", "most"),
    [
        ("fetch_1", Find.DEFINITION, 1),
        ("page", Find.USAGE, 9),
        ("def fetch_1(page):", Find.SIMILAR_CODE, 9),
        ("fetch a page", Find.CONCEPT, 9),
    ],
)
def test_so_they_are_for_every_kind_of_finding(
    place: ServedWorkspace, query: str, find: Find, most: int
) -> None:
    at_once = answered(place, query=query, find=find, per_file=1)
    assert (len(place.between.joint), len(place.between.pools)) == (1, 0)
    assert 0 < len(at_once.hits) <= most
    place.between.together = False
    try:
        one_by_one = answered(place, query=query, find=find, per_file=1)
    finally:
        place.between.together = True

    assert document(at_once) == document(one_by_one)
    assert place.between.pools


@pytest.mark.parametrize(
    ("query", "find"),
    [("(page", Find.EXACT_TEXT), (r"\bpage \+ \d$", Find.REGEX), ('"fetch_1"', Find.AUTO)],
)
def test_lines_are_matched_by_each_repository_itself(
    place: ServedWorkspace, query: str, find: Find
) -> None:
    """Its hits are spread over its files, and all that match is summed."""
    result = answered(place, query=query, find=find)

    assert (len(place.between.joint), len(place.between.pools)) == (0, MOST)
    assert result.hits
    assert all(merged.hit.lines for merged in result.hits)
    lines = sum(totals.lines for _, totals in result.matched)
    assert lines >= sum(merged.hit.matching_lines for merged in result.hits)


@pytest.mark.parametrize(("most", "by_itself", "reported"), [(1, MOST, True), (5, 0, False)])
def test_each_is_asked_by_itself_if_too_much_must_be_read_of_one(
    place: ServedWorkspace,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    by_itself: int,
    reported: bool,
) -> None:
    monkeypatch.setattr(literal, "MAX_SCANNED_ROWS", most)
    result = answered(place, query="page", find=Find.USAGE)

    assert (len(place.between.joint), len(place.between.pools)) == (1, by_itself)
    assert ("max_scanned_rows" in {cut.limit.code for cut in result.limits_hit}) is reported


def test_so_are_those_of_whose_hits_very_many_score_alike(
    place: ServedWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_pools, "_MOST_DEEP", 32)
    trees = [
        {f"p{9 - n}.py": f"use(x, {n}, {at})\n" for n in range(9 * (at + 1))} for at in range(MOST)
    ]
    place.write(trees)
    try:
        ask = partial(answered, place, query="x", find=Find.USAGE)
        at_once = document(ask())
        assert not place.between.pools
        place.between.together = False
        assert document(ask()) == at_once
    finally:
        place.between.together = True
        place.write(TREES)


def test_a_place_is_of_one_of_them(place: ServedWorkspace) -> None:
    result = answered(place, query="own.md:1", find=Find.SIMILAR_CODE)

    assert [report.status for report in result.reports] == ["error"] * MOST


@pytest.mark.parametrize(("per_file", "cut"), [(1, "max_per_file"), (0, "max_results")])
def test_what_is_cut_of_a_repositorys_list_is_told(
    place: ServedWorkspace, per_file: int, cut: str
) -> None:
    methods = "".join(f"    def m{n}(self):\n        return [{n}]\n\n" for n in range(60))
    place.write([{**TREES[0], "own.py": f"class Own:\n{methods}"}, *TREES[1:]])
    ask = partial(answered, place, query="self", find=Find.USAGE, per_file=per_file)
    try:
        at_once = ask(per_repo_top=10)
        place.between.together = False
        one_by_one = ask(per_repo_top=10)
    finally:
        place.between.together = True
        place.write(TREES)

    assert document(at_once) == document(one_by_one)
    assert [notice.limit.code for notice in at_once.limits_hit] == [cut]


def test_one_that_must_be_asked_by_itself_alone_is(place: ServedWorkspace) -> None:
    before = document(answered(place))
    place.between.joint.clear()
    place.between.apart = frozenset({place.workspace(MOST).repos[0].repo_id})
    result = document(answered(place))

    assert (len(place.between.joint), len(place.between.pools)) == (2, 1)
    assert result == before


def test_who_is_only_counted_is_judged_all_the_same(place: ServedWorkspace) -> None:
    place.between.apart = frozenset({place.workspace(MOST).repos[0].repo_id})
    result = answered(place, max_repos=1, query="fetch_0 page")

    assert [report.status for report in result.reports] == ["ok", *["skipped"] * (MOST - 1)]
    assert {each.could_change for each in result.coverage if not each.answered} == {"yes"}


def test_a_limit_of_repositories_is_no_reason_to_ask_each(place: ServedWorkspace) -> None:
    result = answered(place, max_repos=2)

    assert (len(place.between.joint), len(place.between.pools)) == (2, 0)
    assert [report.status for report in result.reports].count("skipped") == 2


def test_files_that_somebody_touched_are_looked_at_and_asked_at_once(
    place: ServedWorkspace,
) -> None:
    """A backup that links all of them must not make each question one to each repository."""
    before = document(answered(place))
    for image in place.home.rglob("*.image"):
        image.with_suffix(".linked").hardlink_to(image)
    place.between.joint.clear()
    result = document(answered(place))

    assert (len(place.between.joint), len(place.between.pools)) == (2, 0)
    assert result == before
