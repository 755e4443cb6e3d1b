"""A daemon is there at once, ends in order and tells everybody why."""

import errno
from pathlib import Path
from typing import Any, Self

import anyio
import pytest

from ggrep.base.errors import BudgetExceeded, NoIndex
from ggrep.daemon.daemon_tasks import MOST_CONNECTIONS
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.endpoint import parse_record, record_path
from ggrep.protocol.wire.handshake import hello_json
from ggrep.protocol.wire.messages import Ping, Search, Shutdown, Status, Sync, message_json
from tests.entry.fake_daemon import packed
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import FLAGS, served
from tests.fakes.repos import write_tree
from tests.fakes.wires import Wire


def asked(query: str = "settle", **changes: Any) -> Search:
    return Search(SearchRequest(query, **changes))


def test_the_record_beside_the_socket_says_who_listens(indexed: Path, home: Path) -> None:
    """Lists of daemons are made from it."""
    with served(indexed, home) as host:
        record = parse_record(record_path(host.address.socket).read_bytes())

    assert record is not None
    assert record.root == str(indexed)
    assert record.store_id == host.address.identity.store_id
    assert record.socket == str(host.address.socket)


def test_a_shutdown_ends_work_and_says_why(indexed: Path, home: Path, held: HeldSearches) -> None:
    """The one that asked for it is answered first; those at work hear the same reason."""
    with served(indexed, home) as host:
        with host.wire("a") as working, host.wire("b") as operator:
            working.send_message("1", asked())
            host.eventually(lambda: held.begun)
            operator.send_message("2", Shutdown("reinit"))
            reported, ended = operator.next(), working.next()["error"]

            assert reported["stopping"] is True
            assert (ended["code"], ended["reason"]) == ("cancelled", "reinit")
            assert working.ends()
            assert operator.ends()
        assert held.ended == ["cancelled"]
        host.eventually(lambda: not host.address.socket.exists())


def test_a_shutdown_ends_waiting_queries(indexed: Path, home: Path, held: HeldSearches) -> None:
    """They would wait for somebody who does not come back."""
    with (
        served(indexed, home, flags={**FLAGS, "max_concurrent_queries": 1}) as host,
        host.wire("a") as working,
        host.wire("b") as waiting,
    ):
        working.send_message("1", asked())
        host.eventually(lambda: held.begun)
        waiting.send_message("2", asked())
        host.eventually(lambda: host.call(host.daemon.admission.statistics).queue_depth == 1)
        host.ask(Shutdown("reinit"))

        assert waiting.next()["error"]["code"] == "cancelled"
        assert working.next()["error"]["code"] == "cancelled"


def test_a_shutdown_ends_those_who_wait_for_a_sync(indexed: Path, home: Path) -> None:
    """Clients learn of it at once, and the daemon does not stay for them."""
    with served(indexed, home) as host:
        host.settled()
        host.syncs.gate.clear()
        with host.wire("a") as waiting:
            waiting.send_message("1", Sync())
            host.eventually(lambda: len(host.syncs.jobs) == 2)
            host.ask(Shutdown("reinit"))
            error = waiting.next()["error"]

    assert (error["code"], error["reason"]) == ("cancelled", "reinit")


def test_a_shutdown_ends_those_who_wait_for_the_first_index(root: Path, home: Path) -> None:
    write_tree(root, {"a.py": "a = 1\n"})
    with served(root, home, gated=True) as host, host.wire("a") as waiting:
        waiting.send_message("1", Search(SearchRequest("settle", deterministic=True)))
        host.eventually(lambda: host.daemon.requests)
        host.ask(Shutdown("reinit"))

        assert waiting.next()["error"]["code"] in {"cancelled", "no_index"}


def test_an_ending_daemon_refuses_requests(indexed: Path, home: Path, held: HeldSearches) -> None:
    """The client waits for its successor then."""
    with served(indexed, home) as host, host.wire("a") as wire:
        host.call(host.daemon.cancel_all, "reinit")
        wire.send_message("1", Ping())
        error = wire.next()["error"]

    assert (error["code"], error["reason"]) == ("cancelled", "reinit")


def test_a_failed_index_is_told(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client would wait its whole minute."""

    def fail(*_: object, **__: object) -> None:
        raise BudgetExceeded("the disk is full")

    write_tree(root, {"a.py": "a = 1\n"})
    monkeypatch.setattr("ggrep.search.engine.repo_index.RepoIndex.sync", fail)
    with served(root, home) as host, pytest.raises(NoIndex, match="the disk is full"):
        host.ask(Search(SearchRequest("settle", deterministic=True)))


@pytest.mark.slow
def test_the_connection_that_was_silent_longest_gives_way(indexed: Path, home: Path) -> None:
    """A client that leaks connections must not lock the others out."""
    with served(indexed, home) as host:
        wires = [host.wire(f"c{number}") for number in range(MOST_CONNECTIONS + 44)]
        try:
            wires[-1].send_message("1", Ping())

            assert wires[-1].next()["request_id"] == "1"
            assert wires[0].ends()
            assert host.daemon.connections <= MOST_CONNECTIONS
            wires[MOST_CONNECTIONS].send_message("2", Ping())
            assert wires[MOST_CONNECTIONS].next()["request_id"] == "2"
        finally:
            for wire in wires:
                wire.close()
        host.eventually(lambda: host.daemon.connections == 0)


def test_whose_request_is_at_work_keeps_his_connection(
    indexed: Path, home: Path, held: HeldSearches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggrep.daemon.daemon_tasks.MOST_CONNECTIONS", 2)
    with served(indexed, home) as host, host.wire("a") as working, host.wire("b") as silent:
        working.send_message("1", asked())
        host.eventually(lambda: held.begun)
        with host.wire("c") as fresh:
            assert silent.ends()
            held.gate.set()
            assert "response" in working.next()
            fresh.send_message("2", Ping())
            assert fresh.next()["request_id"] == "2"


def test_one_connection_has_a_bound_of_requests_at_work(
    indexed: Path, home: Path, held: HeldSearches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else memory is what one client decides about."""
    monkeypatch.setattr("ggrep.daemon.session.MOST_AT_WORK", 1)
    with served(indexed, home) as host, host.wire() as wire:
        wire.send_message("1", asked())
        host.eventually(lambda: held.begun)
        wire.send_message("2", Ping())
        error = wire.next()["error"]

        assert (error["code"], error["request_id"]) == ("busy", "2")
        assert error["retry_after_ms"] > 0


def test_an_answer_that_is_too_large_is_refused_with_the_way_out(root: Path, home: Path) -> None:
    """The client would have cut the connection at its own bound."""
    body = "".join(f"    settle_line_{number} = {number}\n" for number in range(700))
    write_tree(root, {f"a{n}.py": f"def settle_{n}():\n{body}" for n in range(8)})
    wanted = {"limit": 100, "per_file": 50, "snippet": "full", "keep_weak": True}
    with (
        served(root, home, flags={**FLAGS, "max_response_bytes": 65_536}) as host,
        host.wire() as wire,
    ):
        request = {"query": "settle_line", **wanted}
        wire.send({"message": "search", "request_id": "1", "request": request})
        reply = wire.next()
        wire.send_message("2", Ping())

        assert reply["error"]["code"] == "budget_exceeded"
        assert reply["request_id"] == "1"
        assert "max_response_bytes" in reply["error"]["message"]
        assert wire.next()["request_id"] == "2"


def test_a_deaf_client_is_closed(
    indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is let go; its neighbours are served."""
    monkeypatch.setattr("ggrep.daemon.session.SEND_S", 0.05)
    with served(indexed, home) as host, host.wire("deaf") as deaf:
        for number in range(60):
            deaf.send_message(f"{number}", Status())
        for number in range(2_000):
            if host.daemon.connections == 0:
                break
            deaf.send_message(f"p{number}", Ping())

        assert host.ask(Ping()).name == "ping"


@pytest.mark.slow
def test_a_store_that_nobody_asks_for_is_closed_and_opened_again(indexed: Path, home: Path) -> None:
    """Memory goes back; the next search pays for the opening."""
    with served(indexed, home, flags={**FLAGS, "store_idle_secs": 1}) as host:
        host.ask(asked())
        first = host.daemon.engine()
        host.eventually(lambda: host.daemon._engine is None)

        assert "response" in host.ask(asked()).body
        assert host.daemon.engine() is not first


@pytest.mark.parametrize("suffix", [".sock", ".lock"])
def test_a_daemon_that_nobody_can_find_any_more_ends(
    indexed: Path, home: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fakes.hosts.POLL_S", 0.01)
    with served(indexed, home) as host:
        host.address.socket.with_suffix(suffix).unlink()
        host.eventually(lambda: host.daemon.stopping)

        assert host.daemon.stopping == "its socket was removed"


def test_a_record_is_rewritten(indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon can be asked; only lists would miss it."""
    monkeypatch.setattr("tests.fakes.hosts.POLL_S", 0.01)
    with served(indexed, home) as host:
        record = record_path(host.address.socket)
        record.unlink()
        host.eventually(record.exists)

        assert host.ask(Ping()).name == "ping"


@pytest.mark.parametrize("removed", ["its root", "ggrep"])
def test_a_daemon_ends_some_time_after_its_root_or_ggrep_was_removed(
    indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch, removed: str
) -> None:
    """A checkout may take its root away for a moment; a deleted repository stays away."""
    monkeypatch.setattr("tests.fakes.hosts.POLL_S", 0.01)

    def unreadable() -> str:
        raise FileNotFoundError

    with served(indexed, home) as host:
        if removed == "ggrep":
            monkeypatch.setattr("ggrep.daemon.daemon_tasks.build_id", unreadable)
        else:
            indexed.rename(indexed.with_name("moved"))
        assert "response" in host.ask(asked()).body
        monkeypatch.setattr("ggrep.daemon.daemon_tasks._GONE_MS", 50.0)
        host.eventually(lambda: not host.address.socket.exists())
        assert host.daemon.stopping == f"{removed} was removed"


class Refusing:
    """A listener whose first connections cannot be had."""

    def __init__(self, listener: Any, failures: list[OSError]) -> None:
        self._listener = listener
        self._failures = failures

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listener.aclose()

    async def accept(self) -> object:
        """Return a connection, once all failures were raised."""
        if self._failures:
            raise self._failures.pop()
        return await self._listener.accept()


def test_a_failed_accept_passes(indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Descriptors run out; when there are some again, clients are taken in as before."""
    failures = [OSError(errno.EMFILE, "Too many open files")] * 3
    bind = anyio.create_unix_listener

    async def refuse(path: Path, *, mode: int) -> Refusing:
        return Refusing(await bind(path, mode=mode), failures)

    monkeypatch.setattr("ggrep.daemon.accept_loop.anyio.create_unix_listener", refuse)

    with served(indexed, home) as host:
        assert host.ask(Ping()).name == "ping"

    assert failures == []


def test_another_build_ends_it(indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules it loads later would be of that build; while one is written nothing can be told."""
    monkeypatch.setattr("tests.fakes.hosts.POLL_S", 0.01)
    looks = []
    with served(indexed, home) as host:

        def unreadable() -> str:
            looks.append(host.daemon.stopping)
            raise FileNotFoundError

        monkeypatch.setattr("ggrep.daemon.daemon_tasks.build_id", unreadable)
        host.eventually(lambda: len(looks) > 1)
        monkeypatch.setattr("ggrep.daemon.daemon_tasks.build_id", lambda: "newer")
        host.eventually(lambda: not host.address.socket.exists())

        assert host.daemon.stopping == "another build of ggrep was installed"
    assert set(looks) == {None}


@pytest.mark.parametrize("at_once", [False, True], ids=["greeted", "in_one_write"])
def test_a_shutdown_needs_no_reader(indexed: Path, home: Path, *, at_once: bool) -> None:
    with served(indexed, home) as host:
        if at_once:
            with Wire(host.address.socket) as wire:
                output = hello_json(host.address.hello), message_json("1", Shutdown("reinit"))
                wire.send_bytes(b"".join(packed(each) for each in output))
        else:
            with host.wire() as wire:
                wire.send_message("1", Shutdown("reinit"))
        host.eventually(lambda: not host.address.socket.exists())

        assert host.daemon.stopping == "reinit"
