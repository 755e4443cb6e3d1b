"""Queries repositories for a name by one matching rule after another, until a rule matches.

The rules are those of a single store: first the exact spelling. Other letter cases count only if
the exact spelling does not occur in the workspace. Suggestions are requested only if no name
matches.
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
"""A round may use the remaining time divided by this number: the next rule needs time, too."""

_MOST_CHANGES: Final = 4
"""Number of rounds in which definitions may change before repositories that change them fail."""


class NameRounds(Struct, Generic[P]):
    """The rounds of a query about a name.

    Attributes:
        request: the query; each round sets its rule, its offset and its snapshot.
        decides: returns whether a repository's reply contains a match.
        cursor: end of the previous page; None for the first page.
    """

    session: FanoutSession
    request: Request[P]
    decides: Callable[[P], bool]
    cursor: PageCursor | None = None
    given: dict[NameStep, dict[RepoId, P]] = field(default_factory=dict)

    async def until_decided(self, steps: Sequence[NameStep]) -> NameStep | None:
        """Query by one rule after another; return the first rule with a match, or None."""
        if self.cursor is not None:
            steps = (self.cursor.step,)
        for step in steps:
            await self.go(step, steps[: steps.index(step)])
            if (decided := self.decided()) is not None or self.session.is_over:
                return decided
        return None

    def decided(self) -> NameStep | None:
        """Return the first rule with a match in the replies so far; None if there is none.

        A later page uses the rule of the first page.
        """
        if self.cursor is not None:
            return self.cursor.step
        tried = (step for step in SYMBOL_STEPS if step in self.given)
        return next(
            (step for step in tried if any(map(self.decides, self.given[step].values()))), None
        )

    async def go(self, step: NameStep, before: Sequence[NameStep] = ()) -> None:
        """Query all repositories by a rule; `before` contains the rules that were tried before."""
        repos = [repo for repo in self.session.descriptions if repo not in self.session.failures]
        await self._ask(repos, self.request, step, before)

    async def judge(self, repos: Sequence[RepoId], step: NameStep, family: Family) -> None:
        """Query repositories again, by the same rule, for the usages of a family of definitions."""
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
        self._drop_failed()

    def fail(self, repos: Sequence[RepoId], error: GgrepError) -> None:
        """Exclude repositories, and their replies so far."""
        for repo in repos:
            self.session.fail(repo, error)
        self._drop_failed()

    def _drop_failed(self) -> None:
        """Drop the replies of repositories that have failed since."""
        for pools in self.given.values():
            for repo in pools.keys() & self.session.failures.keys():
                del pools[repo]

    def snapshot_of(self, repo: RepoId) -> str | None:
        """Return the snapshot of a repository's replies; None before its first reply."""
        if self.cursor is not None:
            consumed = self.cursor.of(repo)
            return consumed.snapshot_id if consumed else None
        replies = (pools[repo] for pools in self.given.values() if repo in pools)
        return next((pool.provenance.snapshot_id for pool in replies), None)

    async def _ask_repo(
        self, repo: RepoId, request: Request[P], step: NameStep, before: Sequence[NameStep]
    ) -> dict[NameStep, P]:
        """Query a repository; if its snapshot has been deleted, repeat all earlier steps.

        The race: the repository answers a step (1), publishes a new snapshot and deletes the old
        one (2), and receives the next step for the deleted snapshot (3).
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
    """Return the matching rule, and the definitions that classify all usages.

    A repository that fails in a round is excluded with its definitions. A new snapshot of a
    repository can contain other spellings. An exclusion and a new snapshot both change which
    repositories must be queried again. After a few rounds, a repository whose definitions change
    again fails; the rounds therefore end even without a deadline.
    """
    used: dict[tuple[NameStep, RepoId], Family] = {}
    number = 0
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
        before = {repo: _definitions(rounds, repo) for repo in other}
        await rounds.judge(other, step, family)
        used |= {(step, repo): family for repo in other}
        number += 1
        if number > _MOST_CHANGES:
            changed = [repo for repo in other if _definitions(rounds, repo) != before[repo]]
            message = "the definitions of this repository change in each round of the query"
            rounds.fail(changed, SnapshotGone(message))


def _definitions(rounds: NameRounds[ReferencesPool], repo: RepoId) -> object:
    """Return the part of a repository's replies that affects other repositories."""
    replies = ((step, pools[repo]) for step, pools in rounds.given.items() if repo in pools)
    return [(step, is_mentioned(pool), pool.defined) for step, pool in replies]
