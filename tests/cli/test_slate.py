"""`ggrep slate` and `ggrep search --format slate`: from flags to a slate on the screen."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import GgrepError, UsageError
from ggrep.interfaces.cli.queries.slate_options import (
    LEVEL_OF_SNIPPET,
    SessionOptions,
    SlateFormat,
    SlateOptions,
    slate_fields,
    slate_request_of,
    wants_slate,
)
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.slate import Budgets, SessionRequest
from tests.journeys.command import Command, Outcome, fits

SEARCH = SearchRequest("words")
QUESTION = "where is a card charged"


def paths(outcome: Outcome) -> list[str]:
    """Return the files of a slate in JSON."""
    sections: list[dict[str, Any]] = outcome.document["slate"]["sections"]
    return [pack["path"] for section in sections for pack in section["files"]]


def test_flags_become_budgets_and_without_them_a_slate_is_of_level_1() -> None:
    """Enough to start from, and never whole files unasked."""
    request = slate_request_of(SlateOptions(), SEARCH)
    shape = SlateOptions(level=2, total_bytes=9_000, file_bytes=800, files=7, evidence_per_file=2)

    assert (request.level, request.anchors, request.graph) == (1, True, True)
    assert request.budgets == Budgets()
    assert request.session is None
    assert slate_request_of(shape, SEARCH).budgets == Budgets(9_000, 800, 7, 2)
    forms = (None, "dot", "mermaid")
    assert tuple(SlateOptions(form=form).graph_form for form in forms) == forms


@pytest.mark.parametrize(
    ("typed", "session"),
    [
        (SessionOptions("new"), SessionRequest("", "start")),
        (SessionOptions("T"), SessionRequest("T", "refine")),
        (SessionOptions("T", delta_only=True), SessionRequest("T", "refine", (), delta_only=True)),
        (SessionOptions("T", targets=("a.py:3",)), SessionRequest("T", "expand", ("a.py:3",))),
        (SessionOptions("new", "start"), SessionRequest("", "start")),
    ],
)
def test_what_a_session_does_follows_from_what_it_is_given(
    typed: SessionOptions, session: SessionRequest
) -> None:
    assert slate_request_of(SlateOptions(), SEARCH, typed).session == session


@pytest.mark.parametrize(
    ("group", "output"),
    [
        (SessionOptions(op="refine"), "only with --session"),
        (SessionOptions(targets=("a.py",)), "only with --session"),
        (SessionOptions(delta_only=True), "only with --session"),
        (SessionOptions(""), "use a token"),
        (SessionOptions("new", "refine"), "TOKEN"),
        (SessionOptions("T", "start"), "--session new"),
        (SessionOptions("T", "expand"), "--target"),
        (SessionOptions("T", "refine", ("a.py",)), "--target"),
        (SlateOptions(level=4), "--level: 4"),
        (SlateOptions(files=-1), "--max-files: -1"),
        (SlateOptions(graph=False, form="dot"), "--no-graph"),
    ],
)
def test_flags_that_mean_nothing_together_are_named(
    group: SlateOptions | SessionOptions, output: str
) -> None:
    """A flag without effect would be a wrong answer in silence."""
    groups = (group, SEARCH) if isinstance(group, SlateOptions) else (SlateOptions(), SEARCH, group)
    with pytest.raises(GgrepError, match=output):
        slate_request_of(*groups)


def test_targets_are_taken_as_the_repository_writes_them() -> None:
    """They are typed as seen from the current directory."""
    session = SessionOptions("T", targets=("a.py:3", "b.py"))
    request = slate_request_of(
        SlateOptions(), SEARCH, session, resolve=lambda typed: f"src/{typed}"
    )

    assert request.session == SessionRequest("T", "expand", ("src/a.py:3", "src/b.py"))


def test_what_was_typed_is_kept_from_a_profile() -> None:
    """A repository's defaults are for what its user left open."""
    typed = SlateOptions(level=0, files=3, anchors=False, form="dot")

    assert slate_fields(SlateOptions()) == frozenset()
    assert slate_fields(typed) == {"level", "files", "anchors", "graph"}


def test_a_format_is_text_or_slate_and_snippet_depths_are_levels() -> None:
    assert not wants_slate(SlateFormat())
    assert wants_slate(SlateFormat(level=0, form="slate"))
    with pytest.raises(UsageError, match="only with --format slate"):
        wants_slate(SlateFormat(total_bytes=9_000))

    modes = (SnippetMode.NONE, SnippetMode.SHORT, SnippetMode.LONG, SnippetMode.FULL)

    assert [LEVEL_OF_SNIPPET[mode] for mode in modes] == [0, 1, 2, 3]
    assert SnippetMode.DEFAULT not in LEVEL_OF_SNIPPET


def test_a_slate_shows_files_of_every_section_that_has_any(ggrep: Command, shop: Path) -> None:
    """Code, what explains it and what checks it, from one question."""
    shown = ggrep("slate", QUESTION)

    assert shown.status == 0
    assert shown.out.startswith(f"{QUESTION}  (")
    for title in ("\nCode ─", "\nDocuments ─", "\nTests ─", "\nNext ─"):
        assert title in shown.out
    assert "\nsrc/checkout.py:" in shown.out


def test_slate_and_search_as_slate_are_one_thing(ggrep: Command, shop: Path) -> None:
    """One is an alias of the other, level by level."""
    flags = ("--deterministic", "--json", "--max-files", "2", "--max-bytes", "9000")
    alone = ggrep("slate", QUESTION, "--level", "2", *flags)
    searched = ggrep("search", QUESTION, "--format", "slate", "--long-snippet", *flags)

    fits(alone.document, "slate_success")
    assert alone.document["slate"]["level"] == 2
    assert searched.out == alone.out


def test_level_0_shows_no_line_of_a_file_and_a_graph_can_be_drawn(
    ggrep: Command, shop: Path
) -> None:
    shown = ggrep("slate", QUESTION, "--level", "0")

    assert "src/checkout.py:" in shown.out
    assert "│" not in shown.out

    drawn = ggrep("slate", "checkout", "--graph", "dot").out

    assert drawn.startswith("digraph")
    assert drawn.rstrip().endswith("}")


def test_what_narrows_a_search_narrows_a_slate(ggrep: Command, shop: Path) -> None:
    assert paths(ggrep("slate", QUESTION, "docs", "--json")) == ["docs/payments.md"]

    reported = ggrep("slate", QUESTION, "--filter", "-test:true", "--corpus", "code", "--json")

    assert sorted(paths(reported)) == ["src/app.py", "src/checkout.py"]


def test_a_session_goes_on_without_repeating_itself(ggrep: Command, shop: Path) -> None:
    first = ggrep("slate", QUESTION, "--session", "new", "--max-files", "2", "--json")
    token = first.document["session"]["token"]
    more = ggrep("slate", QUESTION, "--session", token, "--delta-only", "--json")

    assert len(paths(first)) == 2
    assert paths(more)
    assert not set(paths(first)) & set(paths(more))


def test_a_target_is_opened_as_seen_from_the_current_directory(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was copied from a slate that was printed there."""
    token = ggrep("slate", QUESTION, "--session", "new", "--json").document["session"]["token"]
    monkeypatch.chdir(shop / "src")
    opened = ggrep("slate", "checkout", "--session", token, "--target", "app.py:4", "--json")

    assert "src/app.py" in paths(opened)


def test_nothing_found_and_a_refusal_are_told_by_status_and_json(
    ggrep: Command, shop: Path
) -> None:
    shown = ggrep("slate", QUESTION, "--exit-status")
    nothing = ggrep("slate", "zyzzyva", "--exit-status")

    assert (shown.status, nothing.status) == (0, 1)
    assert "no hits\n" in nothing.err
    assert ggrep("slate", QUESTION, "--graph", "dot", "--json").error()["code"]
    assert ggrep("slate", QUESTION, "--session", "nonsense", "--json").error()["code"]


@pytest.mark.parametrize(
    ("flags", "output"),
    [
        (("--compact",), "--level 0 shows paths"),
        (("-m", "3"), "--max-files"),
        (("--scores",), "--scores"),
        (("--explain",), "--explain"),
        (("--per-file", "2"), "--per-file"),
        (("--receipt", "r.json"), "--receipt"),
        (("--merge", "rrf"), "--merge"),
    ],
)
def test_flags_of_hits_are_refused_where_a_slate_is_wanted(
    ggrep: Command, shop: Path, flags: tuple[str, ...], output: str
) -> None:
    """They would do nothing."""
    refused = ggrep("search", QUESTION, "--format", "slate", *flags)

    assert refused.status != 0
    assert output in refused.err
