"""A workspace of real repositories and one real host: asked from a process, and from the shell."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import anyio
from msgspec import Struct

from bench.latency import percentile
from bench.serving import (
    CLOCK,
    Host,
    Words,
    load_average,
    median_ratio,
    medians,
    paired,
    search,
    serving,
    sync,
    timed_ms,
)
from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.link import Link
from ggrep.service.federator import Federator

LIBRARY: Final = Path(os.__file__).resolve().parent
PACKAGES: Final = (
    "asyncio",
    "concurrent",
    "email",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "unittest",
    "xml",
)
ROUNDS: Final = 40
SHELL_ROUNDS: Final = 20
_WARM: Final = 5
_SHOWN: Final = 12
_ANYTHING: Final = "words"


class Town(Struct, frozen=True):
    """Repositories that one host serves: each package, and all of them in one.

    Attributes:
        links: to the packages' daemons, in the workspace's order.
        whole: to the daemon of all files in one repository.
    """

    host: Host
    file: Path
    workspace: Workspace
    union: Path
    links: tuple[Link, ...]
    whole: Link
    words: Words
    chunks: int

    @property
    def named(self) -> str:
        """Return what there is, in words."""
        return f"{len(self.links)} repositories, {self.chunks:,} chunks"


def real(work: Path) -> Iterator[str]:
    """Yield federated queries against single ones, and against one repository of all files."""
    with town(work) as served:
        for strategy in ("global", "rrf"):
            yield from anyio.run(_real, served, strategy)


def shell(work: Path) -> Iterator[str]:
    """Yield what a workspace's search costs from the shell."""
    with town(work) as served:
        yield from _shell(served)


@contextmanager
def town(work: Path) -> Iterator[Town]:
    """Copy, serve and index all of it for the length of the block."""
    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    union, roots = (work / "union").resolve(), []
    for name in PACKAGES:
        root = (work / name).resolve()
        shutil.copytree(LIBRARY / name, root, ignore=ignore)
        shutil.copytree(root, union / name)
        roots.append(root)
    # As people have it; a plain search knows such a root without settings being read.
    subprocess.run(["git", "init", "--quiet"], cwd=union, check=True)
    file = work / "all.ggrep-workspace.jsonc"
    repos: list[stable_json.Json] = [{"root": str(root)} for root in roots]
    file.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": repos}))
    paths = [text for root in (*roots, union) for text in ("--path", str(root))]
    # Bytecode is kept, as where ggrep is installed, but apart from the checkout.
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(work / "bytecode")}
    with (
        serving(work / "home", *paths, "--no-watch", environ=kept) as host,
        ExitStack() as opened,
    ):
        links = tuple(opened.enter_context(host.link(root)) for root in roots)
        whole = opened.enter_context(host.link(union))
        for link in links:
            sync(link)
        yield Town(
            host=host,
            file=file,
            workspace=load_workspace(file, resolve_root=canonical_root),
            union=union,
            links=links,
            whole=whole,
            words=Words(union),
            chunks=sync(whole)["chunks"],
        )


async def _real(served: Town, strategy: str) -> list[str]:
    federator = Federator(
        Home(served.host.home), {**served.host.environ, "GGREP_OFFLINE": "1"}, CLOCK
    )

    async def ask(query: str) -> float:
        request = FederatedRequest(SearchRequest(query, timeout_ms=60_000), merge_strategy=strategy)
        begun = time.perf_counter()
        response = await federator.search(served.workspace, request)
        stable_json.dumps(response.to_json())
        took = (time.perf_counter() - begun) * 1000.0
        if {report.status for report in response.reports} != {"ok"}:
            raise SystemExit("a daemon did not answer")
        return took

    def one_by_one() -> float:
        query = served.words.next()
        return timed_ms(lambda: [search(link, query) for link in served.links])

    def whole() -> float:
        query = served.words.next()
        return timed_ms(lambda: search(served.whole, query))

    async def again() -> float:
        query = served.words.next()
        await ask(query)
        return statistics.median([await ask(query) for _ in range(3)])

    async def fresh() -> float:
        return await ask(served.words.next())

    try:
        for _ in range(_WARM):
            await fresh(), one_by_one(), whole()
        each = await _paired(fresh, one_by_one)
        union = await _paired(fresh, whole)
        repeated = await _paired(again, whole)
    finally:
        await federator.aclose()
    ours = [a for a, _ in (*each, *union)]
    return [
        f"federation: {strategy}, {served.named}: p50 {percentile(ours, 0.5):.1f} ms, p95 "
        f"{percentile(ours, 0.95):.1f}; {_against(each)} of the repositories asked one after "
        f"another; {_against(union)} of one repository of all files; {load_average()}",
        f"federation: {strategy}, asked again: p50 {medians(repeated)[0]:.1f} ms; "
        f"{_against(repeated)} of one repository of all files asked anew; {load_average()}",
    ]


async def _paired(
    ours: Callable[[], Awaitable[float]], theirs: Callable[[], float]
) -> list[tuple[float, float]]:
    """Measure both back to back, in either order by turns; the first pair is thrown away."""
    pairs = []
    for turn in range(ROUNDS + 1):
        first = theirs() if turn % 2 else 0.0
        took = await ours()
        pairs.append((took, first or theirs()))
    return pairs[1:]


def _against(pairs: list[tuple[float, float]]) -> str:
    return f"{median_ratio(pairs):.2f}x the {medians(pairs)[1]:.1f} ms"


def _shell(served: Town) -> Iterator[str]:
    ggrep = str(Path(sys.executable).with_name("ggrep"))
    over = [ggrep, "search", "--workspace", str(served.file)]

    def federated() -> tuple[float, float]:
        return _cost([*over, served.words.next()], served.union, served.host.environ)

    def single() -> tuple[float, float]:
        return _cost([ggrep, served.words.next()], served.union, served.host.environ)

    def nothing() -> tuple[float, float]:
        return _cost([sys.executable, "-c", "pass"], served.union, served.host.environ)

    for name, other in (('`ggrep "words"`', single), ("`python -c pass`", nothing)):
        for place, what in enumerate(("wall", "CPU")):
            pairs = paired(
                lambda place=place: federated()[place],
                lambda place=place, other=other: other()[place],
                SHELL_ROUNDS,
            )
            a, b = medians(pairs)
            yield (
                f"federation: `ggrep search --workspace`, {served.named}: {what} {a:.0f} ms "
                f"against {b:.0f} of {name}: {median_ratio(pairs):.2f}x; {load_average()}"
            )
    yield from _imports([*over[1:], _ANYTHING], served)


def _cost(command: list[str], folder: Path, environ: Mapping[str, str]) -> tuple[float, float]:
    """Return how long a command takes and its processor time, in ms."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    wall = (time.perf_counter() - begun) * 1000.0
    return wall, (usage.ru_utime + usage.ru_stime) * 1000.0


def _imports(arguments: list[str], served: Town) -> Iterator[str]:
    """Yield what the command imports, by package, with the milliseconds of its own modules."""
    found: list[Mapping[str, float]] = []
    for _ in range(3):
        line = [sys.executable, "-X", "importtime", "-m", "ggrep", *arguments]
        told = subprocess.run(
            line, cwd=served.union, env=served.host.environ, check=True, capture_output=True
        )
        found.append(_by_package(told.stderr.decode()))
    best = min(found, key=lambda one: sum(one.values()))
    ordered = sorted(best.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{name} {ms:.1f}" for name, ms in ordered[:_SHOWN])
    yield f"federation: it imports for {sum(best.values()):.0f} ms: {listed}"


def _by_package(told: str) -> Mapping[str, float]:
    spent: defaultdict[str, float] = defaultdict(float)
    for line in told.splitlines():
        if line.startswith("import time:") and line.split("|")[0].split()[-1].isdigit():
            own, _, name = line.removeprefix("import time:").split("|")
            parts = name.strip().split(".")
            spent[".".join(parts[: 2 if parts[0] == "ggrep" else 1])] += int(own) / 1000.0
    return spent
