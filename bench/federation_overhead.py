"""What the coordinator adds: 50 daemons that answer at once, against bare bytes and products."""

import gc
import socket
import statistics
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final

import anyio
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bench.federation_daemons import DIMENSION, ROWS, echoed, simulated
from bench.serving import load_average, median_ratio, medians
from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation import coordinator
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.index.embedding.quantise import cosines, quantise
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.protocol.client import daemon_client
from ggrep.protocol.client.channel import Channel
from ggrep.protocol.wire.messages import Fetch, Message, message_json
from ggrep.service.daemon_addresses import DaemonAddresses
from ggrep.service.federator import Federator
from tests.fakes.coordinated import OneByOne

CLOCK: Final = SystemClock()
REPOS: Final = 50
ROUNDS: Final = 15
STAGED: Final = 5
GIVEN_MS: Final = 20.0
"""What a coordinator may take beside the bytes and the products."""


class Shape(Struct, frozen=True):
    """How one measured question is put; `deep` are lists of 500."""

    strategy: str
    concurrency: int
    deep: bool = False

    def request(self, query: str) -> FederatedRequest:
        """Return the question."""
        return FederatedRequest(
            SearchRequest(query, timeout_ms=60_000),
            merge_strategy=self.strategy,
            concurrency=self.concurrency,
            per_repo_top=500 if self.deep else None,
        )

    @property
    def rounds(self) -> int:
        """Return how often it is asked; deep ones take seconds."""
        return ROUNDS // 5 if self.deep else ROUNDS


SHAPES: Final = (
    Shape("global", 4),
    Shape("rrf", 4),
    Shape("global", 32),
    Shape("rrf", 32),
    Shape("global", 4, deep=True),
)
STAGES: Final[tuple[tuple[str, object, str], ...]] = (
    ("prepare", FanoutSession, "_prepare"),
    ("describe", FanoutSession, "_describe_all"),
    ("encode", FanoutSession, "encode"),
    ("figures", FanoutSession, "figures"),
    ("search", FanoutSession, "search_counted"),
    ("search", FanoutSession, "search_alone"),
    ("refill", FanoutSession, "refill"),
    ("merge", coordinator, "assemble"),
    ("JSON", FederatedResponse, "to_json"),
    ("bytes", stable_json, "dumps"),
)
"""Steps one after another. Bytes of requests are made within others and count there."""


def overhead(work: Path, shapes: tuple[Shape, ...] = SHAPES) -> Iterator[str]:
    """Yield the lines of each shape."""
    found: list[str] = []
    workspace = make_workspace(work, REPOS)
    home = Home(work / "home")
    addresses = DaemonAddresses(home, {})
    places = [addresses.of(repo.root_canonical) for repo in workspace.repos]
    with simulated(places, work / "echo"):
        for shape in shapes:
            found += anyio.run(_measure, shape, workspace, home, work / "echo")
            yield from found
            found.clear()


def make_workspace(work: Path, number: int) -> Workspace:
    """Return a workspace of so many empty repositories."""
    roots = [work / f"repo-{place:02}" for place in range(number)]
    for root in roots:
        root.mkdir(parents=True)
    file = work / "all.ggrep-workspace.jsonc"
    repos: list[stable_json.Json] = [{"root": str(root)} for root in roots]
    file.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": repos}))
    return load_workspace(file, resolve_root=lambda path: canonical_root(path, enclosing=False))


async def _measure(shape: Shape, workspace: Workspace, home: Home, echo: Path) -> list[str]:
    federator = Federator(home, {"GGREP_OFFLINE": "1"}, CLOCK, through=OneByOne)
    query = (f"parse command line arguments {number}" for number in range(10_000))

    async def ask() -> None:
        response = await federator.search(workspace, shape.request(next(query)))
        if {report.status for report in response.reports} != {"ok"}:
            raise SystemExit("a simulated daemon did not answer")
        stable_json.dumps(response.to_json())

    try:
        await ask()  # connects, and has the answers made
        sizes = await _sizes(federator, workspace, shape)
        bare = Bare(echo, sizes)
        pairs, own = [], []
        gc.collect()
        for turn in range(shape.rounds + 1):
            first = bare.ms() if turn % 2 else 0.0
            begun, spent = time.perf_counter(), time.process_time()
            await ask()
            wall = (time.perf_counter() - begun) * 1000.0
            own.append((time.process_time() - spent) * 1000.0)
            pairs.append((wall, first or bare.ms()))
        bare.close()
        stages = await _stages(ask, 1 if shape.deep else STAGED)
    finally:
        await federator.aclose()
    return _lines(shape, sizes, pairs[1:], statistics.median(own[1:]), stages)


def _lines(
    shape: Shape,
    sizes: list[tuple[int, int]],
    pairs: list[tuple[float, float]],
    own: float,
    stages: Mapping[str, float],
) -> list[str]:
    a, b = medians(pairs)
    lists, goal = ("lists of 500, ", "") if shape.deep else ("", " (goal <= 4)")
    megabytes = sum(answer for _, answer in sizes) / 1e6
    shares = ", ".join(f"{name} {ms:.1f}" for name, ms in stages.items())
    return [
        f"federation: {shape.strategy}, {shape.concurrency} at once, {lists}{REPOS} daemons that "
        f"answer at once, {megabytes:.1f} MB of lists: {a:.0f} ms, {own:.0f} of them CPU, against "
        f"{b:.0f} ms of echoes, products and {GIVEN_MS:.0f}: {median_ratio(pairs):.2f}x{goal}; "
        f"{load_average()}",
        f"            ms of each step: {shares}",
    ]


class Bare:
    """As many bytes back and forth, and the products, one after another."""

    def __init__(self, path: Path, sizes: list[tuple[int, int]]) -> None:
        self._sizes = sizes
        self._sockets = [socket.socket(socket.AF_UNIX) for _ in sizes]
        for each in self._sockets:
            each.connect(str(path))
        drawn = np.random.default_rng(7).standard_normal((ROWS, DIMENSION)).astype(np.float32)
        self._vectors, self._scales = quantise(drawn)

    def ms(self) -> float:
        """Return how long it takes now."""
        begun = time.perf_counter()
        for each, (asked, wanted) in zip(self._sockets, self._sizes, strict=True):
            echoed(each, asked, wanted)
        for _ in self._sockets:
            cosines(self._vectors, self._scales, self._vectors[0], float(self._scales[0]))
        return (time.perf_counter() - begun) * 1000.0 + GIVEN_MS

    def close(self) -> None:
        """End the connections."""
        for each in self._sockets:
            each.close()


async def _sizes(federator: Federator, workspace: Workspace, shape: Shape) -> list[tuple[int, int]]:
    """Return the bytes of each request for lists and of its answer."""
    found: dict[str, tuple[int, int]] = {}
    plain = Channel.exchange

    async def exchange(
        self: Channel, message: Message, deadline: Deadline, caller: str = ""
    ) -> Any:
        reply = await plain(self, message, deadline, caller)
        if isinstance(message, Fetch) and isinstance(message.request, PoolRequest):
            asked = len(stable_json.dumps(message_json("x" * 20, message)))
            answered = len(stable_json.dumps(dict(reply.body))) + 60
            pool: Any = reply.body["pool"]
            found[pool["provenance"]["store_id"]] = (asked, answered)
        return reply

    Channel.exchange = exchange  # type: ignore[method-assign]  # put back below
    try:
        await federator.search(workspace, replace(shape.request("how large"), stats=True))
    finally:
        Channel.exchange = plain  # type: ignore[method-assign]  # as it was
    return [found[key] for key in sorted(found)]


async def _stages(ask: Callable[[], Awaitable[None]], rounds: int) -> Mapping[str, float]:
    """Return the mean time of each step, in rounds of their own: clocks cost time as well."""
    spent: defaultdict[str, float] = defaultdict(float)
    running: list[str] = []
    with timed(spent, running):
        begun = time.perf_counter()
        for _ in range(rounds):
            await ask()
        total = (time.perf_counter() - begun) * 1000.0
    within = ("values of JSON",)
    steps = sum(ms for name, ms in spent.items() if name not in within)
    named = {name: spent[name] / rounds for name, _, _ in STAGES if name in spent}
    named["rest"] = (total - steps) / rounds
    return named | {f"within these {name}": spent[name] / rounds for name in within}


@contextmanager
def timed(spent: defaultdict[str, float], running: list[str]) -> Iterator[None]:
    """Have the steps add up their time for the length of the block."""
    kept = [(owner, name, getattr(owner, name)) for _, owner, name in STAGES]
    kept.append((daemon_client, "from_json", daemon_client.from_json))
    try:
        for stage, owner, name in STAGES:
            plain = getattr(owner, name)
            is_async = owner is FanoutSession
            setattr(owner, name, (_async if is_async else _sync)(plain, stage, spent, running))
        decoding: Any = daemon_client
        decoding.from_json = _sync(daemon_client.from_json, "values of JSON", spent, [])
        yield
    finally:
        for owner, name, plain in kept:
            setattr(owner, name, plain)


def _sync(
    plain: Callable[..., Any], stage: str, spent: defaultdict[str, float], running: list[str]
) -> Callable[..., Any]:
    @wraps(plain)
    def call(*args: Any, **named: Any) -> Any:
        if running:
            return plain(*args, **named)
        running.append(stage)
        begun = time.perf_counter()
        try:
            return plain(*args, **named)
        finally:
            spent[stage] += (time.perf_counter() - begun) * 1000.0
            running.pop()

    return call


def _async(
    plain: Callable[..., Any], stage: str, spent: defaultdict[str, float], running: list[str]
) -> Callable[..., Any]:
    @wraps(plain)
    async def call(*args: Any, **named: Any) -> Any:
        running.append(stage)
        begun = time.perf_counter()
        try:
            return await plain(*args, **named)
        finally:
            spent[stage] += (time.perf_counter() - begun) * 1000.0
            running.pop()

    return call
