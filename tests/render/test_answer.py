"""Answers as documents, one or several of one command."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import Busy, GgrepError, SyncRefused
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.model.response import Explanation, Provenance, QueryResponse
from ggrep.render.agent_hits import AlreadyShown
from ggrep.render.answer_json import answer_json
from ggrep.render.printed import Rendered, render_answer, render_failure
from tests.fakes.searchers import hit

ROOT = Path("/repo")
HIT = hit(
    "r",
    "src/a.py",
    9,
    end_line=20,
    score=1.5,
    lexical_score=0.5,
    name="refund",
    qualified_name="Shop.refund",
    breadcrumb=("Shop",),
    content="def refund(order):",
)
EXPLANATION = Explanation("words", ("asked",), (), {}, {}, {}, {}, {}, {}, 1)
RESPONSE = QueryResponse(
    request=SearchRequest("a refund"),
    request_id="id",
    query_fingerprint="q",
    provenance=Provenance("s", "c", "i", "e", "snap", None, False, False, 1, 1),
    confidence=Confidence.STRONG,
    hits=(HIT,),
    limits_hit=(),
    warnings=(),
)
VIEW = ViewOptions(
    json=False,
    columns=80,
    colour=False,
    notes_colour=False,
    cwd="/repo/docs",
    scores=False,
    compact=False,
    explain=False,
    whole=False,
)


def test_paths_are_written_as_seen_from_the_view_s_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    rendered = render_answer(RESPONSE, ROOT, VIEW)

    assert rendered.out == (
        "1.  ../src/a.py:9-20  function Shop.refund\n     9 │ def refund(order):\n"
    )
    assert (rendered.err, rendered.exit_status, rendered.hits) == ("", 0, 1)


def test_places_alone_are_printed_from_where_the_reader_stands() -> None:
    assert "src/a.py:9" in render_answer(RESPONSE, ROOT, replace(VIEW, cwd="")).out

    out = render_answer(RESPONSE, ROOT, replace(VIEW, compact=True, cwd="/repo")).out

    assert out == f"src{os.sep}a.py\n"


def test_json_is_the_document_and_a_newline_and_nothing_on_the_other_stream() -> None:
    """Robots read one document; a warning is part of it."""
    warned = replace(RESPONSE, warnings=(Notice("odd", "look"),), confidence=Confidence.NONE)

    rendered = render_answer(warned, ROOT, replace(VIEW, json=True, colour=True))

    assert rendered.out.encode() == stable_json.dumps(answer_json(warned)) + b"\n"
    assert rendered.err == ""


def test_what_an_answer_says_of_itself_goes_to_the_other_stream() -> None:
    """`ggrep words | wc -l` counts hits, not warnings."""
    partial = replace(
        RESPONSE,
        hits=(),
        limits_hit=(LimitHit("max_query_terms", 64, 80),),
        warnings=(Notice("odd", "look"),),
    )

    rendered = render_answer(partial, ROOT, VIEW)

    assert rendered.out == ""
    assert rendered.err == "warning: look\ncut: 64 of 80 words of the query\nno hits\n"


def test_an_explanation_stands_above_hits_that_may_be_whole() -> None:
    explained = replace(RESPONSE, explanation=EXPLANATION, hits=())

    out = render_answer(explained, ROOT, replace(VIEW, explain=True)).out

    assert out.startswith("query       words; asked\n")
    assert out.endswith("\n\n")

    long = replace(RESPONSE, hits=(replace(HIT, content="x" * 300),))

    assert "x" * 300 not in render_answer(long, ROOT, VIEW).out
    assert "x" * 300 in render_answer(long, ROOT, replace(VIEW, whole=True)).out


def test_each_stream_has_a_colour_setting_of_its_own() -> None:
    """One may be a terminal while the other is a file; words of the query are marked."""
    weak = replace(RESPONSE, confidence=Confidence.WEAK)

    out_only = render_answer(weak, ROOT, replace(VIEW, colour=True))
    err_only = render_answer(weak, ROOT, replace(VIEW, notes_colour=True))

    assert "\x1b[1;32mrefund\x1b[0m" in out_only.out
    assert "\x1b" not in out_only.before + err_only.out
    assert err_only.before.startswith("\x1b[33m")


def test_doubt_is_said_ahead_of_the_hits() -> None:
    doubted = render_answer(replace(RESPONSE, confidence=Confidence.NONE), ROOT, VIEW)
    empty = render_answer(replace(RESPONSE, confidence=Confidence.NONE, hits=()), ROOT, VIEW)

    assert doubted.before == "no strong match\n"
    assert doubted.document()["before"] == doubted.before
    assert "before" not in render_answer(RESPONSE, ROOT, VIEW).document()
    assert (empty.before, empty.err) == ("", "no hits\n")


def test_a_failure_is_told_in_words_and_to_robots_as_a_document() -> None:
    """The code and the exit status are what scripts go by."""
    busy = Busy(retry_after_ms=50)

    people = render_failure(busy, VIEW)
    robots = render_failure(busy, replace(VIEW, json=True, notes_colour=True))

    assert people == Rendered("", "error: daemon busy, retry after 50 ms\n", 10)
    assert stable_json.loads(robots.out)["error"]["retry_after_ms"] == 50
    assert robots.err.startswith("\x1b[1;31merror: \x1b[0mdaemon busy")


def test_each_line_of_a_failure_is_sanitised_and_marked() -> None:
    """Names of files reach messages, and files may be named anything."""
    err = render_failure(SyncRefused(("one\x1b[2J", "two")), VIEW).err

    assert err.startswith("error: one (and 1 more)")
    assert err.endswith("error: one\nerror: two\n")


def test_a_bug_shows_its_traceback() -> None:
    bug = GgrepError("a bug in ggrep: KeyError: 'x'")
    bug.__cause__ = KeyError("x")
    meant = Busy(retry_after_ms=1)
    meant.__cause__ = KeyError("x")

    assert "KeyError: 'x'\n" in render_failure(bug, VIEW).err
    assert "KeyError" not in render_failure(meant, VIEW).err


def test_the_reply_of_a_daemon_holds_all_of_it() -> None:
    assert Rendered("o", "e", 1, 2).document() == {
        "out": "o",
        "err": "e",
        "exit_status": 1,
        "hits": 2,
    }


def test_lines_within_shown_lines_stand_above() -> None:
    """Only what is shown as a whole is named instead."""
    above = AlreadyShown()

    assert not above.covers("a.py", 1, 20)
    assert above.covers("a.py", 5, 20)
    assert not above.covers("a.py", 5, 21)
    assert not above.covers("b.py", 5, 20)


def test_a_line_that_two_mentions_share_is_new_to_its_own_answer() -> None:
    above = AlreadyShown()

    assert above.repeated([("a.py", 3), ("a.py", 3)]) == set()
    assert above.repeated([("a.py", 3), ("a.py", 4)]) == {("a.py", 3)}
