"""Promise P3: a score belongs to its hit."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded, InvalidRequest
from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.lexical.layout import LEXICAL_LAYOUT, MAX_QUERY_TERMS, SCORED_FIELDS
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import CollectionStatistics, SearchRequest, SnippetMode
from ggrep.model.response import Hit
from ggrep.search.engine.engine import Engine
from ggrep.search.query.blend import Signals, blend
from ggrep.search.query.eligible import path_test
from ggrep.search.query.own_statistics import collection_statistics
from ggrep.search.query.pipeline import _query_vector
from ggrep.search.query.score import QueryVector, Scorer, _best_shown, _is_verbatim, nearness
from ggrep.search.query.segments import FileRuns, open_segments
from ggrep.search.query.understand import parse_query
from ggrep.search.query.weights import FUSION, Fusion, Weights
from tests.fakes.effort import examples
from tests.fakes.repos import IndexOf, open_engine, write_tree

QUERIES = ("retry", "drain the queue", "Cache load", "queue", "main")
LONG = " ".join(
    f"z{chr(ord('a') + place % 26) * (2 + place // 26)}" for place in range(MAX_QUERY_TERMS)
)
"""Words that fill a query, so that no term is made of what follows them."""


def ask(engine: Engine, query: str, **wanted: object) -> tuple[Hit, ...]:
    values = {"limit": 200, "per_file": 0, "deterministic": True, "explain": True} | wanted
    return engine.search(SearchRequest(query, snippet=SnippetMode.NONE, **values)).hits  # type: ignore[arg-type] # varied


@pytest.mark.slow
@settings(max_examples=examples(10, 25))
@given(
    query=st.sampled_from(QUERIES),
    mode=st.sampled_from(tuple(Mode)),
    narrowed=st.fixed_dictionaries(
        {
            "limit": st.sampled_from((1, 2, 5, 200)),
            "corpora": st.sampled_from((CORPORA, (Corpus.CODE,), (Corpus.RECORDS, Corpus.PROSE))),
            "scope": st.sampled_from(("", "src", "docs/guide.md")),
            "filters": st.sampled_from(
                ((), (Filter("kind", "function"),), (Filter("lang", "go", negated=True),))
            ),
            "include_anchors": st.booleans(),
        }
    ),
)
def test_a_score_does_not_depend_on_what_else_was_asked_for(
    engine: Engine, query: str, mode: Mode, narrowed: dict[str, object]
) -> None:
    """Narrowing an answer may not reorder what is left, and repositories must be mergeable."""
    whole = {hit.row_id: hit for hit in ask(engine, query, mode=mode, include_anchors=True)}
    part = ask(engine, query, mode=mode, **narrowed)

    for hit in part:
        assert (hit.score, hit.lexical_score) == (
            whole[hit.row_id].score,
            whole[hit.row_id].lexical_score,
        )
        assert hit.components == whole[hit.row_id].components


def test_the_file_of_a_hit_speaks_for_it_whatever_is_filtered_away(engine: Engine) -> None:
    """Evidence of a file is taken over all its visible rows."""
    whole = {hit.row_id: hit.score for hit in ask(engine, "retry queue", include_anchors=True)}
    functions = ask(engine, "retry queue", filters=(Filter("kind", "function"),))

    assert len(functions) > 1
    assert [whole[hit.row_id] for hit in functions] == [hit.score for hit in functions]


@pytest.mark.parametrize(
    ("pattern", "inside"),
    [
        (r"app/\[id\]/**", ["app/[id]/page.tsx"]),
        (r"app/\[id\]/*.tsx", ["app/[id]/page.tsx"]),
        (r"app/\[id\]", ["app/[id]/page.tsx"]),
        ("app/[id]/*", ["app/i/page.tsx"]),
        (r"*/\**", ["a/*b.c"]),
        (r"a/\*b.c", ["a/*b.c"]),
        (r"app/i/pa\ge.*", ["app/i/page.tsx"]),
        (r"app/\!*", ["app/!x.c"]),
        (r"*\\*", ["a/\\.c"]),
    ],
)
def test_a_backslash_makes_the_next_sign_of_a_glob_plain(pattern: str, inside: list[str]) -> None:
    """As in git and ripgrep: folders of Next.js are called `[id]`."""
    paths = ["app/[id]/page.tsx", "app/i/page.tsx", "a/*b.c", "app/!x.c", "a/\\.c"]

    assert [path for path in paths if path_test(pattern)(path)] == inside


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ((Filter("lang", "python"),), {"src/cache.py", "src/queue.py", "tests/test_queue.py"}),
        ((Filter("ext", ".md"),), {"docs/guide.md"}),
        ((Filter("path", "src/*.py"),), {"src/cache.py", "src/queue.py"}),
        ((Filter("path", "SRC"), Filter("lang", "go")), {"src/main.go"}),
        ((Filter("test", "true"),), {"tests/test_queue.py"}),
        (
            (Filter("corpus", "records"), Filter("corpus", "extracted-prose")),
            {"conf/app.json", "flow.mmd"},
        ),
        (
            (Filter("lang", "python", negated=True), Filter("corpus", "code")),
            {"src/main.go"},
        ),
        ((Filter("lang", "cobol"),), set()),
    ],
)
def test_filters_narrow(engine: Engine, filters: tuple[Filter, ...], wanted: set[str]) -> None:
    """The same key twice means either, different keys mean both."""
    assert {hit.path for hit in ask(engine, "retry queue", filters=filters)} == wanted


@pytest.mark.parametrize(
    "item", [Filter("size", "1"), Filter("lang", ""), Filter("corpus", "x"), Filter("test", "yes")]
)
def test_a_filter_that_cannot_be_applied_is_refused(engine: Engine, item: Filter) -> None:
    """Passing it over would answer another question."""
    with pytest.raises(InvalidRequest, match="filter"):
        ask(engine, "retry", filters=(item,))


def test_the_definition_of_a_queried_name_comes_first(engine: Engine) -> None:
    """That is what somebody who types a name wants."""
    best = ask(engine, "drain")[0]

    assert (best.path, best.name) == ("src/queue.py", "drain")


def test_hits_are_ordered_by_what_they_show(engine: Engine) -> None:
    """A list that is not in the order of its own figures cannot be merged."""
    hits = ask(engine, "retry queue", include_anchors=True)
    keys = [(-h.score, -h.lexical_score, h.path.encode(), h.start_line, h.row_id) for h in hits]

    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("retry Is.of", "is.py"),
        (f"retry {LONG} it.py", "it.py"),
    ],
    ids=["qualified name", "place beyond the terms"],
)
def test_a_segment_without_any_term_of_the_query_may_still_have_a_hit(
    root: Path, home: Path, query: str, result: str
) -> None:
    """What is passed over unread must have no evidence of any kind."""
    engine = open_engine(root, home, encoder="none")
    body = "".join(f"        value{line} = compute{line}(self)\n" for line in range(100))
    methods = "".join(f"    def {name}(self):\n{body}\n" for name in ("of", "on"))
    for files in ({"b.txt": "retry\n"}, {"is.py": f"class Is:\n{methods}", "it.py": "x = y\n"}):
        write_tree(root, files)
        engine.sync()

    assert len(engine.view().segments) == 2
    assert result in {hit.path for hit in ask(engine, query, keep_weak=True)}


def test_work_stops_at_the_deadline(engine: Engine) -> None:
    """Nobody is waiting any more."""
    with pytest.raises(DeadlineExceeded):
        engine.search(SearchRequest("retry"), Deadline.after(engine.clock, 0))


NEAR = Fusion(row=0.5, file=2.0, floor=0.2)


def known(**figures: list[float]) -> Signals:
    """Return four rows of two files with nothing but a prior and the figures given."""
    zeros, places = np.zeros(4), np.arange(4)
    plain = dict.fromkeys(("lexical", "evidence", "path", "stem", "symbol", "cosine"), zeros)
    nothing = dict.fromkeys(("location", "verbatim", "near", "near_file"))
    given = {name: np.array(values) for name, values in figures.items()}
    whole = {"anchors": np.zeros(4, np.uint8), "prior": np.ones(4)}
    values: dict[str, Any] = {**plain, **nothing, **whole, **given}
    return Signals(rows=places, files=places // 2, **values)


def test_a_row_counts_by_its_own_nearness_and_by_its_files() -> None:
    """Its chunk is why a file is shown, and its file why the chunk is trusted."""
    signals = known(near=[0.4, 0.1, 0.0, 0.8], near_file=[0.4, 0.4, 0.8, 0.8])
    _, parts = blend(signals, FileRuns.of(signals.files), Weights(dense=0.5), NEAR)

    assert parts["dense"].at(signals.rows).tolist() == pytest.approx([0.1, 0.025, 0.0, 0.2])
    assert parts["dense_file"].at(signals.rows).tolist() == pytest.approx([0.4, 0.4, 0.8, 0.8])


def test_a_header_chunk_puts_no_other_behind_it() -> None:
    """It is hardly ever shown, so the next one is the best that there is."""
    signals = known(lexical=[9.0, 2.0, 2.0, 1.0], anchors=[1, 0, 0, 0])
    _, parts = blend(signals, FileRuns.of(signals.files), Weights(further=0.75), NEAR)

    assert parts["further"].values.tolist() == [1.0, 1.0, 1.0, 0.75]


def cosines_of(dense: float) -> npt.NDArray[np.float64] | None:
    """Return the cosines 1, 0.6, 0.1 and -1 as a scorer sees them."""
    statistics = CollectionStatistics(LEXICAL_LAYOUT, 4, 1, (4,) * SCORED_FIELDS, ())
    vector = QueryVector(np.array([10, 0], np.int8), 0.1, NEAR)
    scorer = Scorer(parse_query("retry"), statistics, Weights(dense=dense), Mode.BALANCED, vector)
    vectors = np.array([[10, 0], [6, 0], [1, 0], [-10, 0]], np.int8)
    image: Any = SimpleNamespace(rows=4, scales=np.full(4, 0.1))
    segment: Any = SimpleNamespace(image=image, vectors=(vectors[:1], vectors[1:]))
    return scorer._cosines(segment)[0]


def test_a_cosine_counts_by_its_share_of_the_way_from_the_floor_to_1() -> None:
    """All texts are a little alike."""
    result = cosines_of(1.0)
    assert result is not None
    cosine, near = nearness(result, NEAR.floor)

    assert cosine == pytest.approx([1.0, 0.6, 0.1, 0.0])
    assert near == pytest.approx([1.0, 0.5, 0.0, 0.0])


def test_an_encoder_that_is_switched_off_says_nothing() -> None:
    """Rows that nothing else speaks for are not looked at then."""
    assert cosines_of(0.0) is None


def test_a_file_is_as_near_as_the_best_of_its_chunks_that_are_shown() -> None:
    """A header chunk is like every question about its file; file 1 has no chunk at all."""
    runs, anchors = FileRuns.of(np.array([0, 0, 0, 2, 2, 3])), np.array([1, 0, 0, 0, 0, 1])
    near = np.array([0.9, 0.2, 0.4, 0.7, 0.1, 0.8])

    assert _best_shown(runs, anchors, near).tolist() == [0.4, 0.4, 0.4, 0.7, 0.7, 0.0]


def test_a_hidden_row_has_no_score(index_of: IndexOf) -> None:
    """Neither its words nor its vector speak for a file that is shown no more."""
    engine = index_of(dict.fromkeys(("a.py", "b.py"), "def retry():\n    pass\n"))
    (segment,) = open_segments(engine.view())
    query, never = parse_query("retry"), Deadline.never(engine.clock)
    statistics = collection_statistics(engine.view(), (segment,), query, never)
    vector = _query_vector(query, engine.encoder, None, never)
    scorer = Scorer(query, statistics, Weights(), Mode.BALANCED, vector)
    shown = np.array([False, True])
    rows = shown[segment.image.row_files]
    scored = scorer.score(replace(segment, visible_files=shown, visible_rows=rows), never)

    assert scored.rows.tolist() == np.flatnonzero(rows).tolist()
    assert set(scored.files.tolist()) == {1}


def test_rows_that_hold_the_query_word_for_word_are_told() -> None:
    """That nobody looked, and that nothing was found, are no part of a score."""
    rows = np.array([1, 4, 7])
    kept = _is_verbatim(rows, np.array([4, 5]))

    assert kept is not None
    assert kept.tolist() == [0.0, 1.0, 0.0]
    assert _is_verbatim(rows, np.zeros(0, np.int64)) is None
    assert _is_verbatim(rows, None) is None


def test_each_encoder_has_its_own_figures(engine: Engine) -> None:
    """What a cosine of 0.3 says hangs on who says it."""
    soon = Deadline.after(engine.clock, 1000)
    query = parse_query("retry")
    result = _query_vector(query, HashedEncoder(), None, soon)

    assert result is not None
    assert result.fusion == FUSION["hashed"] != FUSION["static"]
    assert _query_vector(query, None, None, soon) is None


def defined_shares(index_of: IndexOf, query: str) -> tuple[dict[int, float], dict[str, float]]:
    """Return the symbol signal of rows by their first line, and each term's rarity."""
    text = "class Queue:\n    def drain(self):\n        return 1\n\n"
    text += "".join(f"    def m{i}(self):\n        return {i}\n\n" for i in range(30))
    engine = index_of({"a.py": text, "b.py": "x = drain\n"}, encoder="none")
    view, parsed = engine.view(), parse_query(query)
    (segment,) = open_segments(view)
    never = Deadline.never(SystemClock())
    statistics = collection_statistics(view, (segment,), parsed, never)
    scorer = Scorer(parsed, statistics, Weights(), Mode.BALANCED, None)
    signals, _, _ = scorer.signals(segment, never)
    rows = zip(signals.rows.tolist(), signals.symbol.tolist(), strict=True)
    rarity = {
        term.term: math.log(1 + (statistics.chunks - term.chunks + 0.5) / (term.chunks + 0.5))
        for term in statistics.terms
    }
    return {segment.image.lines(row)[0]: share for row, share in rows if share}, rarity


def test_a_definition_has_the_share_of_the_query_that_it_names(index_of: IndexOf) -> None:
    """By rarity among chunks: who defines one of two words is not what was asked for whole."""
    shares, rarity = defined_shares(index_of, "drain quux")
    expected = rarity["drain"] / (rarity["drain"] + rarity["quux"])

    assert shares == {2: pytest.approx(expected)}
    assert 0.0 < rarity["drain"] < rarity["quux"]


def test_no_definition_has_more_than_all_of_the_query(index_of: IndexOf) -> None:
    """A dotted name is spelt by its words already: they must not count for it twice."""
    shares, rarity = defined_shares(index_of, "how Queue.drain")

    assert shares[2] == 1.0
    assert rarity["drain"] + rarity["queue.drain"] > sum(map(rarity.__getitem__, ("drain", "queu")))
    assert 0.0 < shares[1] < 0.1


def test_rows_of_a_file_are_ordered_by_words_lines_names_and_types() -> None:
    """A file's sum is the same for all of them: it does not say which row answers."""
    signals = known(
        lexical=[0.3, 0.2, 0.0, 0.0], evidence=[0.5, 0.5, 0.0, 0.0], substance=[1.0, 2.0, 1.0, 1.0]
    )
    total, parts = blend(signals, FileRuns.of(signals.files), Weights(further=1.0), NEAR)

    assert total[1] > total[0]
    assert parts["passage"].values[1] > parts["passage"].values[0]


def test_between_files_a_passage_counts_by_the_root_of_its_substance() -> None:
    """Which file answers is known from its words; its best row says only how much there is."""
    signals = known(lexical=[0.3, 0.1, 0.3, 0.1], substance=[4.0, 1.0, 1.0, 1.0])
    total, _ = blend(signals, FileRuns.of(signals.files), Weights(text=1.0), NEAR)

    assert total[0] == pytest.approx(2.0 * total[2])
    assert total[2] == pytest.approx(0.3)


def test_a_header_chunk_alone_in_its_file_keeps_a_finite_score() -> None:
    """No other row of its file says what its passage is worth."""
    signals = known(lexical=[0.3, 0.0, 0.3, 0.1], anchors=[1, 1, 0, 0], substance=[1.0] * 4)
    total, _ = blend(signals, FileRuns.of(signals.files), Weights(), NEAR)

    assert np.isfinite(total).all()
    assert total[0] > 0.0


def test_a_function_comes_before_the_type_that_only_repeats_the_words(index_of: IndexOf) -> None:
    """Declarations spell the words as often as the code that acts, in fewer lines."""
    body = "".join(f"    total += keys[{line}]\n" for line in range(30))
    text = "class Options:\n    # delete expired keys\n    often: int\n\n\n"
    text += f"def sweep(keys):\n    # delete expired keys\n{body}"
    engine = index_of({"store.py": text}, encoder="none")

    first = ask(engine, "where are expired keys deleted")[0]

    assert first.name == "sweep"
