"""Asks repositories about a name, one rule after the other, until one decides.

Rules are those of one store: the name as it is spelled; other letter cases only where nothing in
the whole workspace is spelled so; names to suggest only where nothing fits at all.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final, Generic, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.name_merging import (
    MergedDefinitions,
    is_mentioned,
    merge_definitions,
    own_family,
)
from ggrep.federation.searcher import RepoSearcher
from ggrep.model.containers import Family
from ggrep.model.name_pools import (
    REFERENCE_STEPS,
    SYMBOL_STEPS,
    NameStep,
    PageCursor,
    ReferencesPool,
    SymbolPool,
)

P = TypeVar("P", SymbolPool, ReferencesPool)

ROUND_SHARE: Final = 2
"""One in so many of the milliseconds left is the most that one rule may take: the next one, where
nothing is found, needs time as well."""


class RepoQuery(Struct, frozen=True):
    """A query to one repository.

    Attributes:
        skip: places that earlier pages have shown.
        family: definitions whose usages are wanted; None for those of the repository.
    """

    step: NameStep
    skip: int = 0
    snapshot_id: str | None = None
    family: Family | None = None


Ask: TypeAlias = Callable[[RepoSearcher, RepoQuery, Deadline], Awaitable[P]]


class NameRounds(Struct, Generic[P]):
    """The rounds of one question.

    Attributes:
        decides: whether a repository's reply makes the rule the answer's.
        cursor: end of an earlier page; None on the first.
    """

    session: FanoutSession
    ask: Ask[P]
    decides: Callable[[P], bool]
    cursor: PageCursor | None = None
    given: dict[NameStep, dict[RepoId, P]] = field(default_factory=dict)

    async def until_found(self, steps: Sequence[NameStep]) -> NameStep | None:
        """Ask by one rule after the other; return the first that decides, None for none."""
        if self.cursor is not None:
            steps = (self.cursor.step,)
        for step in steps:
            await self.go(step, steps[: steps.index(step)])
            if (found := self.decided()) is not None or self.session.is_over:
                return found
        return None

    def decided(self) -> NameStep | None:
        """Return the first rule that decides by what was given so far; None for none.

        On a later page it is the first page's.
        """
        if self.cursor is not None:
            return self.cursor.step
        tried = (step for step in SYMBOL_STEPS if step in self.given)
        return next((step for step in tried if any(map(self.decides, self._pools(step)))), None)

    async def go(self, step: NameStep, before: Sequence[NameStep] = ()) -> None:
        """Ask all repositories by one rule; `before` are the rules that were tried already."""
        repos = [repo for repo in self.session.descriptions if repo not in self.session.failures]
        await self._ask(repos, RepoQuery(step), before)

    async def judge(self, repos: Sequence[RepoId], step: NameStep, family: Family) -> None:
        """Have repositories that answered by a rule answer anew with the uses of a family."""
        before = () if self.cursor is not None else REFERENCE_STEPS
        await self._ask(
            repos, RepoQuery(step, family=family), before[: REFERENCE_STEPS.index(step)]
        )

    async def _ask(
        self, repos: Sequence[RepoId], wanted: RepoQuery, before: Sequence[NameStep]
    ) -> None:
        if self.session.is_over:
            return
        calls = {repo: partial(self._one, repo, wanted, before) for repo in repos}
        for repo, replies in (await self.session.round(calls, ROUND_SHARE)).items():
            for each, pool in replies.items():
                self.given.setdefault(each, {})[repo] = pool
        self.given.setdefault(wanted.step, {})
        self._forget_failed()

    def snapshot_of(self, repo: RepoId) -> str | None:
        """Return the snapshot that a repository answers of; None before it did."""
        if self.cursor is not None:
            consumed = self.cursor.of(repo)
            return consumed.snapshot_id if consumed else None
        replies = (pools[repo] for pools in self.given.values() if repo in pools)
        return next((pool.provenance.snapshot_id for pool in replies), None)

    def _pools(self, step: NameStep) -> Iterable[P]:
        return self.given[step].values()

    def _forget_failed(self) -> None:
        """Drop replies of repositories that failed later: they have no part in the answer."""
        for pools in self.given.values():
            for repo in [repo for repo in pools if repo in self.session.failures]:
                del pools[repo]

    async def _one(
        self, repo: RepoId, wanted: RepoQuery, before: Sequence[NameStep]
    ) -> dict[NameStep, P]:
        """Ask one repository; where its snapshot went meanwhile, by all rules anew.

        The race: it answers by one rule (1), publishes and deletes (2), and is asked by the next
        rule of the snapshot that answered (3).
        """
        searcher, deadline = self.session.searcher(repo), self.session.deadline
        pinned, skip = self.snapshot_of(repo), self._skip(repo)
        first = replace(wanted, skip=skip, snapshot_id=pinned)
        try:
            return {wanted.step: await self.ask(searcher, first, deadline)}
        except GgrepError as error:
            if error.code != SnapshotGone.code or pinned is None or self.cursor is not None:
                raise
        anew: dict[NameStep, P] = {}
        pinned = None
        for each in (*before, wanted.step):
            again = replace(wanted, step=each, snapshot_id=pinned)
            anew[each] = await self.ask(searcher, again, deadline)
            pinned = anew[each].provenance.snapshot_id
        return anew

    def _skip(self, repo: RepoId) -> int:
        consumed = self.cursor.of(repo) if self.cursor is not None else None
        return consumed.places if consumed else 0


async def judge_all(
    rounds: NameRounds[ReferencesPool], owners: tuple[str, ...]
) -> tuple[NameStep | None, MergedDefinitions]:
    """Return the rule that decides, and the definitions by which all usages are judged.

    A repository that fails meanwhile has no part in the answer, nor have its definitions; one
    that publishes anew may spell the name otherwise. Then the repositories that must judge anew
    are determined again.
    """
    used: dict[tuple[NameStep, RepoId], Family] = {}
    while True:
        step = rounds.decided()
        pools = rounds.given.get(step, {}) if step is not None else {}
        defined = merge_definitions(pools, owners)
        family = defined.family
        if step is None or family is None or rounds.session.is_over:
            return step, defined
        other = [
            repo
            for repo, pool in sorted(pools.items())
            if is_mentioned(pool) and family != (used.get((step, repo)) or own_family(pool, owners))
        ]
        if not other:
            return step, defined
        await rounds.judge(other, step, family)
        used |= {(step, repo): family for repo in other}
