"""Promise P3: a score belongs to its hit."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.domain.corpus import CORPORA, Corpus, Mode
from ggrep.domain.deadline import Deadline
from ggrep.domain.hit import Hit
from ggrep.domain.request import Filter, SearchRequest, SnippetMode
from ggrep.engine.engine import Engine
from ggrep.errors import DeadlineExceeded, InvalidRequest
from ggrep.lexical.layout import MAX_QUERY_TERMS
from tests.fakes.repos import InProcessPool, open_engine, write_tree

QUERIES = ("retry", "drain the queue", "Cache load", "queue", "main")
LONG = " ".join(
    f"z{chr(ord('a') + place % 26) * (2 + place // 26)}" for place in range(MAX_QUERY_TERMS)
)
"""Words that fill a query, so that no term is made of what follows them."""


def ask(engine: Engine, query: str, **wanted: object) -> tuple[Hit, ...]:
    values = {"limit": 200, "per_file": 0, "deterministic": True, "explain": True} | wanted
    return engine.search(SearchRequest(query, snippet=SnippetMode.NONE, **values)).hits  # type: ignore[arg-type] # varied


@pytest.mark.slow
@settings(max_examples=25)
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
        assert (hit.score, hit.lexical) == (whole[hit.row_id].score, whole[hit.row_id].lexical)
        assert hit.components == whole[hit.row_id].components


def test_the_file_of_a_hit_speaks_for_it_whatever_is_filtered_away(engine: Engine) -> None:
    """Evidence of a file is taken over all its visible rows."""
    whole = {hit.row_id: hit.score for hit in ask(engine, "retry queue", include_anchors=True)}
    functions = ask(engine, "retry queue", filters=(Filter("kind", "function"),))

    assert len(functions) > 1
    assert [whole[hit.row_id] for hit in functions] == [hit.score for hit in functions]


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
    keys = [(-h.score, -h.lexical, h.path.encode(), h.start_line, h.row_id) for h in hits]

    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("retry Is.of", "is.py"),
        (f"retry {LONG} it.py", "it.py"),
    ],
    ids=["qualified name", "place beyond the terms"],
)
def test_a_segment_without_any_term_of_the_query_may_still_have_a_hit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, found: str
) -> None:
    """What is passed over unread must have no evidence of any kind."""
    monkeypatch.setattr("ggrep.sync.syncer.ParsePool", InProcessPool)
    engine = open_engine(root := tmp_path.resolve() / "repo", tmp_path / "home", encoder="none")
    root.mkdir()
    body = "".join(f"        value{line} = compute{line}(self)\n" for line in range(100))
    methods = "".join(f"    def {name}(self):\n{body}\n" for name in ("of", "on"))
    for files in ({"b.txt": "retry\n"}, {"is.py": f"class Is:\n{methods}", "it.py": "x = y\n"}):
        write_tree(root, files)
        engine.sync()

    assert len(engine.view().segments) == 2
    assert found in {hit.path for hit in ask(engine, query, keep_weak=True)}


def test_work_stops_at_the_deadline(engine: Engine) -> None:
    """Nobody is waiting any more."""
    with pytest.raises(DeadlineExceeded):
        engine.search(SearchRequest("retry"), Deadline.after(engine.clock, 0))
