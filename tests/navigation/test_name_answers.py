"""Where a name is defined and where it is used, over the indexed snapshot."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, InvalidRequest, NoIndex
from ggrep.model.filters import Filter
from ggrep.model.name_pools import MAX_REFERENCES
from ggrep.model.navigation import (
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.parse.occurrences.words import MAX_MENTIONS
from ggrep.parse.workers.jobs import OccurrenceRequest
from ggrep.parse.workers.occurrence_pool import FileOccurrences
from ggrep.search.engine.engine import Engine
from ggrep.search.navigation import mentions, name_reading
from tests.fakes.clocks import ManualClock
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import IndexOf, open_engine, write_tree

FILES = {
    "src/retry.py": (
        "import queue\n\n\n"
        "# Runs again and again.\n"
        "def retry(job):\n"
        '    """See retry."""\n'
        "    def attempt():\n"
        "        return job()\n"
        "    return attempt()\n\n\n"
        "class Queue:\n"
        "    def retry(self):\n"
        "        return retry(self)\n"
    ),
    "src/app.ts": 'import { retry } from "./retry";\nexport class App { retry() { retry(); } }\n',
    "src/http.h": "int HttpGet(int url);\n",
    "src/http.c": "int HttpGet(int url) { return url; }\n",
    "tests/test_retry.py": "from src.retry import retry\n\n\ndef test_it():\n    retry(1)\n",
    "docs/retry.md": "# Retries\n\nCall `retry` to retry.\n",
}


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    return index_of(FILES, encoder="none")


def places(answer: SymbolResponse) -> list[tuple[str, int, str, str]]:
    return [(each.path, each.line, each.kind, each.qualified_name) for each in answer.definitions]


def uses(answer: ReferencesResponse) -> list[tuple[str, int, str]]:
    return [(each.path, each.line, each.kind) for each in answer.references]


def test_a_name_s_definitions_come_with_what_is_known_of_them(engine: Engine) -> None:
    """One look at the answer saves opening the file."""
    answer = engine.ask(SymbolRequest("retry"))
    first = answer.definitions[1]

    assert places(answer) == [
        ("src/app.ts", 2, "method", "App.retry"),
        ("src/retry.py", 5, "function", "retry"),
        ("src/retry.py", 13, "method", "Queue.retry"),
    ]
    assert (first.start_line, first.end_line, first.signature) == (4, 9, "def retry(job)")
    assert (first.doc, first.language, first.container) == ("See retry.", "python", "")
    assert (answer.total, answer.suggestions, answer.warnings) == (3, (), ())
    assert len(first.row_id) == 64


def test_a_function_inside_of_a_function_is_found(engine: Engine) -> None:
    """No chunk is named after it, and still it is a definition."""
    assert places(engine.ask(SymbolRequest("attempt"))) == [
        ("src/retry.py", 7, "function", "retry.attempt")
    ]


@pytest.mark.parametrize("name", ["Queue.retry", "Queue#retry", "Queue::retry", "queue.retry()"])
def test_what_a_name_is_qualified_by_narrows_the_answer(engine: Engine, name: str) -> None:
    """`retry` alone is the name of three things."""
    assert places(engine.ask(SymbolRequest(name))) == [
        ("src/retry.py", 13, "method", "Queue.retry")
    ]


def test_a_module_qualifies_what_stands_in_its_file(engine: Engine) -> None:
    """People write what they import: `retry.retry`, `src.retry.Queue`."""
    assert places(engine.ask(SymbolRequest("src.retry.Queue"))) == [
        ("src/retry.py", 12, "class", "Queue")
    ]


def test_a_wrong_qualifier_is_answered_with_the_right_ones(engine: Engine) -> None:
    """An empty answer alone would say that the name is nowhere."""
    answer = engine.ask(SymbolRequest("Stack.retry"))

    assert (answer.definitions, answer.total) == ((), 0)
    assert answer.suggestions == ("App.retry", "retry", "Queue.retry")


def test_a_body_comes_before_a_mere_declaration(engine: Engine) -> None:
    """Who asks where a function is wants to read it."""
    answer = engine.ask(SymbolRequest("HttpGet"))

    assert [each.path for each in answer.definitions] == ["src/http.c", "src/http.h"]


def test_another_letter_case_is_tried_and_said(engine: Engine) -> None:
    """Whoever remembers half of the spelling still gets there, and learns it."""
    answer = engine.ask(SymbolRequest("httpget"))

    assert {each.name for each in answer.definitions} == {"HttpGet"}
    (warning,) = answer.warnings
    assert (warning.code, warning.message) == (
        "other_case",
        "no name is spelled httpget; names in other letter case are shown: HttpGet",
    )


def test_a_misspelt_name_is_answered_with_near_ones(engine: Engine) -> None:
    """Two swapped letters are no reason to start from nothing."""
    assert engine.ask(SymbolRequest("HtpGet")).suggestions == ("HttpGet",)
    assert engine.ask(SymbolRequest("http_gte")).suggestions == ("HttpGet",)
    assert engine.ask(SymbolRequest("zzzzzz")).suggestions == ()


def test_usages_leave_definitions_strings_and_documents_out(engine: Engine) -> None:
    """They are counted all the same, so that nobody takes the list for everything."""
    answer = engine.ask(ReferencesRequest("retry"))

    assert uses(answer) == [
        ("src/app.ts", 1, "usage"),
        ("src/app.ts", 2, "usage"),
        ("src/retry.py", 14, "usage"),
        ("tests/test_retry.py", 1, "usage"),
        ("tests/test_retry.py", 1, "usage"),
        ("tests/test_retry.py", 5, "usage"),
    ]
    assert answer.totals == (("usage", 6), ("string", 2), ("comment", 2), ("definition", 3))
    assert answer.files == 3
    last = answer.references[-1]
    assert (last.column, last.container, last.content) == (5, "test_it", "retry(1)")


def test_strings_and_comments_are_shown_to_those_who_ask(engine: Engine) -> None:
    """A rename has to look at texts too."""
    answer = engine.ask(ReferencesRequest("retry", strings=True, comments=True))

    assert ("docs/retry.md", 3, "comment") in uses(answer)
    assert ("src/retry.py", 6, "string") in uses(answer)
    assert len(answer.references) == 10


def test_scope_and_filters_narrow_names_too(engine: Engine) -> None:
    """They mean what they mean for a search."""
    python = (Filter("lang", "python"),)
    source = replace(ReferencesRequest("retry"), filters=(Filter("test", "false"), *python))

    assert {path for path, _, _ in uses(engine.ask(source))} == {"src/retry.py"}
    scoped = engine.ask(SymbolRequest("retry", scope="src/app.ts"))
    assert places(scoped) == [("src/app.ts", 2, "method", "App.retry")]
    assert engine.ask(SymbolRequest("retry", scope="docs")).total == 0


def test_only_files_that_hold_the_name_are_parsed(engine: Engine, pool: InProcessMentions) -> None:
    """Postings know words without their case; the text decides before a parser is asked."""
    engine.ask(SymbolRequest("Queue"))

    assert pool.asked == ["src/retry.py"]


def test_cuts_are_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing partial is silent."""
    few = engine.ask(SymbolRequest("retry", limit=1))
    every = engine.ask(SymbolRequest("retry", limit=0))
    monkeypatch.setattr(name_reading, "MAX_MENTION_FILES", 1)
    many = engine.ask(ReferencesRequest("retry", limit=MAX_REFERENCES + 1))

    assert [(cut.code, cut.limit, cut.observed) for cut in few.limits_hit] == [
        ("max_symbols", 1, 3)
    ]
    assert (len(few.definitions), few.total) == (1, 3)
    assert [(cut.code, cut.limit, cut.observed) for cut in many.limits_hit] == [
        ("max_mention_files", 1, 4),
        ("max_references", 2000, 2001),
    ]
    assert many.request.limit == MAX_REFERENCES
    assert (len(every.definitions), every.limits_hit) == (3, ())


def cuts(answer: SymbolResponse | ReferencesResponse) -> list[tuple[str, int]]:
    return [(cut.code, cut.limit) for cut in answer.limits_hit]


def said(answer: SymbolResponse | ReferencesResponse) -> list[tuple[str, str]]:
    return [(each.code, each.message.split()[0]) for each in answer.warnings]


def test_of_more_text_than_is_parsed_words_tell(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that stands in a thousand files is answered in seconds, and nothing is missing."""
    every = engine.ask(ReferencesRequest("retry"))
    bound = len(FILES["docs/retry.md"]) + 1
    monkeypatch.setattr(name_reading, "MAX_SYNTAX_BYTES", bound)
    used = engine.ask(ReferencesRequest("retry"))

    assert dict(used.totals)["definition"] == 1, "of the second file by path"
    assert sum(dict(used.totals).values()) == sum(dict(every.totals).values())
    assert (cuts(used), said(used)) == ([("max_syntax_bytes", bound)], [("words_alone", "2")])


def test_definitions_that_words_cannot_tell_are_left_out_aloud(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only syntax tells them; the likeliest files are read first."""
    monkeypatch.setattr(name_reading, "MAX_SYNTAX_BYTES", 1)
    defined = engine.ask(SymbolRequest("retry"))

    assert [place[0] for place in places(defined)] == ["src/app.ts"]
    assert (cuts(defined), said(defined)) == ([("max_syntax_bytes", 1)], [("files_left", "1")])


class SlowMentions(InProcessMentions):
    """Takes so long for each file."""

    def __init__(self, clock: ManualClock, milliseconds: float) -> None:
        super().__init__()
        self._clock, self._milliseconds = clock, milliseconds

    def find(
        self, questions: Iterable[OccurrenceRequest], deadline: Deadline
    ) -> Iterator[tuple[OccurrenceRequest, FileOccurrences]]:
        """Yield each question with its answer."""
        for item in super().find(questions, deadline):
            self._clock.advance(self._milliseconds)
            yield item


@pytest.mark.parametrize(
    ("milliseconds", "cut", "reported"),
    [(650, 60, [("words_alone", "3")]), (950, 90, [("files_left", "3")])],
)
def test_what_there_was_no_time_for_is_said(
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    milliseconds: float,
    cut: int,
    reported: list[tuple[str, str]],
) -> None:
    """What is known at the deadline is worth more than an error."""
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    pool = SlowMentions(clock, milliseconds)
    monkeypatch.setattr(engine, "_occurrences", pool)
    used = engine.ask(ReferencesRequest("retry"), Deadline.after(clock, 1_000))

    assert (cuts(used), said(used)) == ([("deadline_share", cut)], reported)
    with pytest.raises(DeadlineExceeded):
        engine.ask(ReferencesRequest("retry", deterministic=True), Deadline.after(clock, 1_000))


def test_a_file_with_too_many_places_is_named(root: Path, engine: Engine) -> None:
    """What is left out of one file is said with its path."""
    write_tree(root, {"many.md": "needle " * (MAX_MENTIONS + 1)})
    engine.sync()
    answer = engine.ask(ReferencesRequest("needle"))

    assert dict(answer.totals)["comment"] == MAX_MENTIONS
    assert [(cut.code, cut.path_key) for cut in answer.limits_hit] == [
        ("max_mentions_per_file", "many.md")
    ]


def test_a_file_whose_syntax_cannot_be_read_is_named(
    engine: Engine, pool: InProcessMentions
) -> None:
    """Its words still count, and the answer says that they are all it has."""
    pool.hanging = {"src/retry.py"}
    answer = engine.ask(ReferencesRequest("retry", scope="src/retry.py"))

    assert {kind for _, _, kind in uses(answer)} == {"usage"}
    assert [(each.code, each.path_key) for each in answer.warnings] == [
        ("parse_exhausted", "src/retry.py")
    ]


def test_deterministic_answers_are_equal(engine: Engine) -> None:
    """Same question, same snapshot, same bytes."""
    asked = SymbolRequest("retry", deterministic=True)
    used = ReferencesRequest("retry", deterministic=True)

    assert engine.ask(asked) == engine.ask(asked)
    assert engine.ask(used) == engine.ask(used)
    assert engine.ask(asked).timings_ms == ()
    assert engine.ask(asked).request_id != engine.ask(used).request_id
    assert engine.ask(SymbolRequest("retry"), request_id="mine").request_id == "mine"


def test_what_is_shown_is_safe_on_a_terminal(root: Path, engine: Engine) -> None:
    """A file's text is somebody else's."""
    write_tree(root, {"src/evil.py": "def evil(a='\x1b[31m'): return evil\n"})
    engine.sync()
    (answer,) = engine.ask(SymbolRequest("evil")).definitions
    (used,) = engine.ask(ReferencesRequest("evil")).references

    assert answer.signature == "def evil(a='')"
    assert used.content == "def evil(a=''): return evil"


def test_a_long_line_is_cut_around_the_name(root: Path, engine: Engine) -> None:
    """A minified line is no answer to anything."""
    write_tree(root, {"src/long.py": f"x = [{'1, ' * 400}needle, {'2, ' * 400}]\n"})
    engine.sync()
    (used,) = engine.ask(ReferencesRequest("needle")).references

    assert used.column == 1206
    assert "needle" in used.content
    assert len(used.content) <= mentions.MAX_LINE_CHARACTERS


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (SymbolRequest(""), "name: '' is empty; a name must be one line .* `ggrep search` takes"),
        (
            SymbolRequest("a\nb"),
            "name: 'a.nb' contains line ends or control characters; a name must be",
        ),
        (SymbolRequest("a\x07"), "name: .* contains line ends or control characters"),
        (ReferencesRequest("\ud800"), "name: .* is not valid Unicode"),
        (
            ReferencesRequest("a" * 401),
            "name: the name has 401 characters; a name must be one line of 1 to 400",
        ),
        (SymbolRequest("a", limit=-1), "limit: -1 is negative"),
        (SymbolRequest("a", scope="../b"), "scope: "),
        (ReferencesRequest("a", filters=(Filter("colour", "red"),)), "unknown key 'colour'"),
    ],
)
def test_what_cannot_be_understood_is_refused(
    engine: Engine, request_: SymbolRequest | ReferencesRequest, message: str
) -> None:
    """A refusal names the field."""
    with pytest.raises(InvalidRequest, match=message):
        engine.ask(request_)


def test_time_runs_out_aloud_and_no_index_is_said(root: Path, home: Path, engine: Engine) -> None:
    """Half an answer would be taken for a whole one."""
    over = Deadline.after(engine.clock, 0)
    with pytest.raises(DeadlineExceeded):
        engine.ask(SymbolRequest("retry"), over)
    with pytest.raises(DeadlineExceeded):
        engine.ask(ReferencesRequest("retry"), over)

    with pytest.raises(NoIndex):
        open_engine(root, home / "other", encoder="none").ask(SymbolRequest("retry"))
