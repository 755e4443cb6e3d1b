"""Bodies of slates, names and places become requests, or all that is wrong with them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.surfaces.body import RepoCall, parse_repo_body
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest

LEAST: dict[str, dict[str, object]] = {
    "slate": {"query": "refund"},
    "symbol": {"name": "refund"},
    "references": {"name": "refund"},
    "expand": {"target": "a.py:3"},
}
every = pytest.mark.parametrize("operation", LEAST)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text(), LEAVES, max_size=3)


def slate(**fields: object) -> SlateRequest:
    return parse_repo_body("slate", {"query": "refund", **fields}).request


def wrong(operation: str, **fields: object) -> str:
    with pytest.raises(InvalidRequest) as caught:
        parse_repo_body(operation, {**LEAST[operation], **fields})
    return str(caught.value)


def test_the_least_that_can_be_said_means_the_usual() -> None:
    assert slate() == SlateRequest(SearchRequest("refund"))
    assert parse_repo_body("symbol", {"name": "n"}).request == SymbolRequest("n", timeout_ms=60_000)
    assert parse_repo_body("references", {"name": "n"}).request == ReferencesRequest(
        "n", timeout_ms=60_000
    )
    assert parse_repo_body("expand", {"target": "t"}).request == ExpandRequest(
        "t", timeout_ms=60_000
    )


def test_all_that_can_be_said_of_a_slate() -> None:
    result = slate(
        search={"scope": "src", "deterministic": True},
        slate={
            "level": 0,
            "maxBytes": 9_000,
            "maxFileBytes": 900,
            "maxFiles": 4,
            "maxEvidencePerFile": 2,
            "anchors": False,
            "graph": False,
        },
        session={"token": "t", "op": "expand", "targets": ["a.py"], "deltaOnly": True},
    )

    assert result == SlateRequest(
        SearchRequest("refund", scope="src", deterministic=True),
        level=0,
        budgets=Budgets(9_000, 900, 4, 2),
        anchors=False,
        graph=False,
        session=SessionRequest("t", "expand", ("a.py",), delta_only=True),
    )


@pytest.mark.parametrize(
    ("output", "meant"),
    [
        ({}, SessionRequest("", "start")),
        ({"token": None}, SessionRequest("", "start")),
        ({"token": "new"}, SessionRequest("", "start")),
        ({"token": "t"}, SessionRequest("t", "refine")),
        ({"token": "t", "targets": "a.py"}, SessionRequest("t", "expand", ("a.py",))),
        ({"token": "t", "op": "start"}, SessionRequest("t", "start")),
        ({"targets": "a.py:3"}, SessionRequest("", "start", ("a.py:3",))),
    ],
)
def test_who_sends_a_token_wants_to_go_on(output: object, meant: SessionRequest) -> None:
    assert slate(session=output).session == meant


def test_all_that_can_be_said_of_names_and_places() -> None:
    named: dict[str, object] = {"scope": "src", "filter": "-lang:go", "limit": 0, "timeoutMs": 5}
    narrowed = ("src", (Filter("lang", "go", negated=True),))

    assert parse_repo_body("symbol", {"name": "n", **named, "deterministic": True}).request == (
        SymbolRequest("n", *narrowed, limit=0, deterministic=True, timeout_ms=5)
    )
    assert parse_repo_body(
        "references", {"name": "n", **named, "strings": True, "comments": True}
    ).request == ReferencesRequest(
        "n", *narrowed, strings=True, comments=True, limit=0, timeout_ms=5
    )
    assert parse_repo_body(
        "expand", {"target": "t", "boundary": "container", "maxBytes": 7, "root": "/r"}
    ) == RepoCall("/r", ExpandRequest("t", "container", 7, timeout_ms=60_000))


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"query": None}, ["$.query"]),
        ({"query": " "}, ["$.query"]),
        ({"slate": []}, ["$.slate"]),
        ({"slate": {"level": 4, "maxFiles": -1}}, ["$.slate.level", "$.slate.maxFiles"]),
        ({"slate": {"max_bytes": 1}}, ["$.slate.max_bytes"]),
        ({"session": "token"}, ["$.session"]),
        ({"session": {"op": "end", "deltaOnly": 1}}, ["$.session.op", "$.session.deltaOnly"]),
        ({"session": {"targets": ["a"] * 33}}, ["$.session.targets"]),
        ({"session": {"seen": []}}, ["$.session.seen"]),
        ({"search": {"top": 0}}, ["$.search.top"]),
        ({"root": "\0"}, ["$.root"]),
        ({"level": 1}, ["$.level"]),
    ],
)
def test_all_that_is_wrong_with_a_slate_is_named(
    fields: dict[str, object], places: list[str]
) -> None:
    reported = wrong("slate", **fields)  # type: ignore[arg-type] # of one kind of request

    assert [issue.partition(": ")[0] for issue in reported.split("; ")] == places


@pytest.mark.parametrize(
    ("operation", "fields", "place"),
    [
        ("symbol", {"name": ""}, "$.name"),
        ("symbol", {"limit": -1}, "$.limit"),
        ("symbol", {"filter": "python"}, "$.filter"),
        ("symbol", {"strings": True}, "$.strings"),
        ("references", {"name": 7}, "$.name"),
        ("references", {"comments": "yes"}, "$.comments"),
        ("references", {"timeoutMs": -1}, "$.timeoutMs"),
        ("expand", {"target": " "}, "$.target"),
        ("expand", {"boundary": "world"}, "$.boundary"),
        ("expand", {"maxBytes": -1}, "$.maxBytes"),
    ],
)
def test_what_is_wrong_with_names_and_places_is_named(
    operation: str, fields: dict[str, object], place: str
) -> None:
    assert wrong(operation, **fields).startswith(f"{place}: ")


@every
def test_a_key_that_nobody_knows_is_refused(operation: str) -> None:
    """A mistyped one would change the answer in silence."""
    assert "unknown key 'surprise'" in wrong(operation, surprise=1)


@every
def test_null_says_nothing(operation: str) -> None:
    """Generated clients send it for what is left out."""
    keys = dict.fromkeys(("root", "search", "slate", "session"))
    more = keys if operation == "slate" else {"root": None, "timeoutMs": None}

    assert parse_repo_body(operation, {**LEAST[operation], **more}) == (
        parse_repo_body(operation, LEAST[operation])
    )


@every
@given(data=st.data())
def test_whatever_is_said_is_understood_or_refused(operation: str, data: st.DataObject) -> None:
    keys = st.sampled_from(
        ["query", "name", "target", "root", "search", "slate", "session", "limit", "filter"]
    )
    body = data.draw(st.dictionaries(keys, JSON))
    with suppress(InvalidRequest):
        assert parse_repo_body(operation, body).request is not None
