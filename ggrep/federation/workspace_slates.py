"""One slate over a workspace: a federated search picks repositories, then each gives a slate.

A repository whose hits are among the first of the merged list gives a slate of its own, scored
against the same statistics and of the same snapshot as its hits; `ggrep.search.slate.combine`
makes one of them. What became of every repository stands in the answer as it does for a search.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import Ran, deadline_of, run_search
from ggrep.federation.fanout import RepoOutcome
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse, answered_json, federated_json
from ggrep.federation.memory import Memory
from ggrep.federation.repo_requests import Arrived
from ggrep.federation.searcher import Searchers
from ggrep.federation.slate_joining import joined
from ggrep.federation.strategies import BY_NAME
from ggrep.federation.workspace import Workspace
from ggrep.model.request import SnippetMode
from ggrep.model.slate import Anchors, Budgets, Graph, Level, Slate, SlateRequest, SlateResponse
from ggrep.model.statistics import sum_statistics
from ggrep.search.slate.combine import Combining
from ggrep.search.slate.document import slate_json
from ggrep.search.slate.levels import check_level, effective

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import FederatedErrorJson, FederatedJson, FederatedSlateJson

LEADING_HITS: Final = 50
"""Repositories with a hit among so many of the merged list are asked for a slate."""

_SEARCH_SHARE: Final = 0.6
"""Share of the time that the search may take; slates have the rest."""

_USUAL: Final = Budgets()


@dataclass(frozen=True, slots=True)
class SlateShape:
    """Level, budgets and parts of a slate over a workspace.

    Attributes:
        level: as of a `SlateRequest`, and so are the others.
    """

    level: Level = 1
    budgets: Budgets = _USUAL
    anchors: Anchors = True
    graph: Graph = True


_LEAST: Final = SlateShape(level=0, anchors=False, graph=False)


@dataclass(frozen=True, slots=True)
class FederatedSlate:
    """A slate over a workspace, with the answer of its search.

    Attributes:
        response: its hits are those that decided who was asked.
        slate: None where there is no answer at all.
    """

    response: FederatedResponse
    slate: Slate | None

    @property
    def ok(self) -> bool:
        """Return whether at least one repository answered, or none was selected."""
        return self.response.ok

    @property
    def error(self) -> GgrepError | None:
        """Return why there is no answer; None if there is one."""
        return self.response.error

    @property
    def merge_unsaid(self) -> bool:
        """Return whether repositories were picked by rank alone because nobody said how."""
        return self.response.merge_unsaid

    @property
    def exit_status(self) -> int:
        """Return the process status that goes with the answer."""
        return self.response.exit_status

    def to_json(self) -> "FederatedJson | FederatedSlateJson | FederatedErrorJson":
        """Return a federated search's answer, with a slate in place of its lists.

        Without an answer, a federated search's failure.
        """
        if self.slate is None:
            return federated_json(self.response)
        return {**answered_json(self.response), "format": "slate", "slate": slate_json(self.slate)}


async def federated_slate(  # noqa: PLR0913 - as a search, with a shape
    workspace: Workspace,
    request: FederatedRequest,
    shape: SlateShape,
    searchers: Searchers,
    clock: Clock,
    *,
    memory: Memory | None = None,
    arrived: Arrived | None = None,
) -> FederatedSlate:
    """Return the slate for a question over the selected repositories.

    Arguments as of `federated_search`; the request's `top` is not read.

    Raises:
        WorkspaceError: the request is invalid, or a cohort that it names is not there.
        InvalidRequest: the level or a budget is.
    """
    check_level(shape.level)
    budgets, clamps = effective(shape.budgets, shape.level)
    started_ms = clock.monotonic_ms()
    deadline = deadline_of(request, clock)
    searching = replace(
        request,
        search=replace(request.search, snippet=SnippetMode.NONE, explain=False),
        top=LEADING_HITS,
        deadline=_share(deadline, clock),
    )
    ran = await run_search(
        workspace,
        searching,
        searchers,
        clock,
        memory=memory,
        arrived=arrived,
        part=_SEARCH_SHARE,
    )
    if not ran.response.ok:
        return FederatedSlate(ran.response, None)
    outcomes = await _ask(ran, shape, budgets, deadline)
    if request.strict:
        for outcome in outcomes.values():
            if outcome.error is not None:
                return FederatedSlate(replace(ran.response, error=outcome.error), None)
    how = Combining(
        level=shape.level,
        budgets=budgets,
        comparable=BY_NAME[ran.given.strategy].compares,
        confidence=ran.response.confidence,
        graph=shape.graph,
        keep_weak=request.search.keep_weak,
    )
    usual = not shape.budgets.total_bytes and not budgets.of_text
    response, slate = joined(ran, outcomes, how, clamps, fits_usual=usual)
    elapsed_ms = clock.monotonic_ms() - started_ms
    return FederatedSlate(replace(response, elapsed_ms=elapsed_ms), slate)


def _share(deadline: Deadline, clock: Clock) -> Deadline:
    now_ms = clock.monotonic_ms()
    return replace(deadline, at_ms=now_ms + _SEARCH_SHARE * deadline.remaining_ms())


async def _ask(
    ran: Ran, shape: SlateShape, budgets: Budgets, deadline: Deadline
) -> dict[RepoId, RepoOutcome[SlateResponse]]:
    """Return the slates of the repositories that lead the merged list."""
    leading = list(dict.fromkeys(hit.repo_id for hit in ran.response.hits))[: budgets.files]
    requests = {repo: _request(ran, repo, shape, budgets) for repo in leading}
    if not leading and ran.given.pools:
        # Nothing is shown, but somebody has to say what the question was taken for.
        first = min(ran.given.pools)
        requests[first] = _request(ran, first, _LEAST, replace(budgets, files=1))
    return await ran.asking.slates(requests, deadline)


def _request(ran: Ran, repo: RepoId, shape: SlateShape, budgets: Budgets) -> SlateRequest:
    """Return the request to a repository: the search of its hits, on the same snapshot."""
    asking, given = ran.asking, ran.given
    counted = BY_NAME[given.strategy].counts and repo in given.figures
    total = sum_statistics(given.figures[one] for one in sorted(given.figures)) if counted else None
    corpora = asking.plan.corpora_of(repo)
    return SlateRequest(
        search=replace(asking.search, corpora=corpora, keep_weak=True),
        level=shape.level,
        budgets=budgets,
        anchors=shape.anchors,
        graph=shape.graph,
        facts=shape.graph,
        statistics=total,
        snapshot_id=given.pools[repo].provenance.snapshot_id,
        vector=asking.vector_of(repo),
    )
