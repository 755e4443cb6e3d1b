"""Over the socket a daemon says what the contract says, and serves on whatever bytes come."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.protocol.wire.frames import frame
from ggrep.protocol.wire.handshake import hello_json
from ggrep.protocol.wire.messages import Ping
from tests.fakes.hosts import BUILD, FLAGS, Served, served
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
    ("changes", "code", "message"),
    [
        ({"store_id": "f" * 64, "protocol_versions": [2]}, "invalid_request", "store_id mismatch"),
        ({"protocol_versions": [2, 3]}, "incompatible", ""),
    ],
)
def test_another_store_configuration_or_version_is_refused(
    host: Served, changes: dict[str, Any], code: str, message: str
) -> None:
    """The first thing that is wrong is what the client is told."""
    error, ended = answered(host, hello(host, **changes))

    assert (error["code"], ended) == (code, True)
    assert message in error["message"]


@pytest.mark.parametrize("output", [{"message": "shutdown", "store_id": "x"}, [1, 2]])
def test_another_first_message_closes_the_connection(host: Served, output: Any) -> None:
    """A request must not be served to somebody who may mean another store."""
    error, ended = answered(host, output)

    assert (error["code"], ended) == ("invalid_request", True)
    assert not host.daemon.stopping


def test_a_second_hello_is_answered_like_the_first(host: Served) -> None:
    """A client may rename itself."""
    with host.wire() as wire:
        wire.send(hello(host, client_id="other"))
        again = wire.next()
        wire.send_message("1", Ping())

        assert again["protocol_version"] == 1
        assert wire.next()["request_id"] == "1"


def test_a_second_hello_that_means_another_store_ends_the_connection(host: Served) -> None:
    with host.wire() as wire:
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
    with host.wire() as wire:
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


def test_a_snapshot_of_another_process_is_answered_from(indexed: Path, home: Path) -> None:
    """The command line may index without the daemon."""
    with served(indexed, home) as host:
        host.settled()
        write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
        report = open_engine(indexed, home).sync()
        reply = ask(host, {"request": {"query": "settle_anew"}})

    assert reply["response"]["snapshot_id"] == report.snapshot_id
    assert "src/new.py" in paths(reply)


@pytest.fixture
def wire(host: Served) -> Iterator[Wire]:
    """Return a connection to it that has introduced itself."""
    with host.wire() as result:
        yield result


def is_served(host: Served) -> bool:
    return host.ask(Ping()).name == "ping"


@pytest.mark.parametrize(
    ("size", "named"),
    [(b"\x00\x10\x00\x01", "1048576"), (bytes(4), "")],
)
def test_a_bad_frame_length_is_refused(host: Served, wire: Wire, size: bytes, named: str) -> None:
    """Not a byte of it has to come, and where the next frame begins is unknown."""
    wire.send_bytes(size)
    error = wire.next()["error"]

    assert error["code"] == "invalid_request"
    assert named in error["message"]
    assert wire.ends()
    assert is_served(host)


def test_the_bound_of_a_request_is_a_setting(indexed: Path, home: Path) -> None:
    """An operator may want it narrower."""
    with (
        served(indexed, home, flags={**FLAGS, "max_request_bytes": 4096}) as host,
        host.wire() as wire,
    ):
        wire.send_bytes((4097).to_bytes(4, "big"))

        assert "4096" in wire.next()["error"]["message"]


def test_what_came_whole_before_a_bad_length_is_answered(wire: Wire) -> None:
    whole = frame(b'{"message":"ping","request_id":"good"}', cap_bytes=100)
    wire.send_bytes(whole + b"\xff\xff\xff\xff")
    reports = [wire.next(), wire.next()]

    assert {"good"} == {reply["request_id"] for reply in reports if "error" not in reply}
    assert wire.ends()


def test_what_is_no_object_is_refused_and_the_connection_lives(wire: Wire) -> None:
    """Frames tell where the next one begins, whatever is in this one."""
    wire.send_payload(b"{")
    error = wire.next()["error"]
    wire.send_message("after", Ping())

    assert error["code"] == "invalid_request"
    assert wire.next()["request_id"] == "after"


@pytest.mark.parametrize(
    "body",
    [
        {"message": "launch"},
        {"message": "search", "request": {"query": "a", "mode": "odd"}},
        {"message": "search", "request": {"query": ""}},
        {"message": "search", "request": {"query": "a", "scope": "../.."}},
        {"message": "search", "request": {"query": "a", "scope": "/etc"}},
        {"message": "search", "request": {"query": "a"}, "budgets": {"nonsense": 1}},
    ],
)
def test_a_bad_message_is_refused_by_its_id(host: Served, wire: Wire, body: dict[str, Any]) -> None:
    """The client may have a hundred others on their way."""
    wire.send(body | {"request_id": "odd-one"})
    reply = wire.next()

    assert reply["request_id"] == "odd-one"
    assert reply["error"]["code"] == "invalid_request"
    assert is_served(host)


def test_an_id_that_is_none_is_refused(wire: Wire) -> None:
    wire.send({"message": "ping", "request_id": "a b"})
    reply = wire.next()

    assert reply["error"]["code"] == "invalid_request"
    assert "request_id" not in reply


def test_who_sends_no_id_gets_one_of_his_own_each_time(wire: Wire) -> None:
    """Logs name requests by it."""
    ids = set()
    for _ in range(3):
        wire.send({"message": "ping"})
        ids.add(wire.next()["request_id"])

    assert len(ids) == 3
    assert {len(each) for each in ids} == {26}


def test_the_daemon_names_a_search_in_its_document_by_the_id_it_answers_to(wire: Wire) -> None:
    """One name for one request, wherever it is told."""
    wire.send({"message": "search", "request": {"query": "settle"}, "request_id": "mine"})
    named = wire.next()
    wire.send({"message": "search", "request": {"query": "settle"}})
    unnamed = wire.next()

    assert named["request_id"] == named["response"]["request_id"] == "mine"
    assert unnamed["request_id"] == unnamed["response"]["request_id"] != "mine"


def test_many_requests_in_one_piece_are_all_answered(wire: Wire) -> None:
    """Replies come in any order, each by its id."""
    frames = [
        frame(b'{"message":"ping","request_id":"%d"}' % number, cap_bytes=100)
        for number in range(50)
    ]
    wire.send_bytes(b"".join(frames))

    assert {wire.next()["request_id"] for _ in frames} == {str(number) for number in range(50)}


@pytest.mark.parametrize("part", [b"\0", b'\0\0\0\x10{"mess'])
def test_a_frame_that_stays_unfinished_ends_the_connection_and_holds_no_place(
    host: Served, wire: Wire, part: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that drips must not keep anybody from asking."""
    monkeypatch.setattr("ggrep.daemon.session.FRAME_S", 0.05)
    wire.send_bytes(part)
    kept = host.call(host.daemon.admission.statistics)

    assert (kept.in_flight, kept.queue_depth) == (0, 0)
    assert wire.ends()
    assert is_served(host)


def test_a_silent_client_stays(host: Served, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a frame that has begun is in a hurry: an editor may ask once an hour."""
    monkeypatch.setattr("ggrep.daemon.session.FRAME_S", 0.0)
    monkeypatch.setattr("ggrep.daemon.session.HANDSHAKE_S", 0.0)
    assert is_served_by(wire, "1")
    assert is_served_by(wire, "2")


def is_served_by(wire: Wire, request_id: str) -> bool:
    wire.send_message(request_id, Ping())
    return bool(wire.next()["request_id"] == request_id)


def test_who_goes_away_within_a_frame_takes_nobody_along(host: Served) -> None:
    """Clients are killed all the time."""
    for part in (b"", b"\0\0", b"\0\0\0\x10{"):
        with Wire(host.address.socket) as wire:
            wire.send_bytes(part)

    host.eventually(lambda: host.daemon.connections == 0)
    assert is_served(host)
