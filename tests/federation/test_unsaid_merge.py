"""Where nobody says how lists are merged, the contract's ranks decide, and that is known."""

import pytest

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.validation import MergeDefaults
from tests.fakes.coordinated import ask, request, searcher
from tests.fakes.searchers import repo, workspace


async def unsaid(
    *names: str, merge: MergeDefaults | None = None, asked: FederatedRequest | None = None
) -> bool:
    """Return whether the answer of these repositories says that nobody said."""
    known = workspace(*map(repo, names), merge=merge)
    response = await ask([searcher(name) for name in names], asked or request(), known=known)
    return response.merge_unsaid


async def test_ranks_that_nobody_chose_are_known_but_for_one_list() -> None:
    assert await unsaid("a", "b")
    assert not await unsaid("a")


@pytest.mark.parametrize(
    "merge",
    [MergeDefaults(strategy="rrf"), MergeDefaults(strategy="global"), MergeDefaults(rrf_k=9)],
)
async def test_a_file_that_chooses_says_it(merge: MergeDefaults) -> None:
    assert not await unsaid("a", "b", merge=merge)


@pytest.mark.parametrize("choice", [{"merge_strategy": "rrf"}, {"rrf_k": 9}])
async def test_who_asks_for_ranks_gets_them_without_a_word(choice: dict[str, object]) -> None:
    assert not await unsaid("a", "b", asked=request(**choice))
