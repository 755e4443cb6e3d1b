"""What a slate leaves out, in which order it says so, and which knobs make another question."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from ggrep.config.settings import Settings
from ggrep.model.confidence import Confidence
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import Find, SearchRequest, SnippetMode
from ggrep.model.slate import Budgets, Pack, SessionRequest, SlateRequest, SlateResponse
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from ggrep.search.slate.slate_answers import slate_fingerprint
from tests.fakes.repos import IndexOf

BODY = "".join(f"        total = total + order.part_{n} * order.price_{n}\n" for n in range(30))
LEDGER = (
    "class Ledger:\n"
    '    """Books what orders come to."""\n'
    "\n"
    f"    def book_refund(self, order, total):\n{BODY}        return total\n"
    "\n"
    f"    def book_parcel(self, order, total):\n{BODY}        return total\n"
)
LOOSE = (
    "def book_refund(order):\n    return -order.total\n\n\ndef ship(parcel):\n    return parcel\n"
)
TREE = {
    "src/ledger.py": LEDGER,
    "src/loose.py": LOOSE,
    "vendor/ledger.py": LEDGER,
    **{
        f"src/step_{n:02d}.py": f"def step_{n}(order):\n    return refund(order, {n})\n"
        for n in range(30)
    },
}
QUESTION = SearchRequest("book refund order", keep_weak=True)
ASKED = SlateRequest(QUESTION)
OTHER_WORDS = "kubernetes tokenizer gradient descent zebra migration parcel"


@pytest.fixture(scope="module")
def books(shared_index: IndexOf) -> Engine:
    """Return an engine over books, which no test changes."""
    return shared_index(TREE, encoder="none")


def packs(found: SlateResponse) -> dict[str, Pack]:
    return {pack.path: pack for _, some in found.slate.sections for pack in some}


def test_an_answer_that_fits_nothing_shows_none_of_what_matches(books: Engine) -> None:
    """Files that share one word with the question would be read as if they answered it."""
    strange = SearchRequest(OTHER_WORDS)
    answer = books.ask(SlateRequest(strange))
    kept = books.ask(SlateRequest(replace(strange, keep_weak=True)))

    assert answer.confidence is Confidence.NONE
    assert packs(kept)
    assert packs(answer) == {}
    assert "low_confidence" in {cut.code for cut in answer.limits_hit}


def test_cuts_come_in_one_order(books: Engine) -> None:
    """By their names, whatever stage made them: two answers are compared line by line."""
    answer = books.ask(replace(ASKED, budgets=Budgets(10**9, 10**9, 10**9, 10**9)))
    messages = [(cut.code, cut.path_key or "") for cut in answer.limits_hit]

    assert len(messages) >= 4
    assert messages == sorted(messages)


def test_every_bound_that_drops_something_has_its_name_and_its_value(books: Engine) -> None:
    """Evidence that `--evidence 1` drops, and relations that the graph, if any, has no room for."""
    answer = books.ask(replace(ASKED, budgets=Budgets(evidence_per_file=1), graph=True))
    document = answer_json(answer)
    limits = document["slate"]["limits"]
    cuts = {cut["code"]: cut for cut in document["limits_hit"]}

    assert cuts["max_evidence_per_file"]["limit"] == limits["max_evidence_per_file"] == 1
    assert cuts["max_evidence_per_file"]["observed"] > 1
    assert any(
        "more_evidence" in file for part in document["slate"]["sections"] for file in part["files"]
    )
    assert {"max_graph_nodes", "max_graph_edges", "max_graph_bytes"} <= limits.keys()
    for code in cuts.keys() & limits.keys():
        assert cuts[code]["limit"] == limits[code]

    limits = answer_json(books.ask(replace(ASKED, graph=False)))["slate"]["limits"]

    assert not [code for code in limits if "graph" in code]


def test_neighbours_belong_to_what_they_stand_beside(books: Engine) -> None:
    """The other method of its class explains a method; the next function of a file need not."""
    answer = books.ask(replace(ASKED, level=2, budgets=Budgets(evidence_per_file=1)))
    beside = {
        path: [item.name for item in pack.evidence if item.reason == "neighbour_context"]
        for path, pack in packs(answer).items()
    }

    assert "book_parcel" in beside["src/ledger.py"]
    assert beside["src/loose.py"] == []


def test_a_copy_of_what_was_shown_does_not_come_next(books: Engine) -> None:
    """It holds nothing that its reader has not read."""
    first = books.ask(replace(ASKED, session=SessionRequest()))
    assert first.session is not None
    further = SessionRequest(first.session.token, "refine", delta_only=True)
    second = books.ask(replace(ASKED, session=further))
    both = {"src/ledger.py", "vendor/ledger.py"}

    assert len(both & packs(first).keys()) == 1
    assert not both & packs(second).keys()


def test_a_line_that_is_asked_for_comes_before_what_matches_best(books: Engine) -> None:
    """With room for one piece of a file, the reader gets the one that was named."""
    first = books.ask(replace(ASKED, session=SessionRequest()))
    assert first.session is not None
    line = LEDGER.splitlines().index("    def book_parcel(self, order, total):") + 2
    named = SessionRequest(first.session.token, "expand", (f"src/ledger.py:{line}",))
    one_piece = replace(ASKED, budgets=Budgets(evidence_per_file=1))
    (unasked,) = packs(books.ask(one_piece))["src/ledger.py"].evidence
    (asked,) = packs(books.ask(replace(one_piece, session=named)))["src/ledger.py"].evidence

    assert unasked.name != "book_parcel"
    assert asked.name == "book_parcel"


Change = Callable[[SlateRequest], SlateRequest]


def of_search(**changed: object) -> Change:
    """Return what changes the search of a request."""
    return lambda asked: replace(
        asked,
        search=replace(asked.search, **changed),  # type: ignore[arg-type] # fields vary in type
    )


def of_slate(**changed: object) -> Change:
    return lambda asked: replace(asked, **changed)  # type: ignore[arg-type] # likewise


@pytest.mark.parametrize(
    "change",
    [
        of_slate(level=2),
        of_slate(anchors=False),
        of_slate(graph=False),
        of_slate(budgets=Budgets(total_bytes=9_000)),
        of_slate(budgets=Budgets(file_bytes=9_000)),
        of_slate(budgets=Budgets(files=9)),
        of_slate(budgets=Budgets(evidence_per_file=9)),
        of_slate(session=SessionRequest("token", "expand", ("a.py",))),
        of_search(query="another"),
        of_search(mode=Mode.DEBUG),
        of_search(corpora=(Corpus.CODE,)),
        of_search(scope="src"),
        of_search(filters=(Filter("lang", "python"),)),
        of_search(within=(Filter("lang", "python"),)),
        of_search(keep_weak=False),
        of_search(find=Find.CONCEPT),
        of_search(vectors=False),
    ],
)
def test_every_knob_of_a_slate_makes_another_question(change: Change) -> None:
    assert slate_fingerprint(change(ASKED), Settings()) != slate_fingerprint(ASKED, Settings())


@pytest.mark.parametrize(
    "change",
    [
        of_slate(facts=True),
        of_slate(snapshot_id="01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        of_search(limit=3),
        of_search(per_file=1),
        of_search(snippet=SnippetMode.FULL),
        of_search(timeout_ms=77),
    ],
)
def test_other_fields_make_no_other_question(change: Change) -> None:
    """Equal answers go by one name, however they were asked for."""
    assert slate_fingerprint(change(ASKED), Settings()) == slate_fingerprint(ASKED, Settings())
