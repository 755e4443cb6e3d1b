"""Slates over real indexes: what joins repositories, and the same bytes from daemons as here."""

import anyio
import pytest

from ggrep.config.home import Home
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets
from ggrep.search.engine.engine import Engine
from ggrep.service.searchers import EngineSearcher, ReadySearchers
from tests.fakes.coordinated import document
from tests.fakes.hosts import CLOCK
from tests.fakes.order_repos import DEPLOY, QUESTION, SHOP, WEB
from tests.fakes.served_workspace import Asked, ServedWorkspace

pytestmark = pytest.mark.slow

NAMES = {"repo0": "shop", "repo1": "web", "repo2": "deploy"}


@pytest.fixture(autouse=True)
def _as_written(served: ServedWorkspace) -> None:
    served.write([SHOP, WEB, DEPLOY])


def question(query: str = QUESTION, **fields: object) -> FederatedRequest:
    return FederatedRequest(
        SearchRequest(query, deterministic=True, keep_weak=True, timeout_ms=0), **fields
    )


def read_here(
    served: ServedWorkspace, request: FederatedRequest, shape: SlateShape
) -> FederatedSlate:
    """Return the slate from engines of this process."""

    def searcher(repo: WorkspaceRepo) -> EngineSearcher:
        return EngineSearcher(
            lambda: Engine(repo.root_canonical, Home(served.home), flags=served.flags)
        )

    return anyio.run(
        federated_slate, served.workspace(3), request, shape, ReadySearchers(searcher), CLOCK
    )


def edges_of(found: FederatedSlate) -> set[tuple[str, str, str, str]]:
    """Return what joins two files, under short names."""
    assert found.slate is not None
    assert found.slate.graph is not None
    return {
        (edge.kind, _place(edge.source), _place(edge.target), edge.via)
        for edge in found.slate.graph.edges
    }


def edges_between(found: FederatedSlate) -> set[tuple[str, str, str, str]]:
    return {
        edge for edge in edges_of(found) if edge[1].partition(":")[0] != edge[2].partition(":")[0]
    }


def _place(node: str) -> str:
    repo, _, path = node.partition(":")
    return f"{NAMES[repo.partition('-')[0]]}:{path}"


def test_repositories_are_joined_by_all_that_one_names_and_another_provides(
    served: ServedWorkspace, daemons: Asked
) -> None:
    """A package and a type: each is where a change goes on."""
    questions = (question(), question(f"{QUESTION}, asked by OrderQuery"))
    slates = [daemons.slate(served.workspace(3), each, SlateShape()) for each in questions]

    assert set().union(*map(edges_between, slates)) == {
        ("package", "web:jobs/nightly_orders.py", "shop:pyproject.toml", "shop-orders"),
        ("type", "web:jobs/nightly_orders.py", "shop:proto/orders.proto", "OrderQuery"),
    }


def test_files_of_one_repository_are_joined_as_in_its_own_slate(
    served: ServedWorkspace, daemons: Asked
) -> None:
    result = daemons.slate(served.workspace(3), question(), SlateShape())

    assert ("imports", "shop:shop_orders/api.py", "shop:shop_orders/records.py") in {
        edge[:3] for edge in edges_of(result)
    }


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_daemons_and_engines_give_the_same_bytes_each_time(
    served: ServedWorkspace, daemons: Asked, strategy: str, level: int
) -> None:
    request = question(merge_strategy=strategy)
    shape = SlateShape(level, Budgets(files=8))
    first = daemons.slate(served.workspace(3), request, shape)
    again = daemons.slate(served.workspace(3), request, shape)
    here = read_here(served, request, shape)
    assert first.slate is not None

    assert sum(len(packs) for _, packs in first.slate.sections) == 8
    assert first.errors == ()
    assert document(first) == document(again) == document(here)


def test_levels_show_the_same_files(served: ServedWorkspace, daemons: Asked) -> None:
    slates = [
        daemons.slate(served.workspace(3), question(), SlateShape(level)).slate
        for level in range(4)
    ]
    files = [
        [(pack.repo, pack.path) for _, packs in slate.sections for pack in packs]
        for slate in slates
        if slate is not None
    ]

    assert files[1:] == [files[1]] * 3
    assert set(files[0]) <= set(files[1])


def test_what_changes_in_one_repository_changes_the_slate(
    served: ServedWorkspace, daemons: Asked
) -> None:
    """Remembered lists are of a snapshot, and a new one was published."""
    request = question("refund of an order")
    before = daemons.slate(served.workspace(3), request, SlateShape())
    try:
        served.write(
            [{**SHOP, "shop_orders/refund.py": "def refund_order(order):\n    return order\n"}]
        )
        after = daemons.slate(served.workspace(3), request, SlateShape())
    finally:
        served.write([SHOP])

    assert b"refund_order" not in document(before)
    assert b"refund_order" in document(after)
    assert after.errors == ()
