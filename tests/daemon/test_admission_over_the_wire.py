"""Who asks too much is told so at once; who may ask is not kept waiting by others."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import Busy
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Ping, Search, Sync, message_json
from ggrep.search.engine.engine import Engine
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.repos import write_tree


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have daemons open nothing before they are asked, so that handles are the searches' alone."""
    monkeypatch.setattr(Engine, "warm", lambda _: None)


def asked(query: str = "settle", **changes: Any) -> Search:
    return Search(SearchRequest(query), **changes)


def depth(host: Served) -> tuple[int, int]:
    result = host.call(host.daemon.admission.statistics)
    return result.in_flight, result.queue_depth


def limited(**limits: int) -> dict[str, object]:
    return {**FLAGS, **limits}


def test_a_full_queue_is_busy_at_once(indexed: Path, home: Path, held: HeldSearches) -> None:
    """One at work and one that waits are all; the third must not hang."""
    flags = limited(max_concurrent_queries=1, max_query_queue_depth=1)
    with (
        served(indexed, home, flags=flags) as host,
        host.wire("a") as a,
        host.wire("b") as b,
        host.wire("c") as c,
    ):
        a.send_message("1", asked())
        host.eventually(lambda: depth(host) == (1, 0))
        b.send_message("2", asked())
        host.eventually(lambda: depth(host) == (1, 1))
        c.send_message("3", asked())
        refused = c.next()
        held.gate.set()
        answers = [a.next(), b.next()]

    assert refused["error"]["code"] == "busy"
    assert refused["error"]["retry_after_ms"] > 0
    assert refused["request_id"] == refused["error"]["request_id"] == "3"
    assert all("response" in answer for answer in answers)


def test_shells_of_one_session_all_answer(indexed: Path, home: Path, held: HeldSearches) -> None:
    """Twelve commands at once count as one client, and the queue has room for them."""
    with served(indexed, home) as host, ExitStack() as opened:
        shells = [opened.enter_context(host.wire("cli-7")) for _ in range(12)]
        for number, shell in enumerate(shells):
            shell.send_message(str(number), asked())
        host.eventually(lambda: depth(host) == (4, 8))
        held.gate.set()
        answers = [shell.next() for shell in shells]

        assert all("response" in answer for answer in answers)
        host.eventually(lambda: depth(host) == (0, 0))


@pytest.mark.parametrize("by", ["priority", "kind"])
def test_batch_gives_way_to_people(indexed: Path, home: Path, held: HeldSearches, by: str) -> None:
    """A nightly job that was there first is overtaken, but it has its turns."""
    kind = {"client_kind": "batch"} if by == "kind" else {}
    urgency = {"priority": "batch"} if by == "priority" else {}
    with served(indexed, home, cores=1) as host:

        def waiting() -> int:
            return host.daemon.shared.cpu.permits.waiting

        with (
            host.wire("running") as running,
            host.wire("night", **kind) as night,
            host.wire("person") as person,
        ):
            running.send_message("0", asked("first"))
            host.eventually(lambda: held.begun)
            for wire, name, more in ((night, "night", urgency), (person, "person", {})):
                already = waiting()
                for number in range(3):
                    wire.send_message(f"{number}", asked(f"{name} {number}", **more))
                host.eventually(lambda already=already: waiting() == already + 3)
            held.gate.set()
            for _ in range(3):
                assert "response" in night.next()

    mine = ["night 0", "person 0", "person 1", "person 2", "night 1", "night 2"]
    assert held.begun == ["first", *mine]


def test_a_sync_publishes_beside_searches(indexed: Path, home: Path, held: HeldSearches) -> None:
    """A busy repository stays up to date, and an operator can look at its daemon."""
    flags = limited(max_concurrent_queries=1, max_query_queue_depth=1)
    with served(indexed, home, flags=flags, cores=1) as host:
        host.settled()
        with host.wire("a") as a, host.wire("b") as b:
            a.send_message("1", asked())
            b.send_message("2", asked())
            host.eventually(lambda: depth(host) == (1, 1))
            assert host.ask(Ping()).name == "ping"
            write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
            report = host.ask(Sync()).body["report"]

    assert report["published"]


def test_a_search_sees_one_snapshot(indexed: Path, home: Path, held: HeldSearches) -> None:
    with served(indexed, home) as host:
        host.settled()
        before = host.daemon.engine().view().manifest.snapshot_id
        with host.wire("a") as a:
            a.send_message("1", asked())
            host.eventually(lambda: held.begun)
            write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
            report = host.ask(Sync()).body["report"]
            held.gate.set()
            response = a.next()["response"]

    assert report["published"]
    assert response["snapshot_id"] == before != report["snapshot_id"]
    assert "src/new.py" not in [hit["path"] for hit in response["results"]]


def test_too_few_handles_is_busy(indexed: Path, home: Path, held: HeldSearches, cold: None) -> None:
    """One file descriptor too many would break everything that the process does."""
    with served(indexed, home, handles=1) as host, host.wire("a") as a:
        a.send_message("1", asked())
        host.eventually(lambda: held.begun)
        with pytest.raises(Busy, match="handles"):
            host.ask(asked(), client_id="b")
        assert host.daemon.load().handles.segments_open == 1
        held.gate.set()
        assert "response" in a.next()
        host.eventually(lambda: host.daemon.load().handles.segments_open == 0)


def test_all_connections_share_one_engine(indexed: Path, home: Path) -> None:
    """One engine serves all connections: its view is opened once."""
    opened: list[Engine] = []
    with served(indexed, home) as host:
        for name in ("a", "b", "c"):
            host.ask(asked(), client_id=name)
            opened.append(host.daemon.engine())

    assert len({id(engine) for engine in opened}) == 1


def test_callers_of_a_connection_take_turns(indexed: Path, home: Path, held: HeldSearches) -> None:
    """An HTTP server asks for many: one of them at its bound keeps no other waiting."""
    flags = limited(max_concurrent_queries=3, max_queries_per_client=2, max_query_queue_depth=2)
    with served(indexed, home, flags=flags, cores=4) as host, host.wire("api-1") as server:
        for number in ("1", "2"):
            server.send(message_json(number, asked(), "0"))
        host.eventually(lambda: depth(host) == (2, 0) and len(held.begun) == 2)
        server.send(message_json("3", asked(), "0"))
        host.eventually(lambda: depth(host) == (2, 1))
        server.send(message_json("4", asked("modest"), "1"))
        host.eventually(lambda: len(held.begun) == 3)
        server.send(message_json("5", asked(), "0"))
        refused = server.next()["error"]
        held.gate.set()
        answers = [server.next() for _ in range(4)]

    assert held.begun[2] == "modest"
    assert refused["request_id"] == "5"
    assert "api-1/0" in refused["message"]
    assert all("response" in answer for answer in answers)
