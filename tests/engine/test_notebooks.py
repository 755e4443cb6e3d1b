"""Notebooks are found by what somebody wrote in them, and read like code."""

import pytest

from ggrep.base import stable_json
from ggrep.index.maintenance.checks import check_health
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest
from ggrep.model.request import Find, SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.notebooks import PICTURE, cell, notebook, with_sources
from tests.fakes.repos import IndexOf, paths

LOG = {"output_type": "stream", "text": ["epochword 17\n"] * 40}
TREE = {
    "study.ipynb": notebook(
        cell("markdown", "# Churn of customers", "", "Why they leave."),
        cell("code", "%pip install churnlib", "import churnlib", outputs=[LOG, PICTURE]),
        cell("code", "def churn_rate(table):", '    """Share lost."""', "    return table.lost"),
        cell("code", "churn_rate(frame)", outputs=[PICTURE]),
    ),
    "fit.ipynb": notebook(
        cell("code", "fit_line <- function(points) {", "  lm(y ~ x, points)", "}"), language="R"
    ),
    "joined.ipynb": stable_json.dumps(
        with_sources(
            notebook(
                cell("markdown", "# Refunds", "", "Who is paid back."),
                cell("code", "import refundlib", "", "def refund_rate(table):", "    return table"),
                cell("code", "refund_rate(frame)"),
            )
        )
    ).decode(),
    "broken.ipynb": '<<<<<<< HEAD\n{"cells": ["brokenword"]}\n=======\n',
    "plain.py": "from study import churn_rate\n",
}


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    """Return an engine over a tree with notebooks, without a word about them in any settings."""
    return shared_index(TREE)


def lines(name: str, word: str) -> list[int]:
    return [at for at, line in enumerate(TREE[name].split("\n"), start=1) if word in line]


def test_a_notebook_is_found_by_what_somebody_wrote(engine: Engine) -> None:
    """By text and code in its kernel's language, not by a log or the letters of a picture."""
    assert paths(engine, "why do customers leave")[0] == "study.ipynb"
    assert paths(engine, "pip install churnlib", find=Find.EXACT_TEXT) == ["study.ipynb"]

    assert paths(engine, "epochword", find=Find.EXACT_TEXT) == []
    assert paths(engine, "iVBOR", find=Find.EXACT_TEXT) == []

    only = (Filter("lang", "r"),)

    assert paths(engine, "fit a line through points", filters=only) == ["fit.ipynb"]


def test_names_of_a_notebook_are_defined_and_used_at_lines_of_the_file(engine: Engine) -> None:
    """In the language of its kernel, beside the other files'."""
    answer = engine.ask(SymbolRequest("churn_rate"))
    used = engine.ask(ReferencesRequest("churn_rate"))

    assert [(each.path, each.line, each.signature) for each in answer.definitions] == [
        ("study.ipynb", *lines("study.ipynb", "def churn_rate"), "def churn_rate(table)")
    ]
    assert [(each.path, each.line) for each in used.references if each.path == "study.ipynb"] == [
        ("study.ipynb", line) for line in lines("study.ipynb", "churn_rate")[1:]
    ]
    assert [each.path for each in engine.ask(SymbolRequest("fit_line")).definitions] == [
        "fit.ipynb"
    ]


def test_a_broken_notebook_is_searched_as_text_and_told_of(engine: Engine) -> None:
    """A conflict of a merge hides no word."""
    identity = engine.identity

    report = check_health(identity.store, identity.store_id, engine.settings, deep=False)
    checks = {check.code: check for check in report.checks}

    assert paths(engine, "brokenword", find=Find.EXACT_TEXT) == ["broken.ipynb"]
    assert checks["unread_notebooks"].paths == ("broken.ipynb",)


def test_all_answers_agree_on_lines_within_cells_and_say_so(engine: Engine) -> None:
    """The file has one line; whoever opens it there sees nothing of what was found."""
    script = engine.ask(ExpandRequest("joined.ipynb:1-30", boundary="lines"))
    lines = script.content.split("\n")
    line = lines.index("def refund_rate(table):") + script.start_line
    answers = (
        script,
        engine.search(SearchRequest("refund rate", deterministic=True)),
        engine.ask(SymbolRequest("refund_rate")),
        engine.ask(ReferencesRequest("refund_rate")),
        engine.ask(OutlineRequest(("joined.ipynb",))),
        engine.ask(SlateRequest(SearchRequest("refund rate", deterministic=True))),
    )
    _, search, symbol, references, outline, _ = answers

    assert symbol.definitions[0].line == line
    assert [each.line for each in references.references] == [
        lines.index("refund_rate(frame)") + script.start_line
    ]
    assert line in {entry.start_line for entry in outline.outlines[0].entries}
    [hit] = [hit for hit in search.hits if hit.name == "refund_rate"]
    assert "def refund_rate" in hit.content.split("\n")[line - hit.content_start_line]
    for answer in answers:
        reported = {notice.code: notice.message for notice in answer.warnings}
        assert reported["cell_lines"].endswith("joined.ipynb")
