"""Asked at once or one by one, repositories give the same answer, byte for byte."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.identifiers import IdSource
from ggrep.base.ids import RepoId
from ggrep.base.locks import Patience
from ggrep.config.home import Home
from ggrep.federation import pool_rounds
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.routing import Routed, route
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.index.packs.pack_directory import make_packs
from ggrep.model.request import Find, SearchRequest
from tests.fakes.hosts import CLOCK
from tests.fakes.packs import unpacked_segments
from tests.fakes.served_workspace import ServedWorkspace, asked, served_workspace
from tests.properties.workspaces import found, from_federation, queries, trees

MOST = 6
FEW = settings(max_examples=12)
MANY = settings(max_examples=250)

requests = st.fixed_dictionaries(
    {
        "search": found(queries),
        "fold": st.sampled_from([None, False]),
        "per_repo_top": st.sampled_from([None, 10, 12]),
        "merge_strategy": st.sampled_from(STRATEGIES),
        "max_repos": st.sampled_from([0, 0, 1, 3]),
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


cases = st.tuples(
    copied(),
    st.lists(requests, min_size=2, max_size=5),
    st.sampled_from([0, 1, 99]),
    st.sampled_from([0, 0, 1, 2]),
)
"""Repositories, questions, how many segments are packed first, and how many of the repositories
must be asked by themselves."""


class Proof:
    """Asks daemons of one host both ways."""

    def __init__(self, place: ServedWorkspace, encoder: str) -> None:
        self.place = place
        self.encoder = encoder
        self.asked = self.joint = self.apart = self.packed = 0
        self.verdicts: Counter[str] = Counter()
        self.kinds: Counter[Find] = Counter()
        self.cuts: Counter[str] = Counter()

    def check(
        self,
        repos: Sequence[dict[str, str]],
        drawn: Sequence[dict[str, object]],
        packed: int,
        apart: int,
    ) -> None:
        """Fail unless the answers are the same."""
        self.place.write(repos)
        self.pack(packed)
        workspace = self.place.workspace(len(repos))
        for values in drawn:
            search = values["search"]
            assert isinstance(search, SearchRequest)
            question = FederatedRequest(top=search.limit, **values)  # type: ignore[arg-type]
            named = frozenset(repo.repo_id for repo in workspace.repos[:apart])
            self.place.between.apart = named
            reported = self.told(workspace, question, together=True)
            assert plain(reported) == plain(self.told(workspace, question, together=False))
            self.check_verdicts(workspace, question, reported)

    def check_verdicts(
        self, workspace: Workspace, question: FederatedRequest, told: FederatedResponse
    ) -> None:
        """Fail unless the lists are the same with any of those that could not change them."""
        skipped = [each for each in told.coverage if not each.answered]
        self.verdicts.update(each.could_change for each in skipped)
        ruled_out = [each.repo_id for each in skipped if each.could_change == "no"]
        everybody = [[*ruled_out]] if len(ruled_out) > 1 else []
        for repos in (*everybody, *([repo] for repo in ruled_out)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(pool_rounds, "route", partial(kept_too, repos))
                assert lists(self.told(workspace, question, together=True)) == lists(told)

    def pack(self, most: int) -> None:
        """Pack the first segments of all stores, those too that are packed already."""
        home = Home(self.place.home)
        segments = unpacked_segments(home)[:most]
        self.packed += len(segments)
        if segments:
            patience = Patience(Deadline.after(CLOCK, 60_000), lambda _: None)
            assert make_packs(home, segments, IdSource(CLOCK), patience)

    def told(
        self, workspace: Workspace, question: FederatedRequest, *, together: bool
    ) -> FederatedResponse:
        """Return the answer of those who remember nothing."""
        between = self.place.between
        between.together = together
        between.joint.clear()
        between.pools.clear()
        with asked(self.place.federator()) as federator:
            answer = federator.search(workspace, question)
        assert together or (between.pools and not between.joint)
        few_apart = 2 * len(between.apart) < len(workspace.repos)
        self.asked += together and few_apart and not question.search.is_exact
        self.joint += bool(between.joint) and len(between.pools) <= len(between.apart)
        if between.joint and len(between.pools) <= len(between.apart):
            self.kinds[question.search.find] += 1
            self.cuts.update(cut.limit.code for cut in answer.limits_hit)
        self.apart += bool(between.joint) and 0 < len(between.pools) <= len(between.apart)
        return answer


def kept_too(repos: Sequence[RepoId], *given: Any, **more: Any) -> Routed:
    """Return the repositories to search and these."""
    result = route(*given, **more)
    return replace(
        result,
        kept=tuple(sorted({*result.kept, *repos})),
        skipped=tuple(repo for repo in result.skipped if repo not in repos),
    )


def plain(answer: FederatedResponse) -> bytes:
    """Return an answer without verdicts: at once, more is known of those that are passed over."""
    document = answer.to_json()
    for repo in document.get("repos", ()):
        repo.pop("couldChange", None)
    return stable_json.dumps(document)


def lists(answer: FederatedResponse) -> tuple[object, ...]:
    """Return what an answer shows, and how sure it is."""
    every = [answer.hits, *(hits for _, hits in answer.corpora)]
    copies = [[merged.also_in for merged in hits] for hits in every]
    return [from_federation(hits) for hits in every], copies, answer.confidence


def prove(encoder: str, effort: settings) -> None:
    """Compare over many workspaces, all served by the same daemons."""
    with served_workspace(MOST, encoder) as place:
        proof = Proof(place, encoder)

        @effort
        @given(cases)
        def compare(case: tuple[list[dict[str, str]], list[dict[str, object]], int, int]) -> None:
            proof.check(*case)

        compare()
        assert proof.joint > proof.asked / 2  # copies that use a list up are asked for one by one
        assert proof.apart
        assert proof.packed
        assert proof.verdicts["no"] > 0 < proof.verdicts["yes"]
        # Lines are matched by each repository itself.
        assert {*proof.kinds} == {*Find} - {Find.EXACT_TEXT, Find.REGEX}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoder", "effort"),
    [
        ("hashed", FEW),
        *(
            pytest.param(each, MANY, marks=pytest.mark.deep)
            for each in ("hashed", "none", "static")
        ),
    ],
)
def test_asking_at_once_changes_no_byte(encoder: str, effort: settings) -> None:
    prove(encoder, effort)
