"""Options become requests, and what is wrong with them is said by name."""

import re
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import Find, SearchRequest, SnippetMode
from ggrep.model.slate import Budgets, SessionRequest
from ggrep.service.calls import (
    EXPAND,
    REFERENCES,
    SEARCH,
    SLATE,
    SYMBOL,
    Method,
    request_of,
    scope_of,
    search_request,
    slate_request,
)
from ggrep.service.workspace_calls import federated_request


def test_what_is_not_said_is_as_usual() -> None:
    assert search_request("q", {}) == SearchRequest("q", timeout_ms=0)
    assert request_of(SymbolRequest, {}, name="n").limit == 20
    assert request_of(ReferencesRequest, {"limit": 0}, name="n").limit == 0
    assert request_of(ExpandRequest, {"max_bytes": 9}, target="a.py:1").max_bytes == 9
    assert slate_request("q", {}).budgets == Budgets()
    assert federated_request("q", {"limit": 0}).top == 0


@pytest.mark.parametrize("mode", ["debug", Mode.DEBUG])
@pytest.mark.parametrize("filters", [["-lang:python"], (Filter("lang", "python", negated=True),)])
def test_words_stand_for_members(mode: Any, filters: Any) -> None:
    """Both spellings make one request."""
    given = {"mode": mode, "filters": filters, "corpora": ["extracted-prose", Corpus.CODE]}
    result = search_request("q", {**given, "find": "usage", "snippet": "none"})

    assert (result.mode, result.find, result.snippet) == (Mode.DEBUG, Find.USAGE, SnippetMode.NONE)
    assert result.filters == (Filter("lang", "python", negated=True),)
    assert result.corpora == (Corpus.EXTRACTED_PROSE, Corpus.CODE)


def test_a_slate_is_shaped_by_fields_of_two_requests() -> None:
    session = SessionRequest()
    given = {"level": 2, "total_bytes": 9_000, "files": 3, "graph": False, "session": session}
    result = slate_request("q", {**given, "mode": "planning"})

    assert (result.level, result.graph, result.anchors) == (2, False, True)
    assert result.budgets == Budgets(total_bytes=9_000, files=3)
    assert (result.session, result.search.mode) == (session, Mode.PLANNING)


def test_a_workspace_is_asked_by_the_fields_of_its_request() -> None:
    result = federated_request("q", {"limit": 3, "select": ["a"], "rrf_k": 5, "mode": "debug"})

    assert (result.top, result.select, result.rrf_k) == (3, ("a",), 5)
    assert (result.search.query, result.search.mode, result.search.limit) == ("q", Mode.DEBUG, 10)


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ({"mode": "fast"}, "mode: unknown value 'fast'; use one of balanced, discovery"),
        ({"find": None}, "find: unknown value None; use one of auto, definition"),
        (
            {"corpora": ["prose", "poetry"]},
            "corpora: unknown value 'poetry'; use one or more of code, prose",
        ),
        ({"corpora": "code"}, "corpora: expected a list, found str"),
        ({"filters": "lang:python"}, "filters: expected a list, found str"),
        ({"filters": ["python"]}, "filters: 'python' must have the form key:value"),
        ({"filters": [7]}, "filters: expected a str or a Filter, found int"),
        ({"limit": 0}, "limit: must be 1 or more, is 0"),
        ({"limit": "10"}, "limit: expected int, found str"),
        ({"limit": True}, "limit: expected int, found bool"),
        ({"timeout_ms": -1}, "timeout_ms: must be 0 or more, is -1"),
        ({"explain": "yes"}, "explain: expected bool, found str"),
    ],
)
def test_a_wrong_value_is_named(given: dict[str, Any], reported: str) -> None:
    """With its option, and what it may be."""
    with pytest.raises(InvalidRequest, match=re.escape(reported)):
        search_request("q", given)


@pytest.mark.parametrize("query", ["", " \n"])
def test_an_empty_query_is_refused(query: str) -> None:
    """It would be everything and nothing."""
    with pytest.raises(InvalidRequest, match="query: must not be empty"):
        search_request(query, {})


def test_a_query_of_another_type_is_named() -> None:
    """Not a traceback of something inside."""
    with pytest.raises(InvalidRequest, match="query: expected str, found bytes"):
        search_request(b"q", {})  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("search", SEARCH),
        ("slate", SLATE),
        ("symbol", SYMBOL),
        ("references", REFERENCES),
        ("expand", EXPAND),
    ],
)
def test_an_option_that_there_is_not_is_a_type_error(name: str, method: Method[Any]) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword .* 'limt'"):
        method.message({"limt": 3})


def test_a_path_is_one_below_the_root(root: Path) -> None:
    (root / "src").mkdir()
    link = root.parent / "link"
    link.symlink_to(root)

    assert scope_of("src/", root) == scope_of(root / "src", root) == "src"
    assert scope_of(link / "src", root) == "src"
    assert scope_of(root, root) == scope_of(".", root) == ""
    with pytest.raises(InvalidRequest, match=r"path: .* is outside"):
        scope_of("../elsewhere", root)
