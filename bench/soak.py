"""A workspace that is edited and asked for as long as one likes, and what its processes take."""

import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import anyio
from msgspec import Struct

from bench.serving import CLOCK, Host, load_average, search, serving, sync
from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import load_workspace
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.link import Link
from ggrep.service.federator import Federator
from tests.load.memory import anonymous_kb, descriptors, threads
from tests.load.tree import COMMON, live_path, live_text, word, write_static

MINUTES: Final = 30.0
REPOSITORIES: Final = 10
_CHUNKS: Final = 400
_ROUND_S: Final = 1.0
"""A round is an edit of one repository, a search of each and one of all."""
_WARM_SHARE: Final = 0.2
"""Of the time; until then caches fill up to their bounds."""
_LOOKS: Final = 60


class Look(Struct, frozen=True):
    """What the host and the coordinator, this process, had at one moment."""

    publishes: int
    host_kb: int
    coordinator_kb: int
    descriptors: int
    threads: int


def soak(work: Path, minutes: float = MINUTES) -> Iterator[str]:
    """Yield the growth of a host and of a coordinator over so many minutes."""
    roots = [(work / f"repo-{number}").resolve() for number in range(REPOSITORIES)]
    for root in roots:
        write_static(root, _CHUNKS)
    file = work / "all.ggrep-workspace.jsonc"
    repos: list[stable_json.Json] = [{"root": str(root)} for root in roots]
    file.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": repos}))
    with serving(work / "home", "--workspace", str(file)) as host, ExitStack() as opened:
        links = [opened.enter_context(host.link(root)) for root in roots]
        for link in links:
            sync(link)
        looks = anyio.run(_looks, host, file, roots, links, minutes * 60.0)
    warm = looks[int(len(looks) * _WARM_SHARE) :]
    for name, sizes in (
        ("host", [look.host_kb for look in warm]),
        ("coordinator", [look.coordinator_kb for look in warm]),
    ):
        early, late = statistics.median(sizes[:5]), statistics.median(sizes[-5:])
        yield (
            f"soak: {name}, {minutes:g} minutes: anonymous memory {early / 1024:.1f} to "
            f"{late / 1024:.1f} MB, {100 * (late / early - 1):+.1f} % (goal <= 5); "
            f"{warm[-1].publishes - warm[0].publishes} publishes; {load_average()}"
        )
    yield (
        f"soak: host: {min(look.descriptors for look in warm)} to "
        f"{max(look.descriptors for look in warm)} descriptors, "
        f"{min(look.threads for look in warm)} to {max(look.threads for look in warm)} threads"
    )


async def _looks(
    host: Host, file: Path, roots: list[Path], links: list[Link], seconds: float
) -> list[Look]:
    """Edit and ask until the time is over; return what was seen at even distances."""
    looks: list[Look] = []
    begun = time.monotonic()
    async for publishes in _rounds(host, file, roots, links):
        passed = time.monotonic() - begun
        if passed >= seconds * len(looks) / _LOOKS:
            looks.append(_look(host, publishes))
            sys.stderr.write(f"soak: {passed:.0f} s: {looks[-1]}\n")
        if passed >= seconds:
            return looks
        await anyio.sleep(max(0.0, begun + publishes * _ROUND_S - time.monotonic()))
    return looks


async def _rounds(
    host: Host, file: Path, roots: list[Path], links: list[Link]
) -> AsyncIterator[int]:
    """Yield the number of publishes so far, for ever."""
    workspace = load_workspace(file, resolve_root=canonical_root)
    federator = Federator(Home(host.home), {**host.environ, "GGREP_OFFLINE": "1"}, CLOCK)
    try:
        publishes = 0
        while True:
            turn = publishes % REPOSITORIES
            (roots[turn] / live_path(publishes)).write_text(live_text(publishes))
            sync(links[turn])
            publishes += 1
            for number, link in enumerate(links):
                search(link, f"{COMMON[publishes % len(COMMON)]} {word(publishes % 400 + number)}")
            query = f"{COMMON[publishes % len(COMMON)]} {word(publishes % 400)}"
            request = FederatedRequest(SearchRequest(query), merge_strategy="global")
            await federator.search(workspace, request)
            yield publishes
    finally:
        await federator.aclose()


def _look(host: Host, publishes: int) -> Look:
    pid = host.process.pid
    return Look(
        publishes, anonymous_kb(pid), anonymous_kb(os.getpid()), descriptors(pid), threads(pid)
    )
