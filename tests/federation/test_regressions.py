"""Mistakes that federated searches before this one made; each is named and stays away."""

from datetime import UTC, datetime

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, InvalidRequest, WorkspaceError
from ggrep.federation.cohort import cohort_key
from ggrep.federation.federated_response import FederatedResponse
from ggrep.model.corpus import Corpus
from tests.fakes import coordinated
from tests.fakes.clocks import ManualClock
from tests.fakes.searchers import FakeRow, FakeSearcher, checkpoints

NEVER = Deadline.never(ManualClock(datetime(2025, 1, 1, tzinfo=UTC)))


def searcher(name: str, number: int = 1, **fields: object) -> FakeSearcher:
    rows = [FakeRow(f"{name}{n}", f"{n}.py", 1, ("token",)) for n in range(number)]
    return FakeSearcher(name, rows, **fields)


async def ask(*searchers: FakeSearcher, **fields: object) -> FederatedResponse:
    return await coordinated.ask(searchers, coordinated.request(**fields))


async def test_repositories_without_an_index_do_not_disappear() -> None:
    """They once had no row and no warning; with all of them missing the answer was ok."""
    some = await ask(searcher("a"), searcher("b", snapshot_id=None))
    none = await ask(searcher("b", snapshot_id=None))

    assert [report.status for report in some.reports] == ["ok", "missing_index"]
    assert [item.code for item in some.errors] == ["NO_INDEX"]
    assert not none.ok


async def test_corpora_of_different_ends_are_partial() -> None:
    """One corpus failing while another succeeded was once `ok`."""
    odd = searcher("c", keys=("o", "l", "s"))
    key = cohort_key(await odd.describe(NEVER), Corpus.CODE)

    response = await ask(searcher("a"), searcher("b"), odd, cohort=(f"code:{key}",))

    assert [report.status for report in response.reports] == ["partial"] * 3


async def test_exclusion_by_cohort_shows_in_the_repository_s_row() -> None:
    """It once showed inside meta only."""
    response = await ask(searcher("a"), searcher("b"), searcher("c", keys=("o", "l", "s")))

    row = response.to_json()["repos"][2]
    assert row["status"] == "incompatible"
    assert row["perMode"]["code"]["error"]["code"] == "incompatible"
    assert response.warnings[-1].repo_id == "c-000000000000"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"merge_strategy": "best"}, "ERR_FEDERATED_INVALID_MERGE_STRATEGY"),
        ({"merge_strategy": "evidence"}, "ERR_FEDERATED_INVALID_MERGE_STRATEGY"),
        ({"cohort_policy": "explicit"}, "ERR_FEDERATED_INVALID_COHORT_POLICY"),
        ({"cohort": ("nope:k",)}, "ERR_FEDERATED_INVALID_COHORT_SELECTOR"),
    ],
)
async def test_unknown_words_are_refused(fields: dict[str, object], code: str) -> None:
    """An unknown strategy was once accepted, run as rrf and echoed under its own name."""
    with pytest.raises(WorkspaceError) as caught:
        await ask(searcher("a"), **fields)

    assert caught.value.code == code


async def test_strict_cohorts_can_be_asked_for() -> None:
    """The policy was once out of reach."""
    with pytest.raises(WorkspaceError) as caught:
        await ask(searcher("a"), searcher("b", keys=("o", "l", "s")), cohort_policy="strict")

    assert caught.value.code == "ERR_FEDERATED_MULTI_COHORT"


async def test_a_search_asks_each_repository_once_a_round() -> None:
    """Searches once spawned git and rewrote a manifest for every repository and query."""
    fake = searcher("a")

    await ask(fake, merge_strategy="global")

    assert [method for method, _ in fake.asked] == ["describe", "term_stats", "search"]


@pytest.mark.parametrize("steps", [(0, 9), (9, 0)])
async def test_the_first_error_is_first_by_id(steps: tuple[int, int]) -> None:
    """It once was whichever came first."""
    response = await ask(
        searcher("a", fail={"search": [InvalidRequest("a")]}, pause=checkpoints(steps[0])),
        searcher("b", fail={"search": [GgrepError("b")]}, pause=checkpoints(steps[1])),
    )

    assert str(response.error) == "a"


async def test_cohort_keys_do_not_know_the_size_of_a_repository() -> None:
    """Equal settings of a small and a large repository were once two cohorts."""
    small, large = await searcher("a", 1).describe(NEVER), await searcher("b", 5000).describe(NEVER)

    assert cohort_key(small, Corpus.CODE) == cohort_key(large, Corpus.CODE)


async def test_nothing_selected_nothing_there_and_mixing_are_three_things() -> None:
    """A null selection once stood for all of them."""
    mixed = await ask(searcher("a"), searcher("b", keys=("o", "l", "s")), allow_unsafe_mix=True)
    empty = await ask(searcher("a"), tags=("none",))
    missing = await ask(searcher("a", snapshot_id=None))

    assert mixed.plan.policy == "unsafe-mix"
    assert "WARN_FEDERATED_EMPTY_SELECTION" in {item.code for item in empty.warnings}
    assert (empty.ok, missing.ok) == (True, False)


async def test_a_hit_keeps_its_file_and_the_score_of_its_repository() -> None:
    """Redaction once ate the file, and merging overwrote the score."""
    (hit,) = (await ask(searcher("a"))).to_json()["code"]

    assert hit["file"] == "0.py"
    assert hit["localScore"] != hit["score"]
    assert hit["localRank"] == 0


async def test_a_timeout_of_zero_means_none() -> None:
    response = await ask(searcher("a"), searcher("b"), search={"timeout_ms": 0})

    assert [report.status for report in response.reports] == ["ok", "ok"]


async def test_excluded_repositories_take_no_place_before_the_cut() -> None:
    """They once consumed slots of the merged list."""
    odd = searcher("a", 9, keys=("o", "l", "s"))

    response = await ask(odd, searcher("b", 2), searcher("c", 2), top=4)

    assert {hit.repo_alias for hit in response.hits} == {"b", "c"}
    assert len(response.hits) == 4


async def test_under_rrf_repositories_beyond_top_starve_and_under_global_they_do_not() -> None:
    """Known limit of the contract's formula, and why `global` exists."""
    fakes = [searcher(name) for name in "abcd"]
    fakes[3].rows = [FakeRow("d", "d.py", 1, ("token", "token", "token"))]

    by_rank = await ask(*fakes, top=2)
    by_score = await ask(*fakes, top=2, merge_strategy="global")

    assert "d" not in {hit.repo_alias for hit in by_rank.hits}
    assert by_score.hits[0].repo_alias == "d"
