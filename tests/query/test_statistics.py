"""Collection figures are those of the visible rows of the whole snapshot."""

from collections import Counter

from ggrep.base.ids import PathKey
from ggrep.index.lexical.layout import BODY, DOC, NAME, SCORED_FIELDS
from ggrep.index.lexical.tokens import word_terms, words
from ggrep.model.files import Chunk
from ggrep.model.request import SearchRequest, StatisticsRequest
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of
from ggrep.search.engine.engine import Engine
from tests.query.conftest import FILES

QUERY = "retry queue cache load absent"


def live_chunks() -> list[Chunk]:
    results: list[Chunk] = []
    for name, text in FILES.items():
        plan = chunk_file(name, text.encode(), ChunkLimits())
        results += to_chunks(PathKey(name), text.encode(), plan, corpus_of(name)).chunks
    return results


def fields(chunk: Chunk) -> tuple[list[str], ...]:
    body, crumb = f"{chunk.text}\n{chunk.extra}", " ".join(chunk.breadcrumb)
    texts = (body, " ".join(chunk.names), crumb, chunk.doc)
    return tuple([term for word in words(text) for term in word_terms(word)] for text in texts)


def test_figures_are_those_of_the_live_files(engine: Engine) -> None:
    """Neither a segment of its own nor a dead row may move a score."""
    answer = engine.ask(StatisticsRequest(SearchRequest(QUERY))).statistics
    chunks = [fields(chunk) for chunk in live_chunks()]
    holding = Counter(term for chunk in chunks for term in {t for f in chunk for t in f})
    path_terms = [{t for w in words(name) for t in word_terms(w)} for name in FILES]

    assert (answer.chunks, answer.files) == (len(chunks), len(FILES))
    sums = tuple(sum(len(chunk[f]) for chunk in chunks) for f in range(SCORED_FIELDS))
    assert answer.lengths == sums
    assert all(sums[field] for field in (BODY, NAME, DOC))
    for term in ("retry", "queue", "cache", "load", "absent"):
        kept = answer.frequency(term)
        assert kept.chunks == holding[term], term
        assert kept.files == sum(term in terms for terms in path_terms), term


def test_dead_rows_are_there_to_be_passed_over(engine: Engine) -> None:
    """Else the test above proves nothing."""
    counts = engine.view().manifest.counts

    assert counts.chunks_indexed > counts.chunks_visible


def test_anchors_are_counted_once(engine: Engine) -> None:
    """They are visible rows like others."""
    visible = sum(int(segment.visible_rows().sum()) for segment in engine.view().segments)

    assert engine.view().manifest.counts.chunks_visible == visible
