"""Which repositories an answer lists: it does not grow with those that nothing comes of."""

from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base.errors import StoreError
from ggrep.federation.envelope import LISTED_WHOLE
from ggrep.model.limits import LimitHit, Notice
from tests.fakes.coordinated import ask, request, searcher
from tests.fakes.searchers import FakeSearcher

MANY = LISTED_WHOLE + 6


def repositories(number: int = MANY) -> list[FakeSearcher]:
    others = [searcher(f"r{n:03}", "other") for n in range(1, number)]
    return [searcher("r000", "token"), *others]


async def answered(fakes: list[FakeSearcher], **fields: object) -> Any:
    response = await ask(fakes, request(merge_strategy="global", **fields))
    return response.to_json()


def listed(document: Any) -> list[str]:
    return [row["alias"] for row in document["repos"]]


@pytest.mark.parametrize(
    ("number", "wished", "shown"),
    [(LISTED_WHOLE, False, LISTED_WHOLE), (MANY, False, 1), (MANY, True, MANY)],
)
async def test_all_of_a_few_are_listed_or_of_many_if_wished(
    number: int, wished: bool, shown: int
) -> None:
    document = await answered(repositories(number), all_repos=wished)
    short = await answered(repositories(number))

    assert listed(document) == [f"r{n:03}" for n in range(shown)]
    assert document["meta"]["ruledOut"] == number - shown
    assert document["meta"]["manifestHash"] == short["meta"]["manifestHash"]
    assert document["results"] == short["results"]


async def test_who_failed_is_selected_by_name_or_has_something_to_say_is_listed() -> None:
    fakes = repositories()
    fakes[3].fail["search"] = [StoreError("it is broken")]
    fakes[4].warnings = (Notice("partial_index", "3 of 9 files are indexed so far"),)
    fakes[9].limits = (LimitHit("max_scanned_rows", 5, 9),)
    document = await answered(fakes, select=("r005",))

    assert listed(document) == ["r000", "r003", "r004", "r005", "r009"]
    assert document["meta"]["ruledOut"] == MANY - 5


async def test_who_is_passed_over_and_could_change_nothing_is_not_listed() -> None:
    """A limit of repositories makes an answer no longer than it is without one."""
    fakes = [searcher("r001", "token"), *repositories()]
    fakes[2:3] = []
    document = await answered(fakes, max_repos=1)
    (passed,) = [row for row in document["repos"] if row["status"] == "skipped"]

    assert len(document["repos"]) == 2
    assert passed["couldChange"]["verdict"] == "yes"
    assert document["meta"]["ruledOut"] == MANY - 2


async def test_copies_are_of_repositories_that_are_listed() -> None:
    fakes = repositories()
    for place in (0, 7):
        (row,) = searcher(f"r{place:03}", "token").rows
        fakes[place].rows = [replace(row, chunk="the same")]
    document = await answered(fakes)
    (hit,) = document["results"]

    assert [copy["repoAlias"] for copy in hit["alsoIn"]] == ["r007"]
    assert listed(document) == ["r000", "r007"]


async def test_what_else_names_repositories_leaves_the_others_out() -> None:
    """Ids alone would make an answer over thousands as large as rows do."""
    fakes = repositories()
    for fake in fakes:
        fake.limits = (LimitHit("max_query_terms", 64, 70),)
    document = await answered(fakes, stats=True)
    meta, rows = document["meta"], {row["repoId"] for row in document["repos"]}

    assert set(meta["selection"]["selectedRepoIds"]) == rows
    assert {repo["repoId"] for repo in meta["selection"]["selectedRepos"]} == rows
    assert set(meta["snapshots"]) == rows
    assert set(meta["statistics"]["repoIds"]) == rows
    assert all(set(part["repoIds"]) == rows for part in meta["cohort"]["byMode"].values())
    assert {cut["repoId"] for cut in document["limits_hit"] if "repoId" in cut} == rows
    assert set(document["stats"]["repos"]) == rows


async def test_who_holds_more_than_is_looked_at_is_not_listed_for_it() -> None:
    fakes = repositories()
    for place, fake in enumerate(fakes):
        fake.limits = (LimitHit("max_results", 20, 100 + place),)
    document = await answered(fakes)

    assert listed(document) == ["r000"]
    assert [(cut.get("repoId"), cut["observed"]) for cut in document["limits_hit"]] == [
        (None, sum(range(101, 100 + MANY))),
        (document["repos"][0]["repoId"], 100),
    ]


async def test_a_cut_of_the_question_is_told_whoever_is_listed() -> None:
    fakes = repositories()
    for fake in fakes:
        fake.rows = searcher(fake.name, "other").rows
        fake.limits = (LimitHit("max_query_terms", 64, 180),)
    document = await answered(fakes)

    assert document["repos"] == []
    (cut,) = document["limits_hit"]
    assert (cut["code"], cut.get("repoId")) == ("max_query_terms", None)
