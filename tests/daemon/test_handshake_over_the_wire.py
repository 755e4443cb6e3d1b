"""The first exchange decides whether a connection is of any use."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.protocol.wire.handshake import hello_json
from ggrep.protocol.wire.messages import Ping
from tests.fakes.hosts import BUILD, Served
from tests.fakes.wires import Wire

SCHEMAS = Path(__file__).parents[2] / "ggrep" / "model" / "schemas"


@pytest.fixture
def host(lasting_host: Served) -> Served:
    """Return a daemon that serves the small tree, and the tests before and after."""
    return lasting_host


def hello(host: Served, **changes: Any) -> dict[str, Any]:
    """Return what a client says first; None leaves a field out."""
    said: dict[str, Any] = hello_json(host.address.hello) | changes
    return {key: value for key, value in said.items() if value is not None}


def answered(host: Served, said: Any) -> tuple[dict[str, Any], bool]:
    """Return the answer to a first message, and whether the connection ended with it."""
    with Wire(host.address.socket) as wire:
        wire.send(said)
        answer = wire.next()
        if "error" in answer:
            return answer["error"], wire.ends()
        wire.send_message("1", Ping())
        return answer, "error" in wire.next()


def test_the_answer_says_all_that_the_contract_names(host: Served) -> None:
    """Clients of other builds decide by it whether to go on."""
    schema = stable_json.loads((SCHEMAS / "handshake_response.schema.json").read_bytes())

    answer, ended = answered(host, hello(host))

    assert not ended
    jsonschema_rs.validator_for(schema).validate(answer)
    assert answer["store_id"] == host.address.hello.store_id
    assert answer["config_fingerprint"] == host.address.hello.config_fingerprint
    assert (answer["pid"], answer["stale"], answer["build"]) == (4242, False, BUILD)


@pytest.mark.parametrize(
    "changes",
    [
        {"message": "hello"},
        {"message": None},
        {"protocol_versions": [7, 1, 0]},
        {"protocol_versions": None, "protocol_version": 1},
    ],
)
def test_the_highest_common_version_is_spoken(host: Served, changes: dict[str, Any]) -> None:
    """In whatever order the client lists what it can, named or not."""
    answer, _ = answered(host, hello(host, **changes))

    assert answer["protocol_version"] == 1
    assert answer["protocol_versions"] == [1]


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (("store_id",), "invalid_request", "store_id mismatch"),
        (("config_fingerprint",), "invalid_request", "config_fingerprint mismatch"),
        (("protocol_versions",), "incompatible", ""),
        (("config_fingerprint", "protocol_versions"), "invalid_request", "config_fingerprint"),
        (("store_id", "config_fingerprint", "protocol_versions"), "invalid_request", "store_id"),
    ],
)
def test_another_store_configuration_or_version_is_refused(
    host: Served, wrong: tuple[str, ...], code: str, message: str
) -> None:
    """The first thing that is wrong is what the client is told."""
    changes = {name: [2, 3] if name == "protocol_versions" else "f" * 64 for name in wrong}
    error, ended = answered(host, hello(host, **changes))

    assert (error["code"], ended) == (code, True)
    assert message in error["message"]


@pytest.mark.parametrize(
    "said",
    [
        {"message": "ping", "request_id": "1"},
        {"message": "shutdown", "store_id": "x"},
        {"protocol_versions": [1]},
        [1, 2],
        "hello",
    ],
)
def test_whatever_else_comes_first_is_refused_and_the_connection_closed(
    host: Served, said: Any
) -> None:
    """A request must not be served to somebody who may mean another store."""
    error, ended = answered(host, said)

    assert (error["code"], ended) == ("invalid_request", True)
    assert not host.daemon.stopping


def test_a_second_hello_is_answered_like_the_first(host: Served) -> None:
    """A client may rename itself."""
    with Wire.greeted(host.address.socket, host.address.hello) as wire:
        wire.send(hello(host, client_id="other"))
        again = wire.next()
        wire.send_message("1", Ping())

        assert again["protocol_version"] == 1
        assert wire.next()["request_id"] == "1"


def test_a_second_hello_that_means_another_store_ends_the_connection(host: Served) -> None:
    """What follows is meant for that store, and must not be answered from this one."""
    with Wire.greeted(host.address.socket, host.address.hello) as wire:
        wire.send(hello(host, store_id="f" * 64))
        error = wire.next()["error"]

        assert error["code"] == "invalid_request"
        assert wire.ends()


@pytest.mark.parametrize("part", [b"", b"\0\0\0\x80{"])
def test_a_client_without_a_whole_hello_is_let_go(
    host: Served, monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    """However the bytes are dealt out, the time for the first message is one."""
    monkeypatch.setattr("ggrep.daemon.session.HANDSHAKE_S", 0.05)
    with Wire(host.address.socket) as wire:
        wire.send_bytes(part)
        assert wire.ends()
