"""Repositories in memory, asked through the real coordinator with everything it can be given."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

import anyio

from ggrep.base import stable_json
from ggrep.base.clock import Clock, Deadline
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.fanout_session import Arrived
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.searcher import JointSearcher, RepoSearcher, Searchers
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.corpus import Corpus
from ggrep.model.request import PoolRequest, SearchRequest
from tests.fakes.clocks import ManualClock
from tests.fakes.searchers import FakeRow, FakeSearcher, factory, repo, workspace


def rows(prefix: str, *words: str, corpus: Corpus = Corpus.CODE) -> list[FakeRow]:
    return [
        FakeRow(f"{prefix}{n}", f"{prefix}{n}.py", 1, tuple(text.split()), corpus, text)
        for n, text in enumerate(words)
    ]


def searcher(name: str, *words: str, **fields: object) -> FakeSearcher:
    return FakeSearcher(name, rows(name, *(words or ("token", "token other"))), **fields)


def request(
    query: str = "token", *, search: dict[str, object] | None = None, **fields: object
) -> FederatedRequest:
    return FederatedRequest(SearchRequest(query, **(search or {})), **fields)


async def ask(
    searchers: Sequence[FakeSearcher],
    asked: FederatedRequest | None = None,
    *,
    memory: CoordinatorCache | None = None,
    arrived: Arrived | None = None,
    clock: Clock | None = None,
    known: Workspace | None = None,
) -> FederatedResponse:
    """Return the answer of the repositories."""
    return await federated_search(
        known or workspace(*(repo(fake.name) for fake in searchers)),
        asked or request(),
        factory(*searchers),
        clock or ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
        memory=memory,
        arrived=arrived,
    )


class OneByOne:
    """Repositories that nobody asks at once."""

    def __init__(self, inner: Searchers) -> None:
        self._inner = inner

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        await self._inner.prepare(repos, deadline)

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        return self._inner.open(repo)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        del repos
        return None


def calls(fake: FakeSearcher, method: str) -> int:
    return sum(name == method for name, _ in fake.asked)


def pools(fake: FakeSearcher) -> list[PoolRequest]:
    return [asked for _, asked in fake.asked if isinstance(asked, PoolRequest)]


def statuses(response: FederatedResponse) -> dict[str, str]:
    """Return what became of each repository, by alias."""
    return {report.repo.alias or "": report.status for report in response.reports}


def files(response: FederatedResponse) -> list[str]:
    """Return the paths of the blended list."""
    return [merged.hit.path for merged in response.hits]


def document(response: FederatedResponse) -> bytes:
    return stable_json.dumps(response.to_json())


def hanging_at(*methods: str) -> Callable[[str], Awaitable[object]]:
    """Return a pause that never ends in these calls."""

    async def pause(method: str) -> None:
        if method in methods:
            await anyio.sleep_forever()

    return pause
