"""How long a slate over ten repositories takes, against the search of the same question.

Real installed packages, each served as a repository of its own by one host, and asked by turns
through their daemons: with nothing remembered, and then once more.
"""

import shutil
import statistics
import sysconfig
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import anyio
from msgspec import Struct

from bench.latency import percentile
from bench.serving import CLOCK, Host, load_average, median_ratio, serving, sync
from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.config.settings import Settings
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.daemon_searcher import DaemonSearchers
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.channels import Channels
from ggrep.service.daemon_addresses import DaemonAddresses

SITE: Final = Path(sysconfig.get_path("purelib"))
PACKAGES: Final = (
    "anyio",
    "fastapi",
    "graphql",
    "hypothesis",
    "mcp",
    "pip",
    "pydantic",
    "rich",
    "setuptools",
    "werkzeug",
)
QUESTIONS: Final = (
    "how is a request dispatched to its handler",
    "where is a session closed",
    "parse a version string",
    "how are headers validated",
    "render a table to the console",
    "cancel a task when the timeout passes",
    "resolve the dependencies of a package",
    "how is a model validated",
    "stream the body of a response",
    "read the configuration file",
    "generate examples for a type",
    "what happens when a connection is lost",
)
LEVELS: Final = (0, 1, 2)
STRATEGIES: Final = ("rrf", "global")
ROUNDS: Final = 3
_TIMEOUT_MS: Final = Settings().query_timeout_ms

Answer = FederatedResponse | FederatedSlate


class Asking(Struct, frozen=True):
    """Who asks, and what."""

    workspace: Workspace
    searchers: DaemonSearchers
    strategy: str

    def request(self, question: str) -> FederatedRequest:
        """Return a question with the deadline that a search has by default."""
        return FederatedRequest(
            SearchRequest(question, timeout_ms=_TIMEOUT_MS), merge_strategy=self.strategy
        )

    async def search(self, question: str, memory: CoordinatorCache) -> Answer:
        """Return the hits of a question."""
        return await federated_search(
            self.workspace, self.request(question), self.searchers, CLOCK, memory=memory
        )

    async def slate(self, question: str, level: int, memory: CoordinatorCache) -> Answer:
        """Return its slate."""
        return await federated_slate(
            self.workspace,
            self.request(question),
            SlateShape(level),
            self.searchers,
            CLOCK,
            memory=memory,
        )


def measure(work: Path) -> Iterator[str]:
    """Yield the lines of each way of merging and each level."""
    roots = [_copied(work, name) for name in PACKAGES if (SITE / name).is_dir()]
    file = work / "ten.ggrep-workspace.jsonc"
    repos: list[stable_json.Json] = [{"root": str(root), "alias": root.name} for root in roots]
    file.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": repos}))
    paths = [text for root in roots for text in ("--path", str(root))]
    with serving(work / "home", *paths, "--no-watch") as host, ExitStack() as opened:
        chunks = sum(sync(opened.enter_context(host.link(root)))["chunks"] for root in roots)
        workspace = load_workspace(file, resolve_root=canonical_root)
        yield (
            f"federated-slate: {len(roots)} repositories, {chunks:,} chunks; a search's deadline is"
            f" {_TIMEOUT_MS:,} ms by default"
        )
        for strategy in STRATEGIES:
            yield from anyio.run(_measured, host, workspace, strategy)


def _copied(work: Path, name: str) -> Path:
    root = (work / "repos" / name).resolve()
    shutil.copytree(SITE / name, root, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return root


async def _measured(host: Host, workspace: Workspace, strategy: str) -> list[str]:
    channels = Channels(CLOCK, host.environ, starts=False)
    addresses = DaemonAddresses(
        Home(host.home), host.environ, flags={}, build=build_id(), client_name="bench"
    )
    searchers = DaemonSearchers(channels, lambda repo: addresses.of(repo.root_canonical))
    asking = Asking(workspace, searchers, strategy)
    try:
        return [await _level(asking, level) for level in LEVELS]
    finally:
        await channels.aclose()


async def _level(asking: Asking, level: int) -> str:
    fresh: list[tuple[float, float]] = []
    again: list[float] = []
    sizes: list[int] = []
    for turn in range(ROUNDS + 1):
        for question in QUESTIONS:
            memory = CoordinatorCache()

            async def search(question: str = question) -> Answer:
                return await asking.search(question, CoordinatorCache())

            async def slate(question: str = question, memory: CoordinatorCache = memory) -> Answer:
                return await asking.slate(question, level, memory)

            theirs = await _timed(search) if turn % 2 else None
            ours = await _timed(slate)
            theirs = theirs or await _timed(search)
            once_more = await _timed(slate)
            if turn:  # the first round opens files
                fresh.append((ours[0], theirs[0]))
                again.append(once_more[0])
                sizes.append(ours[1])
    return _line(f"{asking.strategy}, level {level}", fresh, again, sizes)


async def _timed(work: Callable[[], Awaitable[Answer]]) -> tuple[float, int]:
    """Return the milliseconds of an answer with its bytes, and how many those are."""
    begun = time.perf_counter()
    answer = await work()
    size = len(stable_json.dumps(answer.to_json()))
    took = (time.perf_counter() - begun) * 1000.0
    if answer.error is not None or answer.errors:
        raise SystemExit(f"a daemon did not answer: {answer.errors}")
    return took, size


def _line(
    name: str, fresh: Sequence[tuple[float, float]], again: Sequence[float], sizes: Sequence[int]
) -> str:
    ours, theirs = zip(*fresh, strict=True)
    slate, search, repeated = (
        f"p50 {percentile(each, 0.5):.1f} ms, p95 {percentile(each, 0.95):.1f}"
        for each in (ours, theirs, again)
    )
    share = percentile(ours, 0.95) / _TIMEOUT_MS
    return (
        f"federated-slate: {name}: {slate} ({share:.2%} of the deadline); search {search}; "
        f"{median_ratio(fresh):.2f}x; asked again {repeated}; "
        f"{statistics.median(sizes) / 1000:.1f} kB; {load_average()}"
    )
