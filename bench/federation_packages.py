"""Questions over a hundred and a thousand real packages: asked at once, and one by one."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio
import psutil
from msgspec import Struct
from msgspec.structs import replace

from bench.many_packages import lay_out
from bench.serving import CLOCK, load_average
from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.index.packs.pack_directory import pack_files
from ggrep.model.request import SearchRequest
from ggrep.service.federator import Federator
from tests.fakes.coordinated import OneByOne

FEW: Final = 100
MANY: Final = 1_000
_WAIT_S: Final = 120.0
QUESTIONS: Final = (
    "how are requests retried after a timeout",
    "parse command line arguments",
    "convert hex color to rgb",
    "walk a directory tree recursively",
    "deep merge of two objects",
    "validate an email address",
    "escape html entities",
    "levenshtein distance between strings",
    "limit the concurrency of promises",
    "generate a source map",
    "match a path against a glob",
    "width of a unicode string in a terminal",
)


class Cost(Struct, frozen=True):
    """What one question takes, in milliseconds; and the bytes and repositories of its answer."""

    wall: float
    client: float
    host: float
    size: int
    listed: int

    @property
    def cpu(self) -> float:
        """Return the processor time of both sides."""
        return self.client + self.host


def measure_packages(folder: Path, number: int = MANY) -> list[str]:
    """Return lines: what questions over packages take, beside those asked one by one."""
    lay_out(folder, number)
    home = folder / "home"
    environ = {**os.environ, "GGREP_HOME": str(home)}
    file = folder / "ws.jsonc"
    run_ggrep(environ, "workspace", "build", str(file))
    run_ggrep(environ, "stop-all")
    workspace = load_workspace(file, resolve_root=canonical_root)
    lines = [f"packages: {number} repositories, load {load_average()}"]
    try:
        lines += anyio.run(_measure, workspace, environ)
    finally:
        run_ggrep(environ, "stop-all")
    return [*lines, _sizes(Home(home))]


async def _measure(workspace: Workspace, environ: dict[str, str]) -> list[str]:
    found: dict[tuple[int, bool], Cost] = {}
    lines, home = [], Home(Path(environ["GGREP_HOME"]))
    for number in sorted({FEW, len(workspace.repos)}):
        part = replace(workspace, repos=workspace.repos[:number])
        for at_once in (True, False):
            with _federator(environ, at_once=at_once) as federator:
                questions = QUESTIONS if at_once else QUESTIONS[:4]
                costs = await _asked(federator, part, questions, home)
                await federator.aclose()
            found[number, at_once] = costs
            told = "at once" if at_once else "one by one"
            lines.append(
                f"  {number:5} {told:10}  p50 {costs.wall:8.0f} ms  CPU {costs.cpu:8.0f} ms"
                f" (client {costs.client:.0f})  {costs.size:7} bytes, hits of {costs.listed}"
            )
    most = len(workspace.repos)
    one_by_one = found[most, True].cpu / found[most, False].cpu
    fewer = found[most, True].cpu / found[FEW, True].cpu
    lines.append(f"  {most} at once: {one_by_one:.3f} of one by one, {fewer:.2f} of {FEW} at once")
    return lines


@contextmanager
def _federator(environ: dict[str, str], *, at_once: bool) -> Iterator[Federator]:
    home = Home(Path(environ["GGREP_HOME"]))
    yield Federator(
        home, environ, CLOCK, through=lambda inner: inner if at_once else OneByOne(inner)
    )


async def _asked(
    federator: Federator, workspace: Workspace, questions: Sequence[str], home: Home
) -> Cost:
    """Return the medians over some questions, each asked for the first time."""
    await _ready(federator, workspace, home)
    costs = [await _cost(federator, workspace, text) for text in questions]
    return Cost(
        statistics.median(one.wall for one in costs),
        statistics.median(one.client for one in costs),
        statistics.median(one.host for one in costs),
        int(statistics.median(one.size for one in costs)),
        int(statistics.median(one.listed for one in costs)),
    )


async def _ready(federator: Federator, workspace: Workspace, home: Home) -> None:
    """Ask until all answer, and what they start in the background is over."""
    until = time.monotonic() + _WAIT_S
    while time.monotonic() < until:
        answer = await federator.search(workspace, _request(f"ready {time.monotonic()}"))
        if all(report.status == "ok" for report in answer.reports):
            break
    await anyio.sleep(20)
    while time.monotonic() < until and not pack_files(home):  # noqa: ASYNC110 - files tell nobody
        await anyio.sleep(1)
    await federator.search(workspace, _request("ready at last"))


async def _cost(federator: Federator, workspace: Workspace, text: str) -> Cost:
    host, client, wall = _host_ms(), time.process_time(), time.perf_counter()
    answer = await federator.search(workspace, _request(text))
    size = len(stable_json.dumps(answer.to_json()))
    return Cost(
        1000 * (time.perf_counter() - wall),
        1000 * (time.process_time() - client),
        _host_ms() - host,
        size,
        len({merged.repo_id for merged in answer.hits}),
    )


def _request(text: str) -> FederatedRequest:
    search = SearchRequest(text, deterministic=True)
    return FederatedRequest(search, merge_strategy="global", concurrency=8)


def _host_ms() -> float:
    """Return the processor time that serving processes have spent."""
    spent = 0.0
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if "ggrep" in " ".join(line) and "serve" in line:
            times = process.cpu_times()
            spent += 1000 * (times.user + times.system)
    return spent


def _sizes(home: Home) -> str:
    images = sum(path.stat().st_size for path in home.data.glob("*/images/*.image"))
    packs = sum(path.stat().st_size for path in pack_files(home))
    return f"  images {images / 1e6:.0f} MB, packs {packs / 1e6:.0f} MB ({packs / images:.2f})"


def run_ggrep(environ: dict[str, str], *arguments: str) -> None:
    """Run a command, whose output nobody sees.

    Raises:
        CalledProcessError: it failed.
    """
    subprocess.run(
        [sys.executable, "-m", "ggrep", *arguments],
        env=environ,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
