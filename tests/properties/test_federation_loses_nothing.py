"""Promise P4: a workspace under `global` answers as one store over all its files would."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.model.corpus import CORPORA, Mode
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.service.searchers import EngineSearcher, ReadySearchers
from tests.fakes.union import UnionStore, build_union
from tests.properties.workspaces import from_federation, from_union, queries, trees, write_trees


class Federation:
    """A workspace over indexed roots, asked through the real coordinator."""

    def __init__(self, base: Path, roots: Sequence[Path], encoder: str) -> None:
        home = Home(base / "home")
        self.engines = {root: Engine(root, home, flags={"encoder": encoder}) for root in roots}
        for engine in self.engines.values():
            engine.sync()
        entries = ",".join(f'{{"root": "{root}"}}' for root in roots)
        file = base / "w.jsonc"
        file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        self.workspace: Workspace = load_workspace(file, resolve_root=lambda path: path)

    def search(self, request: SearchRequest, **more: object) -> FederatedResponse:
        asked = FederatedRequest(
            search=request,
            top=request.limit,
            merge_strategy="global",
            snippet_bytes=1 << 30,
            fold=False,
            **more,  # type: ignore[arg-type]  # named by each test
        )

        async def ask() -> FederatedResponse:
            return await federated_search(
                self.workspace,
                asked,
                ReadySearchers(
                    lambda repo: EngineSearcher(lambda: self.engines[repo.root_canonical])
                ),
                SystemClock(),
            )

        return anyio.run(ask)


def assert_equal_answers(
    federation: Federation, union: UnionStore, request: SearchRequest
) -> FederatedResponse:
    answer = federation.search(request)
    assert answer.strategy == "global"
    assert answer.confidence is union.confidence(request)
    assert from_federation(answer.hits) == from_union(union.search(request))
    lists = dict(answer.corpora)
    for corpus in CORPORA:
        assert from_federation(lists[corpus]) == from_union(union.search(request, [corpus]))
    return answer


def check_example(repos: list[dict[str, str]], asked: list[SearchRequest], encoder: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        roots = write_trees(base, repos)
        federation = Federation(base, roots, encoder)
        union = build_union(base, roots, encoder)
        for request in asked:
            assert_equal_answers(federation, union, request)


FEW = settings(
    # Twenty more are asked over daemons, see test_federation_over_daemons.py.
    max_examples=2,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
MANY = settings(FEW, max_examples=300)


@pytest.mark.slow
def test_global_answers_as_one_store_over_all_files() -> None:
    """Where files lie, in one repository or in five, changes neither hits, order nor scores."""
    FEW(
        given(trees(), st.lists(queries, min_size=4, max_size=8))(
            lambda repos, asked: check_example(repos, asked, "static")
        )
    )()


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("encoder", ["none", "static"])
def test_global_answers_as_one_store_over_many_workspaces(encoder: str) -> None:
    """The same over more histories than every change can wait for."""
    MANY(
        given(trees(), st.lists(queries, min_size=4, max_size=8))(
            lambda repos, asked: check_example(repos, asked, encoder)
        )
    )()


@pytest.mark.slow
def test_best_hit_is_found_though_no_repository_ranks_it_by_its_own_figures(
    tmp_path: Path,
) -> None:
    """A word that is common at home and rare in the workspace decides only under global figures."""
    home = {f"z{n:02}.rb": "zebra lantern\n" * 2 for n in range(40)}
    home |= {f"q{n:02}.rb": "quartz lantern\n" * 2 for n in range(12)}
    home["best.rb"] = "zebra zebra zebra\n"
    away = {f"q{n:03}.rb": "quartz lantern cache\n" for n in range(200)}
    roots = write_trees(tmp_path, [home, away])
    federation = Federation(tmp_path, roots, "none")
    union = build_union(tmp_path, roots, "none")
    request = SearchRequest("zebra quartz", limit=5, per_file=1, deterministic=True, keep_weak=True)

    local = federation.engines[roots[0]].ask(PoolRequest(request, per_list=10)).blended
    assert "best.rb" not in [hit.path for hit in local]

    answer = assert_equal_answers(federation, union, request)
    assert answer.hits[0].hit.path == "best.rb"


@pytest.mark.slow
def test_every_cut_binds_alike(tmp_path: Path) -> None:
    """Top, per-file limit and quotas cut a workspace's list where they cut one store's."""
    page = "\n\n".join(f"## zebra {n}\n\nzebra quartz {n}" for n in range(6)) + "\n"
    fence = "```mermaid\ngraph TD\n  zebra --> quartz\n```\n"
    repos = [
        {"docs/guide.md": page + fence, "cache.rb": "zebra\n" * 9, "conf/a.json": '{"zebra": 1}\n'}
        for _ in range(4)
    ]
    roots = write_trees(tmp_path, repos)
    federation = Federation(tmp_path, roots, "static")
    union = build_union(tmp_path, roots, "static")

    for mode in Mode:
        for limit in (1, 3, 7):
            for per_file in (1, 2):
                request = SearchRequest(
                    "zebra quartz",
                    limit=limit,
                    per_file=per_file,
                    mode=mode,
                    deterministic=True,
                    keep_weak=True,
                )
                answer = assert_equal_answers(federation, union, request)
                assert len(answer.hits) == limit


@pytest.mark.slow
def test_a_list_too_short_to_be_exact_is_said(tmp_path: Path) -> None:
    """Asking too little of each repository is a cut, and a cut is never silent."""
    roots = write_trees(tmp_path, [{"a.rb": "zebra\n", "b.rb": "zebra cache\n"}] * 2)
    federation = Federation(tmp_path, roots, "none")

    answer = federation.search(SearchRequest("zebra", limit=4), per_repo_top=1)

    assert "per_repo_top" in [entry.limit.code for entry in answer.limits_hit]
