"""Lists merged by rank: the beginnings that can be shown, and the order of members."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.model.batched_query import BatchedPoolResponse
from ggrep.search.engine.rank_pools import rank_pools
from tests.fakes.packs import NEVER, Stores, question, some_stores


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    with some_stores(tmp_path_factory.mktemp("rank")) as made:
        yield made


def pools(stores: Stores, by_rank: tuple[int, ...], top: int = 10) -> BatchedPoolResponse:
    first = next(iter(stores.engines.values()))
    return rank_pools(
        stores.views(),
        replace(question("retry", top, folds=False), by_rank=by_rank),
        encoder=first.encoder,
        settings=first.settings,
        deadline=NEVER,
    )


def test_only_the_first_members_with_hits_fill_a_short_list(stores: Stores) -> None:
    blended = {lists.member: lists.blended for lists in pools(stores, (1, 0, 2), top=1).lists}

    assert {member for member, hits in blended.items() if hits} == {1}
    assert len(blended[1]) == 1


@pytest.mark.parametrize("by_rank", [(0, 1), (0, 1, 1), (0, 1, 3), (0, 1, 2, 2)])
def test_an_order_without_a_member_is_refused(stores: Stores, by_rank: tuple[int, ...]) -> None:
    with pytest.raises(InvalidRequest, match="the index of each member exactly once"):
        pools(stores, by_rank)
