"""How long a warm query takes, absolutely and against raw scoring measured in the same run.

Raw scoring is what no ranking can do without: BM25 of the query's terms over all rows, and the
dot products where there are vectors. Files are real ones: the running Python's library, and what
is installed beside it. Stages are told in processor time, each next to one read pass over the bytes
that it cannot do without.
"""

import gc
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.config.home import Home
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.quantise import cosines, quantise
from ggrep.index.lexical.bm25 import Bm25, WeightedTerm, inverse_document_frequency
from ggrep.index.lexical.layout import SCORED_FIELDS
from ggrep.model.request import SearchRequest
from ggrep.search.engine import query_answers
from ggrep.search.engine.engine import Engine
from ggrep.search.query import pipeline, score
from ggrep.search.query.file_features import FileFeatures
from ggrep.search.query.own_statistics import collection_statistics
from ggrep.search.query.segments import open_segments
from ggrep.search.query.trees import Forest
from ggrep.search.query.understand import parse_query
from ggrep.search.query.weights import DEFAULT_WEIGHTS

ROUNDS = 8
_REST = "rest"
STAGES: tuple[tuple[str, object, str], ...] = (
    ("understanding", pipeline, "read_query"),
    ("statistics", pipeline, "collection_statistics"),
    ("encoding", pipeline, "_query_vector"),
    ("lexical", Bm25, "score"),
    ("dense", score, "cosines"),
    ("paths", score.Scorer, "_path_scores"),
    ("names", score.Scorer, "_symbol_scores"),
    ("priors", score.Scorer, "_priors"),
    ("blend", score, "blend"),
    ("other evidence", score.Scorer, "signals"),
    ("best rows", pipeline, "best_rows"),
    ("features", FileFeatures, "of"),
    ("forest", Forest, "sums"),
    ("order", query_answers, "choose"),
    ("confidence", query_answers, "leading"),
    ("text", query_answers, "show"),
)
"""Functions whose time is told apart; what one within another takes is the inner one's alone."""


class Latency(Struct, frozen=True):
    """What was measured over one index, times in ms.

    Attributes:
        raw: of raw scoring, query by query like `whole`.
        stages: mean processor times of parts of a query, in their order; `rest` is what is none
            of them.
        passes: of some stages, the processor time of one read pass over the bytes they need.
    """

    chunks: int
    encoder: str
    whole: tuple[float, ...]
    raw: tuple[float, ...]
    stages: tuple[tuple[str, float], ...]
    passes: dict[str, float]

    def lines(self, goal_ms: float) -> list[str]:
        """Return what people read."""
        ratio = statistics.median(a / b for a, b in zip(self.whole, self.raw, strict=True))
        p50, p95 = percentile(self.whole, 0.5), percentile(self.whole, 0.95)
        head = (
            f"latency: {self.chunks:,} chunks, encoder {self.encoder}: p50 {p50:.1f} ms "
            f"(goal {goal_ms:g}), p95 {p95:.1f} ms; raw scoring p50 "
            f"{percentile(self.raw, 0.5):.1f} ms; {ratio:.1f}x of it"
        )
        total = sum(ms for _, ms in self.stages)
        table = ["| stage | CPU, ms | one read pass, ms |", "|---|---:|---:|"]
        for name, ms in (*self.stages, ("all", total)):
            bound = f"{self.passes[name]:.2f}" if name in self.passes else ""
            table.append(f"| {name} | {ms:.2f} | {bound} |")
        return [head, *table]


def measure(tree: Path, home: Path, encoder: str, queries: Sequence[str]) -> Latency:
    """Index a tree and return how long queries over it take; the first round is not counted."""
    engine = Engine(tree, Home(home), flags={"encoder": encoder})
    chunks = engine.sync().chunks
    raws = [_raw(engine, encoder, query) for query in queries]
    asks = [_ask(engine, query) for query in queries]
    whole, raw = [], []
    gc.collect()
    for turn in range(ROUNDS + 1):
        pairs = [(_ms(ask), _ms(bare)) for ask, bare in zip(asks, raws, strict=True)]
        if turn:
            whole += [ask for ask, _ in pairs]
            raw += [bare for _, bare in pairs]
    stages, passes = stages_of(asks, STAGES), _passes(engine, queries)
    return Latency(chunks, encoder, tuple(whole), tuple(raw), stages, passes)


def _passes(engine: Engine, queries: Sequence[str]) -> dict[str, float]:
    """Return the mean processor time in ms of a read pass over the bytes that stages need.

    Postings of the query's terms, vectors, and one figure for each row.
    """
    segments = open_segments(engine.view())

    def postings(query: str) -> int:
        places = [
            (each, place)
            for each in (one.row_postings for one in segments)
            for term in parse_query(query).terms
            if (place := each.find(term)) is not None
        ]
        fields = range(SCORED_FIELDS)
        return sum(int(p.rows_of(at, f).max(initial=0)) for p, at in places for f in fields)

    def vectors() -> int:
        parts = (part for one in segments for part in one.vectors)
        return sum(int(part.view(np.uint64).max(initial=0)) for part in parts)

    figures = [np.ones(each.image.rows) for each in segments]
    passes: dict[str, Callable[[str], object]] = {
        "statistics": postings,
        "lexical": postings,
        "dense": lambda _: vectors(),
        "blend": lambda _: sum(float(each.max(initial=0.0)) for each in figures),
    }
    return {
        name: statistics.mean(
            min(_cpu_ms(lambda run=run, query=query: run(query)) for _ in range(3))
            for query in queries
        )
        for name, run in passes.items()
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def _ask(engine: Engine, query: str) -> Callable[[], object]:
    return lambda: engine.search(SearchRequest(query))


def _raw(engine: Engine, encoder: str, query: str) -> Callable[[], None]:
    """Return what scores the query's terms, and its vector, over all rows and nothing else."""
    view = engine.view()
    segments, parsed = open_segments(view), parse_query(query)
    never = Deadline.never(engine.clock)
    counted = collection_statistics(view, segments, parsed, never)
    terms = [
        WeightedTerm(term, inverse_document_frequency(counted.chunks, entry.chunks))
        for term in parsed.terms
        if (entry := counted.frequency(term)).chunks
    ]
    averages = [total / max(counted.chunks, 1) for total in counted.lengths]
    bm25 = Bm25(terms, DEFAULT_WEIGHTS.fields, averages, k1=DEFAULT_WEIGHTS.k1)
    opened = open_encoder(encoder)
    vector = quantise(opened.encode_query(query)[None, :]) if opened is not None else None

    def run() -> None:
        for segment in segments:
            image = segment.image
            lengths = [image.row_lengths(field) for field in range(SCORED_FIELDS)]
            bm25.score(segment.row_postings, lengths, image.rows)
            if vector is not None and segment.vectors:
                cosines(segment.vectors, image.scales, vector[0][0], float(vector[1][0]))

    return run


def stages_of(
    asks: Sequence[Callable[[], object]], stages: Sequence[tuple[str, object, str]]
) -> tuple[tuple[str, float], ...]:
    """Return the mean processor time of each stage in ms, in rounds of their own.

    Clocks cost time as well. Of three rounds the least of each question counts.
    """
    spent: defaultdict[str, float] = defaultdict(float)
    inner: list[float] = []
    kept = [(owner, name, getattr(owner, name)) for _, owner, name in stages]
    try:
        for stage, owner, name in stages:
            setattr(owner, name, _timed(getattr(owner, name), stage, spent, inner))
        least = [min((_told_apart(ask, spent) for _ in range(3)), key=_total) for ask in asks]
    finally:
        for owner, name, plain in kept:
            setattr(owner, name, plain)
    names = [*dict.fromkeys(stage for stage, _, _ in stages), _REST]
    means = [(name, sum(each.get(name, 0.0) for each in least) / len(asks)) for name in names]
    return tuple((name, mean) for name, mean in means if mean)


def _told_apart(ask: Callable[[], object], spent: defaultdict[str, float]) -> dict[str, float]:
    """Return what one question takes by stage; `spent` is filled by what is timed."""
    spent.clear()
    whole = _cpu_ms(ask)
    return {**spent, _REST: whole - _total(spent)}


def _total(spent: Mapping[str, float]) -> float:
    return sum(spent.values())


def _timed(
    plain: Callable[..., Any], stage: str, spent: dict[str, float], inner: list[float]
) -> Callable[..., Any]:
    """Return a function that adds its time to its stage's, without that of others within."""

    @wraps(plain)
    def call(*args: Any, **named: Any) -> Any:
        inner.append(0.0)
        begun = time.thread_time()
        try:
            return plain(*args, **named)
        finally:
            took = (time.thread_time() - begun) * 1000
            spent[stage] += took - inner.pop()
            if inner:
                inner[-1] += took

    return call


def _cpu_ms(call: Callable[[], object]) -> float:
    begun = time.thread_time()
    call()
    return (time.thread_time() - begun) * 1000


def _ms(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000
