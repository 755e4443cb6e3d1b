"""The first answer over trees of which nothing is indexed: how soon it comes, and how good it is.

For each tree ten questions are made of its own files: names that are defined there, and what
comments say. Some are asked from the shell, each with a home of its own, so that a daemon has to
start and nothing is published yet. Then all are scanned for under the bounds that are in force,
the tree is indexed where it is not too large, and the best files of both answers are compared.

The bounds of those scans are measured in our own processor time, behind what a command and its
daemon take to start: so the comparison is that of an idle machine, whatever else runs here. Times
from the shell are not, and the load stands beside them.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.model.corpus import Corpus
from ggrep.model.files import TEST, SourceFile, traits_of
from ggrep.model.request import SearchRequest
from ggrep.parse.languages.registry import corpus_of
from ggrep.parse.source.walk import walk
from ggrep.search.engine.engine import Engine

QUESTIONS = 10
ASKED = 3
"""Questions that are asked from the shell of each tree."""
MOST_INDEXED = 3_000
"""Larger trees are not indexed to be compared with, unless `all` is said."""
BEST = 5
STARTED_MS = 700.0
"""What passes on an idle machine from the shell's start of a command to its scan's."""

_DEFINED = re.compile(
    r"^\s*(?:pub |static |async |export |public )*(?:def|class|fn|func|function|struct|enum|trait"
    r"|interface|type) +(\w{5,})",
    re.MULTILINE,
)
_TOLD = re.compile(
    r"^\s*(?:#|//|\*|\"\"\"|/\*\*?)\s*([A-Z][a-z]+(?: [\w,'-]+){3,11})", re.MULTILINE
)


@dataclass
class Figures:
    """What was measured of one tree; `agreed` and `first_agreed` are shares, None where not."""

    name: str
    files: int
    asked_s: list[float]
    seen: list[float]
    scan_cpu_s: list[float]
    agreed: float | None = None
    first_agreed: float | None = None


class ProcessorClock(SystemClock):
    """A clock that stands still while others have the processor."""

    def monotonic_ms(self) -> float:
        """Return the milliseconds that this process has computed."""
        return time.process_time() * 1000.0


def measure(trees: Sequence[Path], work: Path, *, every: bool) -> Iterator[str]:
    """Yield a line for each tree, and one for all."""
    found = []
    for tree in trees:
        found.append(_measured(tree.resolve(), work, every=every))
        yield _line(found[-1])
    agreed = [figures.agreed for figures in found if figures.agreed is not None]
    first = [figures.first_agreed for figures in found if figures.first_agreed is not None]
    if agreed and first:
        yield (
            f"first-answer: mean of {len(agreed)} trees: {statistics.mean(agreed):.0%} of the "
            f"index's first {BEST} files, its first one {statistics.mean(first):.0%}"
        )
    asked = sorted(second for figures in found for second in figures.asked_s)
    late = asked[min(len(asked) - 1, -(-len(asked) * 95 // 100) - 1)]
    load = os.getloadavg()[0]
    yield (
        f"first-answer: all {len(found)} trees: p50 {statistics.median(asked):.2f} s (goal <= 2), "
        f"p95 {late:.2f} s (goal <= 3), load {load:.0f} on {os.cpu_count()} cores"
    )


def _measured(tree: Path, work: Path, *, every: bool) -> Figures:
    files = walk(tree, Settings()).files
    questions = _questions(tree, files)
    figures = Figures(tree.name, len(files), [], [], [])
    for question in questions[:: len(questions) // ASKED][:ASKED]:
        _ask(tree, question, work / "home", figures)
    clock = ProcessorClock()
    engine, scanner = (Engine(tree, Home(work / "index"), clock=own) for own in (None, clock))
    requests = [SearchRequest(question, per_file=1, keep_weak=True) for question in questions]
    scanned = []
    for request in requests:
        begun = time.thread_time()
        found = scanner.scan(request, asked_ms=clock.monotonic_ms() - STARTED_MS)
        scanned.append([hit.path for hit in found.hits][:BEST])
        figures.scan_cpu_s.append(time.thread_time() - begun)
    if every or len(files) <= MOST_INDEXED:
        engine.sync()
        indexed = [[hit.path for hit in engine.search(one).hits][:BEST] for one in requests]
        pairs = [(ours, theirs) for ours, theirs in zip(scanned, indexed, strict=True) if theirs]
        shares = [len({*ours} & {*theirs}) / len(theirs) for ours, theirs in pairs]
        figures.agreed = statistics.mean(shares)
        figures.first_agreed = statistics.mean(theirs[0] in ours for ours, theirs in pairs)
    engine.close()
    shutil.rmtree(work / "index", ignore_errors=True)
    return figures


def _ask(tree: Path, question: str, home: Path, figures: Figures) -> None:
    """Ask from the shell, in the tree, with nothing there but the tree."""
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GGREP_")},
        "GGREP_HOME": str(home),
    }
    ggrep = str(Path(sys.executable).with_name("ggrep"))
    line = [ggrep, "search", question, "--json", "--yes"]
    home.mkdir(mode=0o700)
    try:
        begun = time.perf_counter()
        done = subprocess.run(line, cwd=tree, env=environ, capture_output=True, check=True)
        figures.asked_s.append(time.perf_counter() - begun)
        scan = json.loads(done.stdout)["scan"]
        figures.seen.append(scan["files"] / max(1, figures.files))
    finally:
        subprocess.run([ggrep, "stop-all"], env=environ, capture_output=True, check=False)
        shutil.rmtree(home, ignore_errors=True)


def _questions(tree: Path, files: Sequence[SourceFile]) -> list[str]:
    """Return questions that files evenly spread over the tree suggest, names and texts in turn."""
    code = [
        file.path_key
        for file in files
        if corpus_of(file.path_key) is Corpus.CODE and not traits_of(file.path_key) & TEST
    ]
    found: dict[str, None] = {}
    step = max(1, len(code) // (4 * QUESTIONS))
    for path in code[step // 2 :: step]:
        if len(found) == QUESTIONS:
            break
        text = (tree / path).read_text(encoding="utf-8", errors="replace")
        kind = (_DEFINED, _TOLD)[len(found) % 2]
        if (match := kind.search(text)) is not None:
            found[match[1]] = None
    return list(found)


def _line(figures: Figures) -> str:
    agreement = "not indexed"
    if figures.agreed is not None and figures.first_agreed is not None:
        agreement = (
            f"{figures.agreed:.0%} of the index's first {BEST} files, "
            f"its first one {figures.first_agreed:.0%}"
        )
    scan_s = statistics.median(figures.scan_cpu_s)
    times = ", ".join(f"{second:.2f}" for second in figures.asked_s)
    return (
        f"first-answer: {figures.name}: {figures.files} files: {times} s from the shell, "
        f"{min(figures.seen):.0%} seen at least; a scan {scan_s:.2f} CPU-s; {agreement}"
    )
