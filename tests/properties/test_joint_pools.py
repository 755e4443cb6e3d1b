"""Asked at once or one by one, repositories give the same answer, byte for byte."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.deadline import Deadline
from ggrep.base.identifiers import IdSource
from ggrep.base.locks import Patience
from ggrep.config.home import Home
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace
from ggrep.index.packs.pack_directory import make_packs
from ggrep.model.request import SearchRequest
from tests.fakes.hosts import CLOCK
from tests.fakes.packs import loose_segments
from tests.fakes.served_workspace import Asked, ServedWorkspace, asked, served_workspace
from tests.properties.workspaces import queries, trees

MOST = 6
FEW = settings(max_examples=12)
MANY = settings(max_examples=250)

requests = st.fixed_dictionaries(
    {
        "search": queries,
        "fold": st.sampled_from([None, False]),
        "per_repo_top": st.sampled_from([None, 10, 12]),
        "merge_strategy": st.sampled_from(["global", "evidence"]),
    }
)


@st.composite
def copied(draw: st.DrawFn) -> list[dict[str, str]]:
    """Draw repositories, of which one may hold very many copies of a file."""
    repos = draw(trees(most=MOST))
    number = draw(st.sampled_from([0, 0, 3, 15, 30]))
    place = draw(st.integers(0, len(repos) - 1))
    name, text = next(iter(repos[place].items()))
    copies = {f"copies/{n:02}/{name}": text for n in range(number)}
    return [{**repo, **(copies if at == place else {})} for at, repo in enumerate(repos)]


cases = st.tuples(copied(), st.lists(requests, min_size=2, max_size=5), st.sampled_from([0, 1, 99]))
"""Repositories, questions, and how many of their segments are packed first."""


class Proof:
    """Asks daemons of one host both ways."""

    def __init__(self, place: ServedWorkspace, encoder: str) -> None:
        self.place = place
        self.encoder = encoder
        self.asked = self.joint = self.packed = 0

    def check(
        self, repos: Sequence[dict[str, str]], drawn: Sequence[dict[str, object]], packed: int
    ) -> None:
        """Fail unless the answers are the same."""
        self.place.write(repos)
        self.pack(packed)
        workspace = self.place.workspace(len(repos))
        for values in drawn:
            search = values["search"]
            assert isinstance(search, SearchRequest)
            question = FederatedRequest(top=search.limit, **values)  # type: ignore[arg-type]
            assert self.told(workspace, question, together=True) == self.told(
                workspace, question, together=False
            )

    def pack(self, most: int) -> None:
        """Pack the first segments of all stores, those too that are packed already."""
        home = Home(self.place.home)
        segments = loose_segments(home)[:most]
        self.packed += len(segments)
        if segments:
            patience = Patience(Deadline.after(CLOCK, 60_000), lambda _: None)
            assert make_packs(home, segments, IdSource(CLOCK), patience)

    def told(self, workspace: Workspace, question: FederatedRequest, *, together: bool) -> bytes:
        """Return the answer of those who remember nothing."""
        between = self.place.between
        between.together = together
        between.joint.clear()
        between.pools.clear()
        with asked(self.place.federator()) as federator:
            answer = self._answer(federator, workspace, question)
        assert bool(between.joint) is together
        assert between.pools or together
        self.asked += together
        self.joint += not between.pools
        return answer

    @staticmethod
    def _answer(federator: Asked, workspace: Workspace, question: FederatedRequest) -> bytes:
        return stable_json.dumps(federator.search(workspace, question).to_json())


def prove(encoder: str, effort: settings) -> None:
    """Compare over many workspaces, all served by the same daemons."""
    with served_workspace(MOST, encoder) as place:
        proof = Proof(place, encoder)

        @effort
        @given(cases)
        def compare(case: tuple[list[dict[str, str]], list[dict[str, object]], int]) -> None:
            proof.check(*case)

        compare()
        assert proof.joint > proof.asked / 2  # copies that use a list up are asked for one by one
        assert proof.packed


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["hashed", "none"])
def test_asking_at_once_changes_no_byte(encoder: str) -> None:
    prove(encoder, FEW)


@pytest.mark.deep
@pytest.mark.parametrize("encoder", ["hashed", "none", "static"])
def test_asking_at_once_changes_no_byte_ever(encoder: str) -> None:
    prove(encoder, MANY)
