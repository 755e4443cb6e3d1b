"""Asks repositories about a name, one rule after the other, until one decides.

Rules are those of one store: the name as it is spelled; other letter cases only where nothing in
the whole workspace is spelled so; names to suggest only where nothing fits at all.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.errors import GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.name_merging import (
    MergedDefinitions,
    is_mentioned,
    local_family,
    merge_definitions,
)
from ggrep.model.containers import Family
from ggrep.model.name_pools import (
    REFERENCE_STEPS,
    SYMBOL_STEPS,
    NameStep,
    PageCursor,
    ReferencesPool,
    SymbolPool,
)
from ggrep.model.request import Request

P = TypeVar("P", SymbolPool, ReferencesPool)

ROUND_SHARE: Final = 2
"""Divides the remaining time: the next rule needs time, too."""


class NameRounds(Struct, Generic[P]):
    """The rounds of one question.

    Attributes:
        request: the question; each round sets its rule, place and snapshot.
        decides: whether a repository's reply makes the rule the answer's.
        cursor: end of an earlier page; None on the first.
    """

    session: FanoutSession
    request: Request[P]
    decides: Callable[[P], bool]
    cursor: PageCursor | None = None
    given: dict[NameStep, dict[RepoId, P]] = field(default_factory=dict)

    async def until_decided(self, steps: Sequence[NameStep]) -> NameStep | None:
        """Ask by one rule after the other; return the first that decides, None for none."""
        if self.cursor is not None:
            steps = (self.cursor.step,)
        for step in steps:
            await self.go(step, steps[: steps.index(step)])
            if (decided := self.decided()) is not None or self.session.is_over:
                return decided
        return None

    def decided(self) -> NameStep | None:
        """Return the first rule that decides by what was given so far; None for none.

        On a later page it is the first page's.
        """
        if self.cursor is not None:
            return self.cursor.step
        tried = (step for step in SYMBOL_STEPS if step in self.given)
        return next(
            (step for step in tried if any(map(self.decides, self.given[step].values()))), None
        )

    async def go(self, step: NameStep, before: Sequence[NameStep] = ()) -> None:
        """Ask all repositories by one rule; `before` are the rules that were tried already."""
        repos = [repo for repo in self.session.descriptions if repo not in self.session.failures]
        await self._ask(repos, self.request, step, before)

    async def judge(self, repos: Sequence[RepoId], step: NameStep, family: Family) -> None:
        """Have repositories that answered by a rule answer anew with the uses of a family."""
        before = () if self.cursor is not None else REFERENCE_STEPS[: REFERENCE_STEPS.index(step)]
        await self._ask(repos, replace(self.request, family=family), step, before)

    async def _ask(
        self,
        repos: Sequence[RepoId],
        request: Request[P],
        step: NameStep,
        before: Sequence[NameStep],
    ) -> None:
        if self.session.is_over:
            return
        calls = {repo: partial(self._ask_repo, repo, request, step, before) for repo in repos}
        for repo, replies in (await self.session.round(calls, ROUND_SHARE)).items():
            for each, pool in replies.items():
                self.given.setdefault(each, {})[repo] = pool
        self.given.setdefault(step, {})
        # A repository that failed later has no part in the answer.
        for pools in self.given.values():
            for repo in pools.keys() & self.session.failures.keys():
                del pools[repo]

    def snapshot_of(self, repo: RepoId) -> str | None:
        """Return the snapshot that a repository answers of; None before it did."""
        if self.cursor is not None:
            consumed = self.cursor.of(repo)
            return consumed.snapshot_id if consumed else None
        replies = (pools[repo] for pools in self.given.values() if repo in pools)
        return next((pool.provenance.snapshot_id for pool in replies), None)

    async def _ask_repo(
        self, repo: RepoId, request: Request[P], step: NameStep, before: Sequence[NameStep]
    ) -> dict[NameStep, P]:
        """Ask one repository; if its snapshot was deleted meanwhile, repeat all earlier steps.

        The race: it answers one step, publishes a snapshot and deletes the one that answered, and
        is then asked the next step of the deleted snapshot.
        """
        searcher, deadline = self.session.searcher(repo), self.session.deadline
        pinned = self.snapshot_of(repo)
        consumed = self.cursor.of(repo) if self.cursor is not None else None
        skip = consumed.places if consumed else 0
        first = replace(request, step=step, skip=skip, snapshot_id=pinned)
        try:
            return {step: await searcher.ask(first, deadline)}
        except GgrepError as error:
            if error.code != SnapshotGone.code or pinned is None or self.cursor is not None:
                raise
        anew: dict[NameStep, P] = {}
        pinned = None
        for each in (*before, step):
            again = replace(request, step=each, snapshot_id=pinned)
            anew[each] = await searcher.ask(again, deadline)
            pinned = anew[each].provenance.snapshot_id
        return anew


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
            if is_mentioned(pool)
            and family != (used.get((step, repo)) or local_family(pool, owners))
        ]
        if not other:
            return step, defined
        await rounds.judge(other, step, family)
        used |= {(step, repo): family for repo in other}
