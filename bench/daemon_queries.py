"""Queries under three burdens: many segments, a running sync, other clients."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.serving import (
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
from ggrep.protocol.client.link import Link

SEGMENTS = 31
ROUNDS = 60
SYNCS = 4
CLIENTS = 8
TURN_S = 4.0
TURNS = 4

Fill = Callable[[Path], Path]


def segments(work: Path, fill: Fill) -> Iterator[str]:
    """Yield a query over a base and 31 small segments against one over the base alone."""
    alone, many = fill(work / "alone"), fill(work / "many")
    environ = {"GGREP_MAX_SEGMENTS": "64", "GGREP_COMPACTION_OVERDUE_SEGMENTS": "64"}
    words = Words(alone)
    with (
        serving(work / "home-1", "--path", str(alone), "--no-watch", environ=environ) as first,
        serving(work / "home-2", "--path", str(many), "--no-watch", environ=environ) as second,
        first.link(alone) as base,
        second.link(many) as layered,
    ):
        chunks = sync(base)["chunks"]
        sync(layered)
        report = {}
        for number in range(SEGMENTS):
            (many / f"added_{number}.py").write_text(_functions(number, 100))
            report = sync(layered)
        asked: list[str] = []

        def one(link: Link) -> float:
            if len(asked) % 2 == 0:
                asked.append(words.next())
            else:
                asked.append(asked[-1])
            return timed_ms(lambda: search(link, asked[-1]))

        for _ in range(10):
            query = words.next()
            search(base, query), search(layered, query)
        pairs = paired(lambda: one(layered), lambda: one(base), ROUNDS)
        a, b = medians(pairs)
        yield (
            f"daemon: a query over {report['segments']} segments, {report['chunks']:,} chunks "
            f"{a:.1f} ms against one of {chunks:,} chunks {b:.1f} ms: {median_ratio(pairs):.2f}x "
            f"(goal <= 1.5); {load_average()}"
        )


def syncing(work: Path, fill: Fill) -> Iterator[str]:
    """Yield queries during a sync against queries without."""
    tree = fill(work / "tree")
    words = Words(tree)
    with (
        serving(work / "home", "--path", str(tree), "--no-watch") as host,
        host.link(tree) as link,
        host.link(tree, "writer") as writer,
    ):
        chunks = sync(link)["chunks"]
        for _ in range(20):
            search(link, words.next())
        edits = _edit(tree)
        for what, begin in (
            ("everything is indexed anew", lambda: sync(writer, fresh=True)),
            ("single files are", lambda: [(next(edits), sync(writer)) for _ in range(12)]),
        ):
            pairs, counted = [], 0
            for _ in range(SYNCS):
                idle = [timed_ms(lambda: search(link, words.next())) for _ in range(60)]
                busy = _during(begin, lambda: timed_ms(lambda: search(link, words.next())))
                counted += len(busy)
                pairs.append((statistics.median(busy), statistics.median(idle)))
            a, b = medians(pairs)
            yield (
                f"daemon: query p50 while {what} {a:.1f} ms against {b:.1f} ms idle, {chunks:,} "
                f"chunks, {counted} queries: {median_ratio(pairs):.2f}x (goal <= 2); "
                f"{load_average()}"
            )


def clients(work: Path, fill: Fill) -> Iterator[str]:
    """Yield what 8 clients get answered in the time in which one gets something answered."""
    tree = fill(work / "tree")
    words, lock = Words(tree), threading.Lock()
    with serving(work / "home", "--path", str(tree), "--no-watch") as host:
        links = [host.link(tree, f"client-{number}") for number in range(CLIENTS)]
        chunks = sync(links[0])["chunks"]

        def rate(some: list[Link]) -> float:
            counts = [0] * len(some)
            ended = threading.Event()

            def work_on(number: int) -> None:
                while not ended.is_set():
                    with lock:
                        query = words.next()
                    search(some[number], query)
                    counts[number] += 1

            threads = [threading.Thread(target=work_on, args=(n,)) for n in range(len(some))]
            begun = time.perf_counter()
            for thread in threads:
                thread.start()
            time.sleep(TURN_S)
            ended.set()
            for thread in threads:
                thread.join()
            return sum(counts) / (time.perf_counter() - begun)

        pairs = paired(lambda: rate(links), lambda: rate(links[:1]), TURNS)
        for link in links:
            link.close()
        a, b = medians(pairs)
        yield (
            f"daemon: {CLIENTS} clients {a:.0f} queries/s against {b:.0f} of one over {chunks:,} "
            f"chunks: {median_ratio(pairs):.2f}x (goal >= 1.7); {load_average()}"
        )


def _during(begin: Callable[[], object], measure: Callable[[], float]) -> list[float]:
    """Return what is measured while something runs."""
    running = threading.Thread(target=begin)
    running.start()
    found = []
    while running.is_alive():
        found.append(measure())
    running.join()
    return found


def _edit(tree: Path) -> Iterator[Path]:
    """Change a file at each step."""
    files = [path for path in sorted(tree.rglob("*.py")) if path.stat().st_size > 2000]
    number = 0
    while True:
        path = files[number * 37 % len(files)]
        with path.open("a") as file:
            file.write(f"\n\ndef added_{number}(value):\n    return value + {number}\n")
        number += 1
        yield path


def _functions(number: int, count: int) -> str:
    return "\n\n".join(
        f"def step_{number}_{place}(value):\n    return value * {number} + {place}"
        for place in range(count)
    )
