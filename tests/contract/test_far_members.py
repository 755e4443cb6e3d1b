"""A member that is reached by bytes alone, as on another machine, changes no byte of an answer."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.federation.workspace_names import federated_references, federated_symbol, name_request
from ggrep.federation.workspace_slates import SlateShape, federated_slate
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.service.searchers import EngineSearchers
from tests.fakes.far_members import MixedSearchers
from tests.fakes.packs import CLOCK, Stores, some_stores

FAR = [(), (0,), (2,), (0, 1), (0, 1, 2)]
"""Places of the members that are far away."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    with some_stores(tmp_path_factory.mktemp("far")) as made:
        yield made


@pytest.fixture
def workspace(stores: Stores, tmp_path: Path) -> Workspace:
    entries = ",".join(f'{{"root": "{stores.base / name}"}}' for name in sorted(stores.engines))
    file = tmp_path / "w.jsonc"
    file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
    return load_workspace(file, resolve_root=lambda path: path)


def searchers(stores: Stores, workspace: Workspace, far: Sequence[int]) -> MixedSearchers:
    near = EngineSearchers(lambda repo: stores.engines[repo.root_canonical.name])
    return MixedSearchers(near, [workspace.repos[place].repo_id for place in far])


async def answers(stores: Stores, workspace: Workspace, far: Sequence[int]) -> list[bytes]:
    """Return the answers to searches, names and slates."""
    mixed = searchers(stores, workspace, far)
    plain = FederatedRequest(SearchRequest("retry", deterministic=True))
    made: list[Any] = []
    for strategy, fold, most in product(STRATEGIES, (None, False), (0, 2)):
        request = replace(plain, merge_strategy=strategy, fold=fold, max_repos=most)
        made.append(await federated_search(workspace, request, mixed, CLOCK))
    made.append(await federated_slate(workspace, plain, SlateShape(), mixed, CLOCK))
    symbol = SymbolRequest("retry", deterministic=True)
    made.append(
        await federated_symbol(workspace, name_request(plain, symbol), symbol, mixed, CLOCK)
    )
    uses = ReferencesRequest("retry", deterministic=True)
    made.append(
        await federated_references(workspace, name_request(plain, uses), uses, mixed, CLOCK)
    )
    for member in mixed.far.values():
        assert member is not None
        assert member.sent
        assert member.received
    return [stable_json.dumps(without_verdicts(answer.to_json())) for answer in made]


def without_verdicts(document: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without verdicts: at once, more is known of repositories left out."""
    for repo in document.get("repos", ()):
        repo.pop("couldChange", None)
    return document


@pytest.mark.parametrize("far", FAR[1:])
async def test_an_answer_does_not_depend_on_where_members_are(
    stores: Stores, workspace: Workspace, far: Sequence[int]
) -> None:
    assert await answers(stores, workspace, far) == await answers(stores, workspace, ())


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_a_member_whose_line_is_cut_costs_its_own_row(
    stores: Stores, workspace: Workspace, strategy: str
) -> None:
    mixed = searchers(stores, workspace, (1,))
    request = FederatedRequest(SearchRequest("retry"), merge_strategy=strategy)
    lost = workspace.repos[1]
    member: Any = mixed.open(lost)
    member.cut = DeadlineExceeded("no answer from the other machine")
    answer = await federated_search(workspace, request, mixed, CLOCK)
    statuses: dict[RepoId, str] = {item.repo.repo_id: item.status for item in answer.reports}

    assert statuses.pop(lost.repo_id) == "timeout"
    assert {*statuses.values()} == {"ok"}
    assert answer.hits
    assert lost.repo_id not in {hit.repo_id for hit in answer.hits}
