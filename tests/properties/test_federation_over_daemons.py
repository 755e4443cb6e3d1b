"""Promise P4 over daemons: sockets, frames and threads between them change no answer."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from anyio import to_thread
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.corpus import CORPORA, Mode
from ggrep.model.request import SearchRequest
from ggrep.search.query.finding import wants_vector
from tests.fakes.served_workspace import Asked, ServedWorkspace, asked, served_workspace
from tests.fakes.union import UnionStore, build_union
from tests.properties.workspaces import from_federation, from_union, queries, trees

MOST = 8
FEW = settings(max_examples=2)
MANY = settings(max_examples=250)

CUTS = {"top", "per_file", "per_repo_top", "quota", "snippets"}

cases = st.tuples(trees(most=MOST), st.lists(queries, min_size=2, max_size=4), st.booleans())
"""Repositories, questions, and whether no more is asked of a repository than is shown."""


LONG = "\n\n".join(f"# retry {n}\n\nHow the retry {n} meets the queue." for n in range(6)) + "\n"
BINDING = (
    [{"docs/guide.md": LONG, "lib/Queue.rb": "retry\n" * 9, "conf/a.json": '{"retry": 1}\n'}] * 3,
    [
        SearchRequest(
            "retry queue", limit=7, per_file=1, mode=mode, deterministic=True, keep_weak=True
        )
        for mode in (Mode.BALANCED, Mode.PLANNING)
    ],
    True,
)
"""A case in which every cut changes the answer."""


class Proof(Struct):
    """Compares a served workspace with one store over all of its files.

    Attributes:
        bound: which cuts have changed an answer so far.
    """

    place: ServedWorkspace
    asked: Asked
    encoder: str
    bound: set[str] = field(default_factory=set)

    def check(
        self, repos: Sequence[dict[str, str]], searches: Sequence[SearchRequest], tight: bool
    ) -> None:
        """Fail unless every answer is the one store's."""
        self.place.write(repos)
        workspace = self.place.workspace(len(repos))
        with tempfile.TemporaryDirectory() as folder:
            union = build_union(
                Path(folder).resolve(), self.place.roots[: len(repos)], self.encoder
            )
            for search in searches:
                self.compare(workspace, union, search, search.limit if tight else None)

    def compare(
        self, workspace: Workspace, union: UnionStore, search: SearchRequest, most: int | None
    ) -> FederatedResponse:
        """Fail unless an answer is the one store's, cold and warm; return it."""
        request = whole(search, per_repo_top=most)
        self.place.between.pools.clear()
        answer = self.asked.search(workspace, request)
        self.same(answer, union, search)
        self.same(self.asked.search(workspace, request), union, search)
        vectors = {pool.vector for pool in self.place.between.pools}
        assert len(vectors) <= 1  # none when the same was asked before
        wanted = self.encoder != "none" and wants_vector(search)
        assert all((vector is not None) is wanted for vector in vectors)
        self.note_cuts(answer, union, search, most)
        self.short(workspace, answer, search)
        return answer

    @staticmethod
    def same(answer: FederatedResponse, union: UnionStore, search: SearchRequest) -> None:
        """Fail unless hits, order, scores and texts of every list are the one store's."""
        assert answer.error is None
        assert not answer.errors
        assert answer.strategy == "global"
        assert answer.confidence is union.confidence(search)
        assert from_federation(answer.hits) == from_union(union.search(search))
        lists = dict(answer.corpora)
        for corpus in CORPORA:
            assert from_federation(lists[corpus]) == from_union(union.search(search, [corpus]))

    def short(self, workspace: Workspace, answer: FederatedResponse, search: SearchRequest) -> None:
        """Fail unless a smaller budget of text shortens texts and changes nothing else."""
        wanted = sum(len(merged.hit.content.encode()) for merged in answer.hits)
        cut = self.asked.search(workspace, whole(search, snippet_bytes=wanted // 2))
        texts = [merged.hit.content for merged in cut.hits]
        assert sum(len(text.encode()) for text in texts) <= wanted // 2
        for text, merged in zip(texts, answer.hits, strict=True):
            assert merged.hit.content.startswith(text)
        assert [merged.global_id for merged in cut.hits] == [m.global_id for m in answer.hits]
        assert [merged.score for merged in cut.hits] == [m.score for m in answer.hits]
        if wanted > 1:
            assert "max_total_snippet_bytes" in {entry.limit.code for entry in cut.limits_hit}
            self.bound.add("snippets")

    def note_cuts(
        self,
        answer: FederatedResponse,
        union: UnionStore,
        search: SearchRequest,
        most: int | None,
    ) -> None:
        """Note which cuts changed the answer."""
        shown = from_federation(answer.hits)
        wider = from_union(union.search(replace(search, limit=search.limit + 1)))
        if len(wider) > len(shown):
            self.bound.add("top")
        if from_union(union.search(replace(search, per_file=50))) != shown:
            self.bound.add("per_file")
        plain = from_union(union.search(search, search.corpora))
        if plain != shown:
            self.bound.add("quota")
        longest = max(part.count for report in answer.reports for part in report.corpora)
        if most is not None and longest == most:
            self.bound.add("per_repo_top")


def whole(search: SearchRequest, **more: object) -> FederatedRequest:
    """Return the question whose answer is the one store's."""
    defaults: dict[str, object] = {"fold": False, "snippet_bytes": 1 << 30}
    return FederatedRequest(
        search=search,
        top=search.limit,
        merge_strategy="global",
        **(defaults | more),  # type: ignore[arg-type]  # named by each caller
    )


def prove(encoder: str, effort: settings) -> None:
    """Compare over many workspaces, all served by the same daemons."""
    with served_workspace(MOST, encoder) as place, asked(place.federator()) as federator:
        proof = Proof(place, federator, encoder)
        proof.check(*BINDING)
        effort(given(cases)(lambda case: proof.check(*case)))()
        assert proof.bound == CUTS


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("encoder", "effort"),
    [
        ("static", FEW),
        pytest.param("none", MANY, marks=pytest.mark.deep),
        pytest.param("static", MANY, marks=pytest.mark.deep),
    ],
)
def test_daemons_answer_as_one_store_over_all_files(encoder: str, effort: settings) -> None:
    """Hits, order and scores, whatever is cut, and with one vector for all of them."""
    prove(encoder, effort)


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["none", "static"])
def test_a_snapshot_published_between_counting_and_searching_is_answered_from(
    encoder: str,
) -> None:
    """Figures of one collection and lists of another never meet in an answer."""
    before = [{"a.py": "token\n"}, {"b.py": "token cache\n"}, {"c.py": "queue token\n"}]
    after = [before[0], {"b.py": "token cache\n", "d.rb": "token token queue\n" * 3}, before[2]]
    search = SearchRequest(
        "token queue", mode=Mode.BALANCED, deterministic=True, keep_weak=True, timeout_ms=0
    )
    with served_workspace(3, encoder) as place, asked(place.federator()) as federator:
        place.write(before)
        proof = Proof(place, federator, encoder)
        counts: list[str | None] = []

        async def publish(repo: WorkspaceRepo) -> None:
            counts.append(repo.root_canonical.name)
            if repo.root_canonical == place.roots[1] and counts.count("repo1") == 1:
                await to_thread.run_sync(place.write, after)

        place.between.counted = publish
        workspace = place.workspace(3)
        answer = federator.search(workspace, whole(search))
        union = build_union(place.base / "union2", place.roots, encoder)

        proof.same(answer, union, search)
        assert counts.count("repo1") == 2
        assert counts.count("repo0") == counts.count("repo2") == 1
        proof.same(federator.search(workspace, whole(search)), union, search)
