"""The first exchange and the answers over the socket are what the contract says, to the byte."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.handshake import hello_json
from ggrep.protocol.wire.messages import Ping, Search
from tests.fakes.hosts import BUILD, Served, served
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.wires import Wire

SCHEMAS = Path(__file__).parents[2] / "ggrep" / "model" / "schemas"


@pytest.fixture
def host(lasting_host: Served) -> Served:
    """Return a daemon that serves the small tree, and the tests before and after."""
    return lasting_host


def hello(host: Served, **changes: Any) -> dict[str, Any]:
    output: dict[str, Any] = hello_json(host.address.hello) | changes
    return {key: value for key, value in output.items() if value is not None}


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
    "output",
    [
        {"message": "ping", "request_id": "1"},
        {"message": "shutdown", "store_id": "x"},
        {"protocol_versions": [1]},
        [1, 2],
        "hello",
    ],
)
def test_another_first_message_closes_the_connection(host: Served, output: Any) -> None:
    """A request must not be served to somebody who may mean another store."""
    error, ended = answered(host, output)

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
    with Wire.greeted(host.address.socket, host.address.hello) as wire:
        wire.send(hello(host, store_id="f" * 64))
        error = wire.next()["error"]

        assert error["code"] == "invalid_request"
        assert wire.ends()


@pytest.mark.parametrize("part", [b"", b"\0\0\0\x80{"])
def test_a_partial_hello_ends(host: Served, monkeypatch: pytest.MonkeyPatch, part: bytes) -> None:
    monkeypatch.setattr("ggrep.daemon.session.HANDSHAKE_S", 0.05)
    with Wire(host.address.socket) as wire:
        wire.send_bytes(part)
        assert wire.ends()


def ask(host: Served, body: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a search as it came."""
    with Wire.greeted(host.address.socket, host.address.hello) as wire:
        wire.send({"message": "search", "request_id": "1"} | body)
        return wire.next()


def root_of(host: Served) -> Path:
    return host.daemon.identity.root


def paths(reply: dict[str, Any]) -> list[str]:
    return sorted(hit["path"] for hit in reply["response"]["results"])


def test_two_answers_to_one_question_are_the_same_bytes(host: Served) -> None:
    """In deterministic mode; whoever compares runs relies on it."""
    request = {"query": "settled", "deterministic": True, "explain": True}
    first, second = (ask(host, {"request": request}) for _ in range(2))

    assert stable_json.dumps(first) == stable_json.dumps(second)
    assert set(first["response"].get("timings_ms", {}).values()) <= {0}


@pytest.mark.parametrize(
    ("below", "files"),
    [
        ("/src", ["src/pay.py"]),
        ("/src/", ["src/pay.py"]),
        ("/src/pay.py", ["src/pay.py"]),
        ("", ["docs/pay.md", "src/pay.py", "src2/pay.py"]),
    ],
)
def test_a_path_narrows_the_answer(host: Served, below: str, files: list[str]) -> None:
    """To the root, a directory or a file, never to one whose name begins alike."""
    reply = ask(host, {"request": {"query": "settled"}, "path": f"{root_of(host)}{below}"})

    assert paths(reply) == files


@pytest.mark.parametrize("path", ["/etc", "/", "{root}/../other", "{root}2", "src", 7, ["/"]])
def test_a_path_that_is_not_below_the_root_is_refused(host: Served, path: object) -> None:
    """An empty answer would say that nothing is there."""
    named = path.format(root=root_of(host)) if isinstance(path, str) else path
    reply = ask(host, {"request": {"query": "settled"}, "path": named})

    assert reply["error"]["code"] == "invalid_request"


def test_what_is_cut_is_said(host: Served) -> None:
    """In the order of the codes, each once."""
    reply = ask(host, {"request": {"query": "settled"}, "budgets": {"max_query_results": 1}})
    codes = [limit["code"] for limit in reply["response"]["limits_hit"]]

    assert len(reply["response"]["results"]) == 1
    assert codes == sorted(set(codes))
    assert "max_query_results" in codes


def test_control_characters_of_a_file_do_not_reach_a_terminal(root: Path, home: Path) -> None:
    """A repository comes from strangers."""
    write_tree(root, {"a.py": b"def settle():\n    return '\x1b]0;owned\x07'\n"})
    with served(root, home) as host:
        reply = ask(host, {"request": {"query": "settle"}, "render": {"columns": 80}})

    assert reply["rendered"]["exit_status"] == 0
    assert "settle" in reply["rendered"]["out"]
    assert not {"\x1b", "\x07"} & set(reply["rendered"]["out"])


@pytest.mark.parametrize("json", [True, False])
def test_a_failure_is_printed_where_print_was_asked_for(host: Served, json: bool) -> None:
    """With the status that a command line ends with."""
    reply = ask(host, {"request": {"query": ""}, "render": {"json": json}})
    rendered = reply["error"]["rendered"]

    assert rendered["exit_status"] == 2
    assert "query" in rendered["out"] + rendered["err"]


def test_explanations_say_how_a_search_came_in(host: Served) -> None:
    """Whether it waited, and how many others there were."""
    reply = ask(host, {"request": {"query": "settled", "explain": True}})

    assert "admission" in stable_json.dumps(reply["response"]["explain"]).decode()
    assert "vector" not in reply["response"]["results"][0]


def test_the_order_of_replies_is_free_but_each_is_whole(host: Served) -> None:
    """Many at once on one connection."""
    queries = ["settled", "settle", "invoices", "how"]
    with Wire.greeted(host.address.socket, host.address.hello) as wire:
        for query in queries:
            wire.send_message(query, Search(SearchRequest(query)))
        replies = {reply["request_id"]: reply for reply in (wire.next() for _ in queries)}

    assert set(replies) == set(queries)
    assert all(reply["response"]["request_id"] == name for name, reply in replies.items())


def test_a_snapshot_of_another_process_is_answered_from(indexed: Path, home: Path) -> None:
    """The command line may index without the daemon."""
    with served(indexed, home) as host:
        host.settled()
        write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
        report = open_engine(indexed, home).sync()
        reply = ask(host, {"request": {"query": "settle_anew"}})

    assert reply["response"]["snapshot_id"] == report.snapshot_id
    assert "src/new.py" in paths(reply)
