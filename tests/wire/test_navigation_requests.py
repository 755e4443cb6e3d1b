"""Slates, names and places from the wire, and every way in which one can be wrong."""

from typing import Any

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from ggrep.protocol.wire.messages import Ask, Message, parse_message

SEARCH: dict[str, Any] = {"query": "refund"}
STATISTICS: dict[str, Any] = {"layout": "l1", "chunks": 1, "files": 1, "lengths": []}


def slate(**change: object) -> dict[str, Any]:
    return {"message": "slate", "request": {"search": SEARCH} | change}


def session(**change: object) -> dict[str, Any]:
    return slate(session=change)


def symbol(**change: object) -> dict[str, Any]:
    return {"message": "symbol", "request": {"name": "refund"} | change}


def references(**change: object) -> dict[str, Any]:
    return {"message": "references", "request": {"name": "refund"} | change}


def expand(**change: object) -> dict[str, Any]:
    return {"message": "expand", "request": {"target": "a.py:3"} | change}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (slate(), Ask(SlateRequest(SearchRequest("refund")))),
        (
            slate(session={}, budgets={"files": 3}, level=0),
            Ask(
                SlateRequest(
                    SearchRequest("refund"),
                    level=0,
                    budgets=Budgets(files=3),
                    session=SessionRequest(),
                )
            ),
        ),
        (
            slate() | {"priority": "batch", "path": "/r/src"},
            Ask(SlateRequest(SearchRequest("refund")), "batch", "/r/src"),
        ),
        (symbol(), Ask(SymbolRequest("refund"))),
        (symbol() | {"values": True}, Ask(SymbolRequest("refund"), values=True)),
        (references(strings=True), Ask(ReferencesRequest("refund", strings=True))),
        (expand(boundary="file"), Ask(ExpandRequest("a.py:3", "file"))),
    ],
)
def test_what_is_left_out_has_a_default(body: dict[str, Any], message: Message) -> None:
    """A client says what it cares for; what it adds beyond that is passed over."""
    assert parse_message(body | {"of_a_newer_build": [1]}).message == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "slate"}, "request: missing"),
        (slate(search=None), r"request\.search"),
        (slate(search={"query": "x" * 65_537}), r"request\.search\.query: 65537 bytes"),
        (slate(search=SEARCH | {"filters": [{}] * 257}), r"request\.search\.filters: 257 items"),
        (slate(level=4), r"request\.level: .* found 4"),
        (slate(level=-1), r"request\.level: .* found -1"),
        (slate(level=True), r"request\.level"),
        (slate(budgets={"files": -1}), r"request\.budgets\.files: .* found -1"),
        (slate(budgets={"total_bytes": 2**51}), r"request\.budgets\.total_bytes"),
        (
            slate(statistics=STATISTICS | {"terms": [{}] * 1025}),
            r"request\.statistics\.terms: 1025 items",
        ),
        (slate(vector={"values": [1] * 4097, "scale": 1}), r"request\.vector\.values"),
        (
            slate(vector={"values": [128], "scale": 1}),
            r"request\.vector\.values\[0\]: .* found 128",
        ),
        (slate(snapshot_id="yesterday"), "invalid snapshot id"),
        (slate() | {"path": "src"}, "path: .* found 'src'"),
        (slate() | {"priority": "urgent"}, "priority"),
        (slate() | {"values": 1}, "values: .* found 1"),
        (session(token=7), r"request\.session\.token"),
        (
            session(token="x" * 8_193),
            r"request\.session\.token: 8193 bytes are more than the maximum of 8192",
        ),
        (slate(session={"token": "\ud800"}), r"request\.session\.token: contains a lone surrogate"),
        (session(op="end"), r"request\.session\.op"),
        (
            session(targets=["a"] * 33),
            r"request\.session\.targets: 33 items are more than the maximum of 32",
        ),
        (session(targets=["x" * 4_097]), r"request\.session\.targets\[0\]: 4097 bytes"),
        (symbol(name="x" * 513), r"request\.name: 513 bytes are more than the maximum of 512"),
        (symbol(name=None), r"request\.name"),
        (symbol(limit=-1), r"request\.limit: .* found -1"),
        (symbol(scope="x" * 4_097), r"request\.scope"),
        (symbol(filters=[{"key": "x" * 65, "value": ""}]), r"request\.filters\[0\]\.key"),
        (symbol(timeout_ms=3_600_001), r"request\.timeout_ms"),
        (references(name="x" * 513), r"request\.name: 513 bytes"),
        (
            references(filters=[{}] * 257),
            r"request\.filters: 257 items are more than the maximum of 256",
        ),
        (references(strings=1), r"request\.strings"),
        (references() | {"path": "../x"}, "path"),
        (
            expand(target="x" * 4_097),
            r"request\.target: 4097 bytes are more than the maximum of 4096",
        ),
        (expand(target="\udfff"), r"request\.target"),
        (expand(boundary="world"), r"request\.boundary"),
        (expand(max_bytes=-1), r"request\.max_bytes: .* found -1"),
        (expand(timeout_ms=-1), r"request\.timeout_ms"),
    ],
)
def test_what_is_wrong_is_named(body: dict[str, Any], message: str) -> None:
    """Whoever wrote the client finds the place from the answer alone."""
    with pytest.raises(InvalidRequest, match=message) as caught:
        parse_message(body)

    assert len(str(caught.value)) < 500


def test_a_token_that_is_too_long_is_not_quoted() -> None:
    """Errors are logged and shown; a token opens a session."""
    with pytest.raises(InvalidRequest) as caught:
        parse_message(session(token="secret" * 10_000))

    assert "secret" not in str(caught.value)


def test_bounds_are_taken_to_the_last() -> None:
    """What is promised is held."""
    targets = ["x" * 4_096] * 32
    message = parse_message(session(token="x" * 8_192, targets=targets)).message

    assert isinstance(message, Ask)
    assert message.request.session == SessionRequest("x" * 8_192, targets=tuple(targets))
    assert parse_message(symbol(name="ü" * 256)).message == Ask(SymbolRequest("ü" * 256))
