"""How long a warm query takes, absolutely and against raw scoring measured in the same run.

Raw scoring is what no ranking can do without: BM25 of the query's terms over all rows, and the
dot products where there are vectors. Files are real ones: the running Python's library, and what
is installed beside it.
"""

import gc
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.config.home import Home
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.quantise import cosines, quantise
from ggrep.index.lexical.bm25 import Bm25, WeightedTerm, inverse_document_frequency
from ggrep.index.lexical.layout import SCORED_FIELDS
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query import pipeline, score
from ggrep.search.query import quota_choice as choose
from ggrep.search.query.confidence_features import ConfidenceFeatures
from ggrep.search.query.own_statistics import collection_statistics
from ggrep.search.query.segments import open_segments
from ggrep.search.query.understand import parse_query
from ggrep.search.query.weights import DEFAULT_WEIGHTS

ROUNDS = 8
STAGES: tuple[tuple[str, object, str], ...] = (
    ("open", pipeline, "open_segments"),
    ("statistics", pipeline, "collection_statistics"),
    ("path", score.Scorer, "_path_scores"),
    ("lexical", Bm25, "score"),
    ("dense", score, "cosines"),
    ("file evidence", score, "_file_evidence"),
    ("symbol", score.Scorer, "_symbol_scores"),
    ("priors", score.Scorer, "_priors"),
    ("blend", score, "blend"),
    ("order", choose, "ordered_candidates"),
    ("leaders", ConfidenceFeatures, "leading"),
    ("fetch", pipeline, "fetch_hits"),
)
"""Functions whose time is told apart; one within another counts as the other's."""


class Latency(Struct, frozen=True):
    """What was measured over one index, times in ms.

    Attributes:
        raw: of raw scoring, query by query like `whole`.
        stages: mean times of parts of a query, in their order; `rest` is what is none of them.
    """

    chunks: int
    encoder: str
    whole: tuple[float, ...]
    raw: tuple[float, ...]
    stages: tuple[tuple[str, float], ...]

    def lines(self, goal_ms: float) -> list[str]:
        """Return what people read."""
        ratio = statistics.median(a / b for a, b in zip(self.whole, self.raw, strict=True))
        p50, p95 = percentile(self.whole, 0.5), percentile(self.whole, 0.95)
        head = (
            f"latency: {self.chunks:,} chunks, encoder {self.encoder}: p50 {p50:.1f} ms "
            f"(goal {goal_ms:g}), p95 {p95:.1f} ms; raw scoring p50 "
            f"{percentile(self.raw, 0.5):.1f} ms; {ratio:.1f}x of it"
        )
        stages = ", ".join(f"{name} {ms:.2f}" for name, ms in self.stages)
        return [head, f"         {stages}"]


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
    return Latency(chunks, encoder, tuple(whole), tuple(raw), stages_of(asks, STAGES))


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
    """Return the mean time of each stage, in a round of its own: clocks cost time as well."""
    spent: defaultdict[str, float] = defaultdict(float)
    running: list[str] = []
    kept = [(owner, name, getattr(owner, name)) for _, owner, name in stages]
    try:
        for stage, owner, name in stages:
            setattr(owner, name, _timed(getattr(owner, name), stage, spent, running))
        total = sum(_ms(ask) for _ in range(3) for ask in asks)
    finally:
        for owner, name, plain in kept:
            setattr(owner, name, plain)
    number = 3 * len(asks)
    names = dict.fromkeys(stage for stage, _, _ in stages)
    found = [(stage, spent[stage] / number) for stage in names if stage in spent]
    return (*found, ("rest", (total - sum(spent.values())) / number))


def _timed(
    plain: Callable[..., Any], stage: str, spent: dict[str, float], running: list[str]
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
            spent[stage] += (time.perf_counter() - begun) * 1000
            running.pop()

    return call


def _ms(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000
