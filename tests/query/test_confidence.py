"""Confidence over a real store: what fits is strong, what is not there is said not to be."""

import pytest
from msgspec.structs import replace

from ggrep.model.confidence import Confidence
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

FILES = {
    "src/cache.py": "class Cache:\n    def evict(self, key):\n        self.entries.pop(key)\n",
    "src/queue.py": "def drain(queue):\n    while queue:\n        retry(queue.pop())\n",
    "src/server.py": "def listen(port):\n    return open_socket(port)\n",
    "web/app.js": "export function render(page) {\n  return page.title\n}\n",
    "docs/guide.md": "# Guide\n\nHow entries are evicted from the cache when it is full.\n",
    "conf/app.toml": "[server]\nport = 8080\n",
} | {f"src/other{i}.py": f"def other{i}(value):\n    return value + {i}\n" for i in range(9)}

NOWHERE = "citrus phenology of zebra photosynthesis"


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    """Return an engine over a small repository, without an encoder."""
    return shared_index(FILES, encoder="none")


@pytest.mark.parametrize(
    "query", ["evict", "drain the queue", "how are cache entries evicted", "src/server.py"]
)
def test_what_is_there_is_found_with_confidence(engine: Engine, query: str) -> None:
    """A warning on good answers would soon be read by nobody."""
    response = engine.search(SearchRequest(query))

    assert response.confidence is Confidence.STRONG
    assert response.hits
    assert [notice.code for notice in response.warnings] == []


def test_a_word_that_each_of_three_files_holds_is_no_common_word(index_of: IndexOf) -> None:
    """Rarity says nothing where there is so little; what is nowhere is doubted all the same."""
    files = {f"{n}.py": f"def settle_invoice{n}():\n    return 1\n" for n in "123"}
    engine = index_of(files, encoder="none")
    results = [
        engine.search(SearchRequest(query)).confidence
        for query in ("settle an invoice", "where zebras migrate or settle in winter")
    ]

    assert results == [Confidence.STRONG, Confidence.NONE]


def test_what_is_not_there_is_not_answered_with_noise(engine: Engine) -> None:
    """A hit on one common word of five is not an answer."""
    response = engine.search(SearchRequest(f"{NOWHERE} value"))
    kept = engine.search(SearchRequest(f"{NOWHERE} value", keep_weak=True))

    assert response.confidence is Confidence.NONE
    assert 0 < len(response.hits) <= 3
    assert {notice.code for notice in response.warnings} == {"no_strong_matches", "unknown_words"}
    assert [cut.code for cut in response.limits_hit] == ["low_confidence"]
    assert (kept.confidence, len(kept.hits) > 0, kept.limits_hit) == (Confidence.NONE, True, ())


def test_an_unknown_name_has_no_strong_match(engine: Engine) -> None:
    """Parts of a name that stand somewhere are not the name."""
    assert engine.search(SearchRequest("ZebraFrobnicator")).confidence is Confidence.NONE


@pytest.mark.parametrize(
    "query", ["open_entries", "openEntries", "how does open_entries work", "cache.drainPort"]
)
def test_a_name_made_of_known_parts_has_no_strong_match(engine: Engine, query: str) -> None:
    """Each part stands in some file; nothing is called so."""
    assert engine.search(SearchRequest(query)).confidence is not Confidence.STRONG


def test_a_long_description_may_hold_a_new_name(engine: Engine) -> None:
    """What a change adds is not there yet, and the rest of the words find the place."""
    query = "drain the queue: retry each popped value of queue.py in drain_all while queue"

    assert engine.search(SearchRequest(query)).confidence is Confidence.STRONG


def test_a_name_in_small_letters_is_trusted_as_it_is_written(index_of: IndexOf) -> None:
    """`tcpconnector` would have another stem than the parts of TCPConnector, and was no match."""
    text = "class TCPConnector:\n    def close(self):\n        return 1\n"
    engine = index_of(FILES | {"src/net.py": text}, encoder="none")
    results = [
        engine.search(SearchRequest(query))
        for query in ("TCPConnector", "tcpconnector", "close a tcpconnector", "tcpconnecting")
    ]

    assert [each.confidence is Confidence.STRONG for each in results] == [True, True, True, False]
    assert [each.hits[0].path for each in results[:3]] == ["src/net.py"] * 3


@pytest.mark.parametrize("query", ["v", "7", "e k", "x"])
def test_a_single_letter_is_never_trusted(engine: Engine, query: str) -> None:
    """It stands in nearly every file, and means nothing."""
    assert engine.search(SearchRequest(query)).confidence is not Confidence.STRONG


def test_where_no_word_stands_anywhere_nothing_is_shown(index_of: IndexOf) -> None:
    """An encoder finds every file a little like anything."""
    opened = index_of(FILES, encoder="static")
    likened = "purge memoised things"
    response = opened.search(SearchRequest(likened))

    assert (response.confidence, response.hits) == (Confidence.NONE, ())
    assert opened.search(SearchRequest(likened, keep_weak=True)).hits


def test_confidence_does_not_hang_on_how_much_is_shown(engine: Engine) -> None:
    """It belongs to the question, not to the page."""
    for query in ("drain the queue", "cache citrus phenology", NOWHERE):
        request = SearchRequest(query, keep_weak=True)
        results = {
            engine.search(changed).confidence
            for changed in (
                request,
                replace(request, limit=1),
                replace(request, limit=50, per_file=0),
                replace(request, per_file=1),
            )
        }
        assert len(results) == 1


def test_filters_narrow_what_confidence_is_judged_by(engine: Engine) -> None:
    """Nothing in the filtered part fits, whatever stands elsewhere."""
    narrowed = SearchRequest("drain the queue", filters=(Filter("lang", "javascript"),))

    assert engine.search(SearchRequest("drain the queue")).confidence is Confidence.STRONG
    assert engine.search(narrowed).confidence is Confidence.NONE


def test_an_explained_answer_tells_its_kind_its_rules_and_what_was_left_out(engine: Engine) -> None:
    """Whoever wonders about a ranking needs all of it."""
    asked = SearchRequest('how are "cache entries" evicted in tests', explain=True, keep_weak=True)
    reported = engine.search(asked).explanation
    many = engine.search(SearchRequest("value", explain=True, per_file=1)).explanation

    assert reported is not None
    assert many is not None
    assert reported.kind == "question"
    assert any("cache entries" in rule for rule in reported.rules)
    assert any("tests" in rule for rule in reported.rules)
    assert {name for name, _ in reported.confidence} <= {
        "evidence",
        "found",
        "row",
        "topic",
        "unknown",
        "weight",
    }
    assert many.returned_mix["code"] <= many.candidate_mix["code"]


def test_each_hit_names_the_rule_that_chose_it(engine: Engine) -> None:
    """A diagram in the third place is there by quota, not by merit."""
    plain = engine.search(SearchRequest("cache", explain=True)).hits
    dealt = engine.search(
        SearchRequest("cache", explain=True, mode=type(SearchRequest("x").mode).DISCOVERY)
    ).hits

    assert {hit.rule for hit in plain} == {"best"}
    assert {hit.rule for hit in dealt} <= {"quota", "fill"}
    assert all(hit.rule == "" for hit in engine.search(SearchRequest("cache")).hits)


def test_a_quoted_phrase_is_required_word_for_word(engine: Engine) -> None:
    """Quotes mean what they mean everywhere."""
    answer = engine.search(SearchRequest('"entries are  EVICTED"', keep_weak=True)).hits
    missing = engine.search(SearchRequest('"evicted are entries"', keep_weak=True))

    assert [hit.path for hit in answer] == ["docs/guide.md"]
    assert missing.hits == ()
    assert missing.confidence is Confidence.NONE
