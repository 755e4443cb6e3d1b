"""Profiles in workspaces: what a repository's own view hides is in no answer of the workspace."""

import anyio
import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.corpus import Corpus
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.service.searchers import EngineSearcher, ReadySearchers
from tests.fakes.hosts import CLOCK
from tests.fakes.order_repos import QUESTION, SHOP, WEB
from tests.fakes.served_workspace import Asked, ServedWorkspace

pytestmark = pytest.mark.slow

DOCS = """
profile = "docs"
[profiles.docs.query]
mode = "planning"
top = 1
[profiles.docs.view]
paths = ["README.md"]
"""
PROSE = '[profiles.docs.view]\ncorpora = ["prose"]\n'


def write(served: ServedWorkspace, config: str) -> None:
    ours = {".ggrep.toml": config} if config else {}
    served.write([{**SHOP, **ours}, WEB])


def question(**fields: object) -> FederatedRequest:
    search = SearchRequest(QUESTION, deterministic=True, keep_weak=True, **fields)
    return FederatedRequest(search, top=50, merge_strategy="global")


def files(found: FederatedResponse, served: ServedWorkspace, place: int) -> set[str]:
    """Return the files that a repository shows."""
    (repo,) = (each for each in found.workspace.repos if each.root_canonical == served.roots[place])
    return {hit.hit.path for hit in found.hits if hit.repo_id == repo.repo_id}


def test_a_view_narrows_what_its_repository_shows_and_nothing_else(
    served: ServedWorkspace, daemons: Asked
) -> None:
    """Scores of the others stay: what is hidden is counted, as in the repository alone."""
    write(served, "")
    plain = daemons.search(served.workspace(2), question())
    write(served, DOCS)
    answer = daemons.search(served.workspace(2), question())

    assert "shop_orders/api.py" in files(plain, served, 0)
    assert files(answer, served, 0) == {"README.md"}
    assert files(answer, served, 1) == files(plain, served, 1)
    before = {hit.global_id: hit.score for hit in plain.hits}
    assert all(before[hit.global_id] == hit.score for hit in answer.hits)
    rows = {row["repoId"]: row.get("profile") for row in answer.to_json()["repos"]}
    assert sorted(rows.values(), key=str) == [None, "docs"]


def test_a_slate_keeps_to_the_views(served: ServedWorkspace, daemons: Asked) -> None:
    write(served, DOCS)
    result = daemons.slate(served.workspace(2), question(), SlateShape())
    assert result.slate is not None
    paths = {pack.path for _, packs in result.slate.sections for pack in packs}

    assert "README.md" in paths
    assert "src/orders.ts" in paths
    assert not paths & (SHOP.keys() - {"README.md"})


def test_an_edit_of_a_view_is_in_the_next_answer(served: ServedWorkspace, daemons: Asked) -> None:
    """Although the lists of the same snapshots are remembered."""
    shown = []
    for config in (DOCS, DOCS.replace("README.md", "proto"), DOCS):
        write(served, config)
        shown.append(files(daemons.search(served.workspace(2), question()), served, 0))

    assert shown == [{"README.md"}, {"proto/orders.proto"}, {"README.md"}]


def test_who_reads_indexes_here_keeps_to_the_views_too(
    served: ServedWorkspace, daemons: Asked
) -> None:
    write(served, DOCS)

    def searcher(repo: WorkspaceRepo) -> EngineSearcher:
        return EngineSearcher(
            lambda: Engine(repo.root_canonical, Home(served.home), flags=served.flags)
        )

    workspace = served.workspace(2)
    here = anyio.run(federated_search, workspace, question(), ReadySearchers(searcher), CLOCK)
    assert stable_json.dumps(here.to_json()) == stable_json.dumps(
        daemons.search(workspace, question()).to_json()
    )


def test_a_repository_that_shows_nothing_of_what_is_asked_for_gives_empty_lists(
    served: ServedWorkspace, daemons: Asked
) -> None:
    write(served, 'profile = "docs"\n' + PROSE)
    code = replace(question(corpora=(Corpus.CODE,)), strict=True)
    answer = daemons.search(served.workspace(2), code)
    every = daemons.search(served.workspace(2), question())

    assert answer.errors == ()
    assert files(answer, served, 0) == set()
    assert files(answer, served, 1)
    assert files(every, served, 0) == {"README.md"}
