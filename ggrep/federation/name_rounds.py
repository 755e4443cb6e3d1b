"""Asks repositories about a name, one rule after the other, until one decides.

Rules are those of one store: the name as it is spelled; other letter cases only where nothing in
the whole workspace is spelled so; names to suggest only where nothing fits at all.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Generic, TypeAlias, TypeVar

from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.repo_requests import RepoRequests
from ggrep.federation.searcher import RepoSearcher
from ggrep.model.name_pools import NameStep, ReferencesPool, SymbolPool
from ggrep.model.page_cursor import PageCursor

P = TypeVar("P", SymbolPool, ReferencesPool)

ROUND_SHARE: Final = 2
"""One in so many of the milliseconds left is the most that one rule may take: the next one, where
nothing is found, needs time as well."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One question to one repository.

    Attributes:
        skip: places that earlier pages have shown.
        snapshot_id: of which snapshot; None for the active one.
    """

    step: NameStep
    skip: int = 0
    snapshot_id: str | None = None


Ask: TypeAlias = Callable[[RepoSearcher, Wanted, Deadline], Awaitable[P]]


@dataclass(slots=True)
class NameRounds(Generic[P]):
    """The rounds of one question.

    Attributes:
        ask: has one repository answer by one rule.
        decides: whether what a repository gave makes the rule the answer's.
        cursor: where an earlier page ended; None on the first.
        given: what each repository gave, by rule.
    """

    asking: RepoRequests
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
            if (found := self._found(steps)) is not None or self.asking.is_over:
                return found
        return steps[0] if self.cursor is not None else None

    async def go(self, step: NameStep, before: Sequence[NameStep] = ()) -> None:
        """Ask everybody by one rule; `before` are those that were asked for already."""
        if self.asking.is_over:
            return
        calls = {
            repo: partial(self._one, repo, step, before)
            for repo in self.asking.descriptions
            if repo not in self.asking.failures
        }
        for repo, found in (await self.asking.round(calls, ROUND_SHARE)).items():
            for each, pool in found.items():
                self.given.setdefault(each, {})[repo] = pool
        self.given.setdefault(step, {})
        self._forget_failed()

    def snapshot_of(self, repo: RepoId) -> str | None:
        """Return the snapshot that a repository answers of; None before it did."""
        if self.cursor is not None:
            consumed = self.cursor.of(repo)
            return consumed.snapshot_id if consumed else None
        held = (pools[repo] for pools in self.given.values() if repo in pools)
        return next((pool.provenance.snapshot_id for pool in held), None)

    def _found(self, steps: Sequence[NameStep]) -> NameStep | None:
        asked = (step for step in steps if step in self.given)
        return next((step for step in asked if any(map(self.decides, self._pools(step)))), None)

    def _pools(self, step: NameStep) -> Iterable[P]:
        return self.given[step].values()

    def _forget_failed(self) -> None:
        """Drop what repositories gave that failed later: they have no part in the answer."""
        for pools in self.given.values():
            for repo in [repo for repo in pools if repo in self.asking.failures]:
                del pools[repo]

    async def _one(
        self, repo: RepoId, step: NameStep, before: Sequence[NameStep]
    ) -> dict[NameStep, P]:
        """Ask one repository; where its snapshot went meanwhile, by all rules anew.

        The race: it answers by one rule (1), publishes and deletes (2), and is asked by the next
        rule of the snapshot that answered (3).
        """
        searcher, deadline = self.asking.searcher(repo), self.asking.deadline
        pinned, skip = self.snapshot_of(repo), self._skip(repo)
        try:
            return {step: await self.ask(searcher, Wanted(step, skip, pinned), deadline)}
        except GgrepError as error:
            if error.code != SnapshotGone.code or pinned is None or self.cursor is not None:
                raise
        anew: dict[NameStep, P] = {}
        pinned = None
        for each in (*before, step):
            anew[each] = await self.ask(searcher, Wanted(each, 0, pinned), deadline)
            pinned = anew[each].provenance.snapshot_id
        return anew

    def _skip(self, repo: RepoId) -> int:
        consumed = self.cursor.of(repo) if self.cursor is not None else None
        return consumed.places if consumed else 0
