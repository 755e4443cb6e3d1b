"""Repositories in memory that one process searches together, except those that must be apart."""

from collections.abc import Mapping, Sequence

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.searcher import JointSearcher, RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import (
    BatchedFigures,
    BatchedPoolResponse,
    BatchedQuery,
    MemberLists,
)
from ggrep.model.confidence import NO_TOP_FILES
from ggrep.model.request import PoolRequest, sum_statistics
from ggrep.model.response import RepoDescription
from tests.fakes.searchers import FakeSearcher, figures_of, repo


class JointFakes:
    """Fakes that are searched together.

    Attributes:
        failures: raised by searches, one each, that do not only count.
    """

    def __init__(self, fakes: Sequence[FakeSearcher], together: str) -> None:
        self.fakes = {repo(fake.name).repo_id: fake for fake in fakes}
        self.members = {name: fake for name, fake in self.fakes.items() if fake.name in together}
        self.failures: list[GgrepError] = []

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing."""

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the fake of a repository."""
        return self.fakes[repo.repo_id]

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        del repos
        return self

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        return {name: await fake.describe(deadline) for name, fake in self.members.items()}

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the members' lists, scored by the sum of all statistics."""
        deadline.check("searching together")
        counts = [figures_of(self.members[name].rows, question.search.query) for name in repos]
        figures = BatchedFigures(
            counts[0].layout,
            tuple(each.chunks for each in counts),
            tuple(each.files for each in counts),
            (tuple(each.lengths[0] for each in counts),),
            tuple(entry.term for entry in counts[0].terms),
            tuple(zip(*(tuple(e.chunks for e in each.terms) for each in counts), strict=True)),
            tuple(zip(*(tuple(e.files for e in each.terms) for each in counts), strict=True)),
        )
        if question.counting:
            return BatchedPoolResponse(figures, (), NO_TOP_FILES, (), (), ())
        if self.failures:
            raise self.failures.pop(0)
        summed = sum_statistics([figures.total(), *question.others])
        total = None if question.by_rank else summed
        request = PoolRequest(question.search, question.per_list, total)
        pools = [await self.members[name].search(request, deadline) for name in repos]
        lists = tuple(
            MemberLists(place, pool.corpora, pool.blended if question.by_rank else ())
            for place, pool in enumerate(pools)
            if place not in question.silent
        )
        return BatchedPoolResponse(figures, lists, pools[0].leading, (), (), ())
