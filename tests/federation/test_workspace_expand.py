"""The code around a place of a workspace: whose it is, and when that is not clear."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_expand import FederatedExpansion, federated_expand
from ggrep.model.navigation import ExpandRequest
from ggrep.model.request import SearchRequest
from tests.fakes.clocks import ManualClock
from tests.fakes.named_searchers import NamedSearcher
from tests.fakes.searchers import factory, repo, workspace

PLACE = "src/a.py:4"


async def expand(
    fakes: Sequence[NamedSearcher], target: str, **fields: object
) -> FederatedExpansion:
    return await federated_expand(
        workspace(*(repo(fake.name) for fake in fakes)),
        FederatedRequest(SearchRequest("", timeout_ms=0), **fields),  # type: ignore[arg-type]
        ExpandRequest(target, deterministic=True),
        factory(*fakes),
        ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
    )


def holding(name: str, *places: str, **fields: object) -> NamedSearcher:
    return NamedSearcher(name, places=frozenset(places), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "target", [f"b:{PLACE}", f"B:{PLACE}", f"[b] {PLACE}", f"b-{'0' * 12}:{PLACE}"]
)
async def test_the_repository_that_is_named_answers_alone(target: str) -> None:
    other = holding("a", PLACE)
    result = await expand([other, holding("b", PLACE)], target)

    assert result.repo is not None
    assert (result.ok, result.repo.alias, other.asked) == (True, "b", [])
    document = result.to_json()
    assert (document["target"], document["repoAlias"]) == (target, "b")


async def test_a_place_that_one_repository_alone_has_needs_no_name() -> None:
    result = await expand([holding("a"), holding("b", PLACE)], PLACE)

    assert result.repo is not None
    assert result.repo.alias == "b"
    assert [report.status for report in result.reports] == ["ok", "ok"]

    result = await expand([holding("a", PLACE), holding("b", PLACE)], PLACE)

    assert str(result.error) == (
        f"target: {PLACE} is in several repositories, a, b; choose one: a:{PLACE}"
    )
    assert result.to_json()["code"] == "invalid_request"

    result = await expand([holding("a"), holding("b")], PLACE)

    assert str(result.error) == f"target: no file {PLACE} in this index"

    with pytest.raises(InvalidRequest, match="b is not selected"):
        await expand([holding("a", PLACE), holding("b", PLACE)], f"b:{PLACE}", only=("a",))


async def test_who_fails_has_a_row_beside_the_place_that_was_found() -> None:
    broken = holding("b", PLACE, fail={"expand": [GgrepError("no luck")]})
    result = await expand([holding("a", PLACE), broken], PLACE)

    assert result.ok
    assert [report.status for report in result.reports] == ["ok", "error"]
