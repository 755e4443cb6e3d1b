"""Every message a daemon takes, and every way in which one can be wrong."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import fields

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import EncodeRequest, PoolRequest, SearchRequest, ViewOptions
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from ggrep.protocol.wire import reading
from ggrep.protocol.wire.messages import (
    KINDS,
    Ask,
    Cancel,
    Claim,
    Describe,
    Fetch,
    Gc,
    Health,
    Message,
    Ping,
    Search,
    Shutdown,
    Sync,
    message_json,
    message_name,
    parse_message,
    request_id_of,
)
from tests.wire.values import MESSAGES, REQUEST_IDS

NAMES = {
    "search",
    "slate",
    "symbol",
    "references",
    "expand",
    "outline",
    "tour",
    "line",
    "describe",
    "term_stats",
    "pool",
    "joint_describe",
    "joint_pool",
    "symbol_pool",
    "references_pool",
    "imports",
    "encode",
    "status",
    "health",
    "metrics",
    "sync",
    "sync_status",
    "watch_status",
    "cancel",
    "gc",
    "compact",
    "shutdown",
    "serve",
    "ping",
}
REQUEST: dict[str, Any] = {"query": "refund"}
STATISTICS: dict[str, Any] = {
    "layout": "l1",
    "chunks": 5,
    "files": 2,
    "lengths": [7],
    "terms": [{"term": "refund", "chunks": 5, "files": 2}],
}
POOL: dict[str, Any] = {"search": REQUEST, "per_list": 5, "statistics": STATISTICS}


def search(**change: object) -> dict[str, Any]:
    return {"message": "search", "request": REQUEST, **change}


def query(**change: object) -> dict[str, Any]:
    return search(request=REQUEST | change)


def pool(**change: object) -> dict[str, Any]:
    return {"message": "pool", "request": POOL | change}


def statistics(**change: object) -> dict[str, Any]:
    return pool(statistics=STATISTICS | change)


def slate(**change: object) -> dict[str, Any]:
    return {"message": "slate", "request": {"search": REQUEST} | change}


def session(**change: object) -> dict[str, Any]:
    return slate(session=change)


def symbol(**change: object) -> dict[str, Any]:
    return {"message": "symbol", "request": {"name": "refund"} | change}


def references(**change: object) -> dict[str, Any]:
    return {"message": "references", "request": {"name": "refund"} | change}


def expand(**change: object) -> dict[str, Any]:
    return {"message": "expand", "request": {"target": "a.py:3"} | change}


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(message=MESSAGES, request_id=REQUEST_IDS)
def test_messages_come_back_equal(message: Message, request_id: str) -> None:
    """What a client means is what a daemon does."""
    body = stable_json.loads(stable_json.dumps(message_json(request_id, message)))

    envelope = parse_message(body)

    assert envelope.message == message
    assert envelope.request_id == request_id == request_id_of(body)
    assert envelope.name == message_name(message) == body["message"]


@pytest.mark.parametrize("kind", KINDS.values())
def test_every_figure_and_text_of_a_message_has_bounds(kind: type[Message]) -> None:
    """One without could be as large as a message; what reads it is not even made."""
    assert len(reading.rule_of(kind).fields) == len(fields(kind))


def test_every_kind_of_message_has_a_name_and_a_query_its_bound() -> None:
    assert set(KINDS) == NAMES

    message = parse_message(query(query="ü" * 32_768)).message

    assert isinstance(message, Search)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "describe"}, Describe(0)),
        ({"message": "encode", "request": {"text": ""}}, Fetch(EncodeRequest("", 0))),
        ({"message": "health"}, Health(deep=False)),
        ({"message": "sync"}, Sync(wait=True, allow_degraded=False, fresh=False, timeout_ms=0)),
        ({"message": "gc"}, Gc(force=False)),
        ({"message": "shutdown"}, Shutdown("")),
        ({"message": "search", "request": REQUEST}, Search(SearchRequest("refund"))),
        (
            {"message": "search", "request": REQUEST, "render": {}, "claim": {"root": "/a"}},
            Search(SearchRequest("refund"), render=ViewOptions(), claim=Claim("/a")),
        ),
        (
            {"message": "pool", "request": {"search": REQUEST, "per_list": 5}},
            Fetch(PoolRequest(SearchRequest("refund"), 5)),
        ),
        ({"message": "cancel", "target": "sync"}, Cancel("sync")),
        (
            {"message": "search", "request": REQUEST, "waited_ms": 700},
            Search(SearchRequest("refund"), waited_ms=700),
        ),
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
    envelope = parse_message({**body, "of_a_newer_build": [1]})

    assert envelope.message == message
    assert envelope.request_id == ""


def test_budgets_and_environment_are_objects_on_the_wire_and_mappings_within() -> None:
    """Equal beliefs must be equal values, in whatever order they were said."""
    body = {
        "message": "search",
        "request": REQUEST,
        "budgets": {"b": 2, "a": 1},
        "claim": {"root": "/r", "environ": {"GGREP_B": "2", "GGREP_A": "1"}, "build": "x"},
    }

    message = parse_message(body).message

    assert isinstance(message, Search)
    assert message.budgets == {"a": 1, "b": 2}
    assert message.claim == Claim("/r", {"GGREP_A": "1", "GGREP_B": "2"}, "x")
    assert message_json("", message)["budgets"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    "request_id", ["", "a b", "x" * 65, 5, None, [], "ü", "a\n", "\ud800", "sync"]
)
def test_a_bad_request_id_is_refused_and_not_echoed(request_id: object) -> None:
    """It would come back in the answer, in the log and in metrics; `sync` names the sync."""
    body = {"message": "ping", "request_id": request_id}

    assert request_id_of(body) == ""
    with pytest.raises(InvalidRequest, match="request_id"):
        parse_message(body)


def test_a_bad_message_with_a_good_id_can_be_answered_and_no_text_is_not_sent() -> None:
    body = {"message": "nonsense", "request_id": "r:1"}

    with pytest.raises(InvalidRequest, match="'nonsense'"):
        parse_message(body)
    assert request_id_of(body) == "r:1"

    with pytest.raises(InvalidRequest, match="surrogate"):
        message_json("", Search(SearchRequest("a", scope="b\udcff")))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "message: missing"),
        ({"message": None}, "message"),
        ({"message": "x" * 100_000}, "message"),
        ({"message": "hello"}, "message"),
        ({"message": "search"}, "request: missing"),
        (query(query=None), r"request\.query"),
        (
            query(query="x" * 65_537),
            r"request\.query: 65537 bytes are more than the maximum of 65536",
        ),
        (query(query="\ud800"), r"request\.query: contains a lone surrogate"),
        (query(limit=-1), r"request\.limit: .* found -1"),
        (query(limit=2**63), r"request\.limit"),
        (query(per_file=True), r"request\.per_file"),
        (query(timeout_ms=3_600_001), r"request\.timeout_ms: .* found 3600001"),
        (query(scope="x" * 65_537), r"request\.scope"),
        (query(corpora=["code"] * 17), r"request\.corpora"),
        (query(filters=[{"key": "lang", "value": "x" * 5000}]), r"request\.filters\[0\]\.value"),
        (query(filters=[{"key": "x" * 65, "value": ""}]), r"request\.filters\[0\]\.key"),
        (query(filters=[{"key": "", "value": ""}] * 257), r"request\.filters"),
        (search(priority="urgent"), "priority: .* found 'urgent'"),
        (search(priority=[]), "priority"),
        (search(budgets=[]), "budgets"),
        (search(budgets={"Max Hits": 1}), "budgets: 'Max Hits' is not a valid name"),
        (search(budgets={"max_hits": -1}), r"budgets\.max_hits: .* found -1"),
        (search(budgets={f"b{n}": 1 for n in range(65)}), "budgets"),
        (search(render=True), "render"),
        (search(render={"json": 1}), r"render\.json: .* found 1"),
        (search(render={"columns": -1}), r"render\.columns"),
        (search(render={"cwd": "here"}), r"render\.cwd: .* found 'here'"),
        (search(render={"cwd": "/a\0"}), r"render\.cwd"),
        (search(claim={}), r"claim\.root: missing"),
        (search(claim={"root": ""}), r"claim\.root"),
        (search(claim={"root": "/a", "environ": [["A", "b"]]}), r"claim\.environ"),
        (search(claim={"root": "/a", "environ": {"A B": "c"}}), r"claim\.environ: 'A B'"),
        (search(claim={"root": "/a", "environ": {"A": 1}}), r"claim\.environ\.A: .* found 1"),
        (search(claim={"root": "/a", "build": "\n"}), r"claim\.build"),
        (pool(per_list=0), r"request\.per_list: .* found 0"),
        (pool(per_list=10_001), r"request\.per_list"),
        (pool(snapshot_id="yesterday"), "invalid snapshot id: 'yesterday'"),
        (pool(snapshot_id="x" * 100_000), r"request\.snapshot_id"),
        (
            pool(vector={"values": [128], "scale": 1.0}),
            r"request\.vector\.values\[0\]: .* found 128",
        ),
        (pool(vector={"values": [1] * 4097, "scale": 1.0}), r"request\.vector\.values"),
        (pool(vector={"values": [1], "scale": -1.0}), r"request\.vector\.scale: .* found -1.0"),
        (pool(vector={"values": [1], "scale": 1e300}), r"request\.vector\.scale"),
        (statistics(chunks=-1), r"statistics\.chunks: .* found -1"),
        (statistics(chunks=2**60), r"statistics\.chunks"),
        (statistics(chunks=4), r"statistics\.terms\[0\]\.chunks: .* found 5"),
        (statistics(files=1), r"statistics\.terms\[0\]\.files: .* found 2"),
        (statistics(lengths=[-1]), r"statistics\.lengths\[0\]"),
        (statistics(lengths=[1] * 65), r"statistics\.lengths"),
        (
            statistics(terms=[{}] * 1025),
            r"statistics\.terms: 1025 items are more than the maximum of 1024",
        ),
        (statistics(layout="x" * 129), r"statistics\.layout"),
        ({"message": "encode", "request": {}}, "request.text: missing"),
        ({"message": "encode", "request": {"text": "x" * 65_537}}, "request.text"),
        ({"message": "encode", "request": {"text": "\udfff"}}, "request.text"),
        ({"message": "describe", "timeout_ms": -1}, "timeout_ms: .* found -1"),
        ({"message": "describe", "timeout_ms": 1.5}, "timeout_ms: .* found 1.5"),
        ({"message": "sync", "wait": "yes"}, "wait: .* found 'yes'"),
        ({"message": "sync", "fresh": None}, "fresh: .* found null"),
        ({"message": "cancel"}, "target: missing"),
        ({"message": "cancel", "target": "a b"}, "target"),
        ({"message": "cancel", "target": ""}, "target"),
        ({"message": "gc", "force": 1}, "force"),
        ({"message": "health", "deep": []}, "deep: .* found an array of 0 items"),
        ({"message": "shutdown", "reason": "x" * 257}, "reason"),
        ({"message": "shutdown", "reason": {}}, "reason: .* found an object"),
        ({"message": "slate"}, "request: missing"),
        (slate(search=None), r"request\.search"),
        (slate(level=4), r"request\.level: .* found 4"),
        (slate(level=-1), r"request\.level: .* found -1"),
        (slate(level=True), r"request\.level"),
        (slate(budgets={"files": -1}), r"request\.budgets\.files: .* found -1"),
        (slate(budgets={"total_bytes": 2**51}), r"request\.budgets\.total_bytes"),
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
def test_what_is_wrong_is_named_with_its_value(body: dict[str, Any], message: str) -> None:
    """Whoever wrote the client finds the place from the answer alone."""
    with pytest.raises(InvalidRequest, match=message) as caught:
        parse_message(body)

    assert len(str(caught.value)) < 500


def test_a_message_says_for_whom_it_asks() -> None:
    """An HTTP server is many to a daemon; what is not said is the client itself."""
    assert parse_message(message_json("1", Ping(), "7")).caller == "7"
    assert parse_message(message_json("1", Ping())).caller == ""
    for wrong in ("x" * 65, 7, "a\n"):
        with pytest.raises(InvalidRequest, match="caller"):
            parse_message({"message": "ping", "caller": wrong})


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
