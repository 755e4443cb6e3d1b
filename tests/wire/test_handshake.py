"""Client and daemon agree on who they are and how they speak, or part at once."""

from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, Incompatible, InvalidRequest
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.protocol.wire.frames import (
    DEFAULT_MAX_REQUEST_BYTES,
    DEFAULT_MAX_RESPONSE_BYTES,
    HARD_MAX_REQUEST_BYTES,
    HARD_MAX_RESPONSE_BYTES,
    NEEDED_SCHEMAS,
    PROTOCOL_VERSIONS,
)
from ggrep.protocol.wire.handshake import (
    Hello,
    Welcome,
    answer_hello,
    check_welcome,
    hello_json,
    parse_hello,
    parse_welcome,
    welcome_json,
)

HELLO = Hello((1,), "shop-1", "f" * 64, "agent-123", "batch", ("json", "explain"), "b1")
OFFER = Welcome(
    protocol_version=1,
    protocol_versions=PROTOCOL_VERSIONS,
    binary_version="0.1.0",
    supported_schema_versions=SCHEMA_VERSIONS,
    store_id="shop-1",
    config_fingerprint="f" * 64,
    pid=7,
    started_at="2026-01-01T12:00:00Z",
    stale=False,
    build="b1",
)
FIRST_SCHEMAS = dict.fromkeys(("query_success", "query_error", "status", "health"), (1,))
CONTRACT_REQUEST: dict[str, Any] = {
    "protocol_versions": [1],
    "store_id": "shop-1",
    "config_fingerprint": "f" * 64,
    "client_id": "agent-123",
    "client_capabilities": ["json", "explain"],
}
CONTRACT_RESPONSE: dict[str, Any] = {
    "protocol_version": 1,
    "protocol_versions": [1],
    "binary_version": "0.6.0",
    "supported_schema_versions": {name: list(found) for name, found in FIRST_SCHEMAS.items()},
    "store_id": "shop-1",
    "config_fingerprint": "f" * 64,
}
VERSIONS = st.lists(st.integers(0, 9), min_size=1, max_size=6)


def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    schema = stable_json.loads((files("ggrep") / f"model/schemas/{name}.schema.json").read_bytes())
    jsonschema_rs.meta.validate(schema)
    return jsonschema_rs.Draft202012Validator(schema)


def test_hello_and_welcome_come_back() -> None:
    assert parse_hello(hello_json(HELLO)) == HELLO
    assert parse_welcome(welcome_json(OFFER)) == OFFER

    body = without(CONTRACT_REQUEST, "protocol_versions") | {"protocol_version": 3}

    assert parse_hello(body).protocol_versions == (3,)
    validator("handshake_request").validate(body)

    assert DEFAULT_MAX_REQUEST_BYTES == 1_048_576 <= HARD_MAX_REQUEST_BYTES
    assert DEFAULT_MAX_RESPONSE_BYTES == 10_485_760 <= HARD_MAX_RESPONSE_BYTES


def test_the_contracts_examples_are_read() -> None:
    """A client of another build sends no more than these."""
    assert parse_hello(CONTRACT_REQUEST) == replace(HELLO, client_kind="interactive", build="")
    assert parse_welcome(CONTRACT_RESPONSE) == replace(
        OFFER,
        binary_version="0.6.0",
        supported_schema_versions=FIRST_SCHEMAS,
        pid=0,
        started_at="",
        build="",
    )


def test_both_fit_their_schemas() -> None:
    request, response = validator("handshake_request"), validator("handshake_response")

    request.validate(hello_json(HELLO))
    request.validate(CONTRACT_REQUEST)
    response.validate(welcome_json(OFFER))
    response.validate(CONTRACT_RESPONSE)


def without(body: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key not in keys}


@pytest.mark.parametrize(
    "body",
    [
        without(CONTRACT_REQUEST, "store_id"),
        without(CONTRACT_REQUEST, "protocol_versions"),
        CONTRACT_REQUEST | {"protocol_version": 1},
        CONTRACT_REQUEST | {"protocol_versions": []},
        CONTRACT_REQUEST | {"protocol_versions": [True]},
        CONTRACT_REQUEST | {"protocol_versions": list(range(33))},
        CONTRACT_REQUEST | {"client_id": "x" * 129},
        CONTRACT_REQUEST | {"client_kind": "idle"},
        CONTRACT_REQUEST | {"client_capabilities": [""]},
        CONTRACT_REQUEST | {"message": "search"},
    ],
)
def test_what_the_request_schema_refuses_is_refused_by_the_code(body: dict[str, Any]) -> None:
    """They must not drift apart."""
    assert not validator("handshake_request").is_valid(body)
    with pytest.raises(InvalidRequest):
        parse_hello(body)


@pytest.mark.parametrize(
    "body", [{}, {"message": "search", "request": {}}, {"message": 5}, {"message": "ping"}]
)
def test_any_other_first_message_is_told_that_the_handshake_comes_first(
    body: dict[str, Any],
) -> None:
    with pytest.raises(InvalidRequest, match="handshake"):
        parse_hello(body)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"store_id": 1}, "store_id"),
        ({"store_id": ""}, "store_id"),
        ({"config_fingerprint": None}, "config_fingerprint"),
        ({"config_fingerprint": "a\nb"}, "config_fingerprint"),
        ({"protocol_versions": {"1": 1}}, "protocol_versions"),
        ({"protocol_versions": [1.0]}, "protocol_versions"),
        ({"protocol_versions": [-1]}, "protocol_versions"),
        ({"protocol_versions": ["1"]}, "protocol_versions"),
        ({"client_id": "a\x1b[31m"}, "client_id"),
        ({"client_id": "\ud800"}, "client_id"),
        ({"client_capabilities": "json"}, "client_capabilities"),
        ({"client_capabilities": [1]}, "client_capabilities"),
        ({"build": "x" * 129}, "build"),
    ],
)
def test_a_malformed_field_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        parse_hello(CONTRACT_REQUEST | change)


@given(client=VERSIONS, daemon=VERSIONS)
def test_the_highest_common_protocol_is_chosen(client: list[int], daemon: list[int]) -> None:
    """IPC.MUST.001: in any order, with gaps and repetitions."""
    hello = replace(HELLO, protocol_versions=tuple(client))
    offer = replace(OFFER, protocol_versions=tuple(daemon))
    common = set(client) & set(daemon)

    if common:
        welcome = answer_hello(hello, offer)
        assert welcome == replace(offer, protocol_version=max(common))
        check_welcome(welcome, hello)
    else:
        with pytest.raises(Incompatible, match="protocol_versions"):
            answer_hello(hello, offer)


@pytest.mark.parametrize(
    ("store_id", "fingerprint", "versions", "kind", "message"),
    [
        ("other", "other", (9,), InvalidRequest, "store_id mismatch"),
        ("shop-1", "other", (9,), InvalidRequest, "config_fingerprint mismatch"),
        ("shop-1", "f" * 64, (9,), Incompatible, "supports 9, the daemon supports 1"),
    ],
)
def test_mismatches_are_told_in_the_contracts_order(
    store_id: str,
    fingerprint: str,
    versions: tuple[int, ...],
    kind: type[GgrepError],
    message: str,
) -> None:
    """A client that reached the wrong daemon must not hear that it is too old."""
    hello = replace(
        HELLO, store_id=store_id, config_fingerprint=fingerprint, protocol_versions=versions
    )

    with pytest.raises(kind, match=message):
        answer_hello(hello, OFFER)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"store_id": "other"}, InvalidRequest, "store_id mismatch"),
        ({"config_fingerprint": "other"}, InvalidRequest, "config_fingerprint mismatch"),
        ({"protocol_version": 2}, Incompatible, "chose 2"),
        ({"protocol_version": 2, "protocol_versions": (1, 2)}, Incompatible, "chose 2"),
        ({"supported_schema_versions": {}}, Incompatible, "version 1 of query_success"),
        *(
            ({"supported_schema_versions": {**SCHEMA_VERSIONS, name: (2,)}}, Incompatible, name)
            for name in NEEDED_SCHEMAS
        ),
    ],
)
def test_the_client_believes_nothing(
    change: dict[str, Any], kind: type[GgrepError], message: str
) -> None:
    """A daemon of another build may have checked less."""
    with pytest.raises(kind, match=message):
        check_welcome(replace(OFFER, **change), HELLO)


def test_a_client_of_two_protocols_does_not_take_the_lower_one() -> None:
    """Somebody between the two must not be able to talk them down."""
    hello = replace(HELLO, protocol_versions=(1, 2))

    with pytest.raises(Incompatible):
        check_welcome(replace(OFFER, protocol_versions=(1, 2)), hello)


@pytest.mark.parametrize("key", sorted(CONTRACT_RESPONSE))
def test_an_answer_without_a_contracts_key_is_refused(key: str) -> None:
    body = without(CONTRACT_RESPONSE, key)

    assert not validator("handshake_response").is_valid(body)
    with pytest.raises(InvalidRequest, match=key):
        parse_welcome(body)


@pytest.mark.parametrize(
    "change",
    [
        {"supported_schema_versions": []},
        {"supported_schema_versions": {"status": []}},
        {"supported_schema_versions": {"status": [True]}},
        {"pid": -1},
        {"pid": True},
        {"stale": 0},
        {"started_at": 5},
        {"binary_version": None},
    ],
)
def test_a_malformed_answer_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        parse_welcome(CONTRACT_RESPONSE | change)
