"""Every kind of finding over a workspace answers as over one store of all its files."""

from pathlib import Path

import anyio
import pytest

from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.model.corpus import CORPORA
from ggrep.model.request import Find, PoolRequest, SearchRequest
from tests.fakes.union import UnionStore, build_union
from tests.properties.workspaces import (
    IndexedWorkspace,
    from_federation,
    from_union,
    write_trees,
)

REPOS = [
    {
        "queue.py": "def drain(queue):\n    return queue.pop()\n",
        "pump.py": "from queue import drain\n\n\ndef fill(queue):\n    drain(queue)\n",
        "notes.md": "# Queues\n\nCall drain(queue) at the end.\n",
    },
    {
        "other.py": "import queue\n\n\ndef Drain(box):\n    return drain(box)  # -> box\n",
        "c.json": '{"drain": "->"}\n',
    },
    {"a.rb": "def drain\n  queue.pop\nend\n" * 3, "b.txt": "drains\n"},
]
ASKED = [
    ("drain(", Find.EXACT_TEXT),
    ("rain", Find.EXACT_TEXT),
    ("->", Find.EXACT_TEXT),
    (r"drain\(\w+\)$", Find.REGEX),
    ("drain", Find.DEFINITION),
    ("drain", Find.USAGE),
    ("drain queue", Find.CONCEPT),
    ("def drain(queue):\n    return queue.pop()", Find.SIMILAR_CODE),
]


@pytest.mark.slow
def test_every_kind_of_finding_answers_as_one_store_over_all_files(tmp_path: Path) -> None:
    roots = write_trees(tmp_path, REPOS)
    federation = Federation(tmp_path, roots, "static")
    union = build_union(tmp_path, roots, "static")

    for query, find in ASKED:
        for vectors in (True, False):
            request = SearchRequest(
                query, find=find, vectors=vectors, deterministic=True, keep_weak=True
            )
            assert assert_equal_answers(federation, union, request).hits


@pytest.mark.slow
def test_a_place_is_refused_where_there_are_several_repositories(tmp_path: Path) -> None:
    """The same path is another file in each of them."""
    roots = write_trees(tmp_path, REPOS)
    federation = Federation(tmp_path, roots, "none")

    answer = federation.search(SearchRequest("queue.py:1", find=Find.SIMILAR_CODE))

    assert not answer.hits
    assert answer.error is not None
    with pytest.raises(InvalidRequest, match=r"queue\.py:1"):
        raise answer.error


class Federation(IndexedWorkspace):
    """A workspace that is searched through the real coordinator."""

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
            return await federated_search(self.workspace, asked, self.searchers(), SystemClock())

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
def test_a_list_too_short_to_be_exact_is_said(tmp_path: Path) -> None:
    """Asking too little of each repository is a cut, and a cut is never silent."""
    roots = write_trees(tmp_path, [{"a.rb": "zebra\n", "b.rb": "zebra cache\n"}] * 2)
    federation = Federation(tmp_path, roots, "none")

    answer = federation.search(SearchRequest("zebra", limit=4), per_repo_top=1)

    assert "per_repo_top" in [entry.limit.code for entry in answer.limits_hit]
