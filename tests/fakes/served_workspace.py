"""A workspace whose repositories are served by daemons of this process, asked as surfaces do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from anyio import from_thread

from ggrep.base.clock import Deadline
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.daemon.host_resources import ServedStore
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.searcher import JointSearcher, RepoSearcher, Searchers
from ggrep.federation.workspace import Workspace, WorkspaceRepo, load_workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.request import (
    EncodeRequest,
    PoolRequest,
    Request,
    StatisticsRequest,
)
from ggrep.model.response import RepoDescription
from ggrep.protocol.wire.messages import Sync
from ggrep.service.federator import Federator
from tests.fakes.hosts import CLOCK, FLAGS, Served, served
from tests.fakes.places import short_directory
from tests.fakes.repos import write_tree


class Between:
    """Stands between the coordinator and daemons, and sees what goes by.

    Attributes:
        pools: every request for lists.
        encoded: every text that was asked to be encoded.
        joint: every request to all of them at once.
        together: whether they are asked at once where that is possible.
        apart: those that are asked by themselves even then.
        counted: awaited after a repository was counted; None for nothing.
    """

    def __init__(self) -> None:
        self.pools: list[PoolRequest] = []
        self.encoded: list[str] = []
        self.joint: list[BatchedQuery] = []
        self.together = False
        self.apart: frozenset[RepoId] = frozenset()
        self.counted: Callable[[WorkspaceRepo], Any] | None = None

    def __call__(self, searchers: Searchers) -> Searchers:
        return _Seen(searchers, self)


class _Seen:
    def __init__(self, inner: Searchers, between: Between) -> None:
        self._inner = inner
        self._between = between

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        await self._inner.prepare(repos, deadline)

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        return _SeenSearcher(self._inner.open(repo), repo, self._between)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        joint = self._inner.joint(repos) if self._between.together else None
        return joint and _SeenJoint(joint, self._between)


class _SeenJoint:
    def __init__(self, inner: JointSearcher, between: Between) -> None:
        self._inner = inner
        self._between = between

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        result = await self._inner.describe(deadline)
        return {repo: notice for repo, notice in result.items() if repo not in self._between.apart}

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        self._between.joint.append(question)
        return await self._inner.search(question, repos, deadline)


R = TypeVar("R")


class _SeenSearcher:
    def __init__(self, inner: RepoSearcher, repo: WorkspaceRepo, between: Between) -> None:
        self._inner = inner
        self._repo = repo
        self._between = between

    async def describe(self, deadline: Deadline) -> RepoDescription:
        return await self._inner.describe(deadline)

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        if isinstance(request, PoolRequest):
            self._between.pools.append(request)
        if isinstance(request, EncodeRequest):
            self._between.encoded.append(request.text)
        answer = await self._inner.ask(request, deadline)
        if isinstance(request, StatisticsRequest) and self._between.counted is not None:
            await self._between.counted(self._repo)
        return answer


class ServedWorkspace:
    """Daemons over directories that tests rewrite.

    Attributes:
        roots: of all repositories, the first of which make up the workspace.
        between: sees what is asked of daemons.
    """

    def __init__(
        self, base: Path, home: Path, roots: Sequence[Path], flags: Mapping[str, object]
    ) -> None:
        self.base = base
        self.roots = list(roots)
        self.between = Between()
        self.daemons: dict[Path, Served] = {}
        self._written: dict[Path, dict[str, str]] = {}
        self.home = home
        self.flags = {**FLAGS, **flags}

    def federator(self) -> Federator:
        return Federator(
            Home(self.home), {"GGREP_OFFLINE": "1"}, CLOCK, flags=self.flags, through=self.between
        )

    def write(self, repos: Sequence[dict[str, str]]) -> None:
        """Make the first repositories hold these files and nothing else, and index them."""
        for root, files in zip(self.roots, repos, strict=False):
            kept = self._written.get(root, {})
            if kept != files:
                write_tree(root, {**dict.fromkeys(kept), **files})
                self._written[root] = files
                self.sync(root)

    def sync(self, root: Path) -> None:
        """Have a repository's daemon bring its index up to date."""
        self.daemons[root].ask(Sync())

    def workspace(self, number: int) -> Workspace:
        """Return the workspace of the first repositories."""
        entries = ",".join(
            f'{{"root": "{root}", "priority": {place % 2}}}'
            for place, root in enumerate(self.roots[:number])
        )
        file = self.base / "w.jsonc"
        file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        return load_workspace(file, resolve_root=lambda path: path)


@contextmanager
def served_workspace(number: int, encoder: str, **flags: object) -> Iterator[ServedWorkspace]:
    """Serve empty repositories for the length of the block; flags are further settings."""
    with (
        short_directory() as base,
        ExitStack() as stack,
    ):
        roots = [base / f"repo{place}" for place in range(number)]
        made = ServedWorkspace(base, base / "home", roots, {"encoder": encoder, **flags})
        stores: dict[tuple[str, str], ServedStore] = {}
        for root in roots:
            root.mkdir()
            daemon = served(root, made.home, flags=made.flags, stores=stores)
            made.daemons[root] = stack.enter_context(daemon)
        for daemon in made.daemons.values():
            daemon.settled()
        yield made


class Asked:
    """A federator that is asked from outside its event loop."""

    def __init__(self, federator: Federator, portal: from_thread.BlockingPortal) -> None:
        self.federator = federator
        self._portal = portal

    def search(self, workspace: Workspace, request: FederatedRequest) -> FederatedResponse:
        """Return the answer of a workspace."""
        return self._portal.call(self.federator.search, workspace, request)

    def slate(
        self, workspace: Workspace, request: FederatedRequest, shape: SlateShape
    ) -> FederatedSlate:
        """Return the slate of a workspace."""
        return self._portal.call(self.federator.slate, workspace, request, shape)


@contextmanager
def asked(federator: Federator) -> Iterator[Asked]:
    """Have an event loop for a federator for the length of the block."""
    with from_thread.start_blocking_portal() as portal:
        try:
            yield Asked(federator, portal)
        finally:
            portal.call(federator.aclose)
