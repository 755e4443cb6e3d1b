"""A daemon as people run it, in a process of its own, and what it costs."""

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.config.home import Home
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.messages import Message, Search, Sync

CLOCK = SystemClock()
PATIENCE_MS = 600_000
_WORD = re.compile(rb"[A-Za-z]{4,14}")
_START_S = 30.0
_END_S = 30.0
_CPU_CLOCK = 2
"""Of the clocks that Linux has of each process, the one of the time it was scheduled for."""


class Words:
    """Queries of three words of a tree, none twice, the same ones in every run."""

    def __init__(self, tree: Path) -> None:
        """Read up to 400 files of the tree, evenly spread."""
        files = sorted(path for path in tree.rglob("*.py") if path.is_file())
        found: dict[bytes, int] = {}
        for path in files[:: max(1, len(files) // 400)]:
            for word in set(_WORD.findall(path.read_bytes())):
                found[word.lower()] = found.get(word.lower(), 0) + 1
        # In two files at least: what stands in one only is more often a typo than a word.
        self._words = sorted(word.decode() for word, files_of in found.items() if files_of > 1)
        self._asked: set[str] = set()
        self._number = 0

    def next(self) -> str:
        """Return the next query."""
        while True:
            self._number += 1
            picked = (crc32(f"{self._number} {place}".encode()) for place in range(3))
            query = " ".join(self._words[number % len(self._words)] for number in picked)
            if query not in self._asked:
                self._asked.add(query)
                return query


class Host(Struct, frozen=True):
    """A process that serves, and how to reach it."""

    process: "subprocess.Popen[bytes]"
    home: Path
    environ: Mapping[str, str]

    def address(self, root: Path) -> DaemonAddress:
        """Return where the daemon of a root is met."""
        return arrange(root, Home(self.home), environ=self.environ)

    def link(self, root: Path, client: str = "bench") -> Link:
        """Return a connection to the daemon of a root, waiting until it listens.

        Raises:
            Unreachable: it does not come up.
        """
        address = self.address(root)
        deadline = Deadline.after(CLOCK, _START_S * 1000.0)
        while True:
            try:
                return Link.connect(address.socket, replace(address.hello, client_id=client), CLOCK)
            except Unreachable:
                if deadline.remaining_ms() <= 0.0 or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def rss_mb(self) -> float:
        """Return the resident memory of the process itself."""
        return rss_mb(self.process.pid)

    def cpu_ms(self) -> float:
        """Return the processor time of the process."""
        return cpu_ms(self.process.pid)


@contextmanager
def serving(
    home: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Iterator[Host]:
    """Run `ggrep serve` with these arguments for the length of the block."""
    variables = bare_environ(home, environ or {})
    line = [sys.executable, "-m", "ggrep", "serve", *arguments]
    process = subprocess.Popen(line, env=variables, stderr=subprocess.DEVNULL)
    try:
        yield Host(process, home, variables)
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def bare_environ(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Return our environment with no setting of ggrep but the ones given."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("GGREP_")}
    return {**kept, "GGREP_HOME": str(home), **more}


def ask(link: Link, message: Message, patience_ms: int = PATIENCE_MS) -> dict[str, Any]:
    """Return the body of the answer."""
    return dict(link.ask(message, Deadline.after(CLOCK, patience_ms)).body)


def search(link: Link, query: str, **changes: Any) -> dict[str, Any]:
    """Return the document that answers a query."""
    return dict(ask(link, Search(SearchRequest(query, **changes)))["response"])


def sync(link: Link, **changes: Any) -> dict[str, Any]:
    """Have the index brought up to date; return what was done."""
    return dict(ask(link, Sync(**changes))["report"])


def timed_ms(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000.0


def paired(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> list[tuple[float, float]]:
    """Measure both back to back, in either order by turns; the first pair is thrown away."""
    pairs = []
    for turn in range(rounds + 1):
        if turn % 2:
            first = ours()
            pairs.append((first, theirs()))
        else:
            second = theirs()
            pairs.append((ours(), second))
    return pairs[1:]


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the median of the pairs' ratios."""
    return statistics.median(a / b for a, b in pairs)


def medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the median of either side."""
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def rss_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    raise SystemExit(f"process {pid} has no memory")


def cpu_ms(pid: int) -> float:
    """Return the processor time of a process, to the nanosecond: the kernel's clock of it.

    Its totals under `/proc` are in ticks of 10 ms, as long as a query takes.
    """
    return time.clock_gettime((~pid << 3) | _CPU_CLOCK) * 1000.0


def load_average() -> str:
    """Return the load of the last minute, as it stands beside every figure."""
    return f"load {os.getloadavg()[0]:.1f}"
