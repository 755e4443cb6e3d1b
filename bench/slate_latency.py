"""How long a warm slate takes, against the plain search of the same question.

That is the search as it is by default, of ten hits; beside it one that brings as many chunks as a
slate does.

Both are asked by turns, in one process through the engine, and then through a daemon, whose
answers are documents: there the bytes of a slate are written and read as well.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.latency import percentile, stages_of
from bench.serving import ask, load_average, median_ratio, paired, serving, timed_ms
from ggrep.config.home import Home
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.slate import SlateRequest
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Ask, Search
from ggrep.search.engine.engine import Engine
from ggrep.search.query.context import Context
from ggrep.search.slate import slate_answers as slating
from ggrep.search.slate.file_candidates import CandidateFiles
from training.slates.measuring import laid_out, suite

ROUNDS = 4
AS_MANY = 70
"""Twenty files with an anchor and two to three pieces of evidence each."""

STAGES: tuple[tuple[str, object, str], ...] = (
    ("scores", Context, "rank"),
    ("confidence", slating, "leading"),
    ("gather", CandidateFiles, "__init__"),
    ("gather", CandidateFiles, "leading"),
    ("gather", CandidateFiles, "candidates"),
    ("companions", slating, "companions"),
    ("select", slating, "select"),
    ("texts", slating, "materials"),
    ("duplicates", slating, "merged"),
    ("pack", slating, "drawn"),
)

Asks = tuple[Callable[[], object], Callable[[], object]]


class Store(Struct, frozen=True):
    """A tree that is asked, and what."""

    name: str
    root: Path
    home: Path
    queries: tuple[str, ...]


class Pairs(Struct, frozen=True):
    """Times in ms of slate and search, question by question."""

    name: str
    times: tuple[tuple[float, float], ...]

    def line(self) -> str:
        """Return what people read."""
        ours, theirs = zip(*self.times, strict=True)
        slate, search = (
            f"p50 {percentile(each, 0.5):.1f} ms, p95 {percentile(each, 0.95):.1f} ms"
            for each in (ours, theirs)
        )
        ratio = median_ratio(self.times)
        return f"slate: {self.name}: {slate}; search {search}; {ratio:.2f}x; {load_average()}"


def measure(work: Path, larger: Path, queries: Sequence[str], folder: Path | None) -> Iterator[str]:
    """Yield the lines of every store.

    Args:
        work: holds the larger store.
        larger: its tree.
        queries: that it is asked.
        folder: where `quality --slates` laid out its repositories; None to leave those out.
    """
    stores = [Store("standard library", larger.resolve(), work / "home", tuple(queries))]
    if folder is not None:
        stores = [*_repositories(folder), *stores]
    asked: list[tuple[float, float]] = []
    for store in stores:
        engine = Engine(store.root, Home(store.home))
        chunks = engine.sync().chunks
        asks = [_through_engine(engine, query) for query in store.queries]
        times = _timed(asks)
        asked += times
        yield Pairs(f"{store.name}, {chunks:,} chunks", times).line()
        stages = stages_of([slate for slate, _ in asks], STAGES)
        yield "       " + ", ".join(f"{name} {ms:.2f}" for name, ms in stages)
        wide = [
            (slate, _as_much(engine, query))
            for (slate, _), query in zip(asks, store.queries, strict=True)
        ]
        yield Pairs(f"{store.name}, search of as many chunks", _timed(wide)).line()
    if len(stores) > 1:
        yield Pairs("all of these", tuple(asked)).line()
    for home in dict.fromkeys(store.home for store in stores):
        yield from _daemon(home, [store for store in stores if store.home == home])


def _repositories(folder: Path) -> list[Store]:
    whole = suite()
    home = folder.resolve() / ".ggrep-home"
    return [
        Store(
            repository.name,
            laid_out(folder, repository).resolve(),
            home,
            tuple(case.query for case in whole.of([repository]).cases),
        )
        for repository in whole.repositories
    ]


def _through_engine(engine: Engine, query: str) -> Asks:
    request = SearchRequest(query)
    return lambda: engine.ask(SlateRequest(request)), lambda: engine.search(request)


def _as_much(engine: Engine, query: str) -> Callable[[], object]:
    """Return the search that brings about as many chunks as a slate holds: AS_MANY hits."""
    request = SearchRequest(
        query, limit=AS_MANY, include_anchors=True, snippet=SnippetMode.SHORT, keep_weak=True
    )
    return lambda: engine.search(request)


def _through_link(link: Link, query: str) -> Asks:
    request = SearchRequest(query)
    return (
        lambda: ask(link, Ask(SlateRequest(request))),
        lambda: ask(link, Search(request)),
    )


def _daemon(home: Path, stores: Sequence[Store]) -> Iterator[str]:
    """Yield a line for each store as the one daemon of their home answers."""
    paths = [text for store in stores for text in ("--path", str(store.root))]
    with serving(home, *paths, "--no-watch") as host, ExitStack() as opened:
        for store in stores:
            link = opened.enter_context(host.link(store.root))
            asks = [_through_link(link, query) for query in store.queries]
            yield Pairs(f"{store.name}, through a daemon", _timed(asks)).line()


def _timed(asks: Sequence[Asks]) -> tuple[tuple[float, float], ...]:
    """Return times of all questions; the first round is not counted."""
    gc.collect()
    found: list[tuple[float, float]] = []
    for slate, search in asks:
        found += paired(partial(timed_ms, slate), partial(timed_ms, search), ROUNDS)
    return tuple(found)
