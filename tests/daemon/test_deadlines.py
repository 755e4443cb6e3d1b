"""A request ends in time, or when somebody ends it, and then nothing works for it any more."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Cancel, Ping, Search
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import FLAGS, Served, served


@pytest.fixture
def host(indexed: Path, home: Path, held: HeldSearches) -> Iterator[Served]:
    """Return a daemon with one place for searches, all of which are held."""
    with served(indexed, home, flags={**FLAGS, "max_concurrent_queries": 1}) as result:
        yield result


def asked(query: str = "settle", timeout_ms: int = 60_000) -> Search:
    return Search(SearchRequest(query, timeout_ms=timeout_ms))


def asked_of_an_index() -> Search:
    return Search(SearchRequest("settle", deterministic=True))


def is_free(host: Served) -> bool:
    """Return whether no place is held, for admission and for the processor alike."""
    admission = host.call(host.daemon.admission.statistics)
    cpu = host.daemon.shared.cpu.permits
    return (admission.in_flight, admission.queue_depth, cpu.in_use, cpu.waiting) == (0, 0, 0, 0)


def test_work_ends_with_its_time(host: Served, held: HeldSearches) -> None:
    """The thread notices at its next step, the client is told, the place is free."""
    with host.wire("a") as wire:
        wire.send_message("1", asked(timeout_ms=80))
        error = wire.next()["error"]

    assert error["code"] == "timeout"
    assert held.ended == ["timeout"] * len(held.begun), "what began has ended"
    host.eventually(lambda: is_free(host))
    assert host.daemon.load().queries.timeouts_total == 1


def test_the_configured_timeout_is_a_default(indexed: Path, home: Path, held: HeldSearches) -> None:
    """Every request has an end."""
    with (
        served(indexed, home, flags={**FLAGS, "query_timeout_ms": 30}) as host,
        host.wire("a") as wire,
    ):
        wire.send_message("1", asked(timeout_ms=0))

        assert wire.next()["error"]["code"] == "timeout"


def test_time_runs_out_in_the_queue_as_well(host: Served, held: HeldSearches) -> None:
    with host.wire("a") as busy, host.wire("b") as waiting:
        busy.send_message("1", asked("first"))
        host.eventually(lambda: held.begun == ["first"])
        waiting.send_message("2", asked("second", timeout_ms=30))
        error = waiting.next()["error"]
        held.gate.set()

        assert error["code"] == "timeout"
        assert "response" in busy.next()
        assert held.begun == ["first"]


def test_another_connection_of_a_client_ends_a_request(host: Served, held: HeldSearches) -> None:
    """The one that asked is waiting for the answer."""
    with host.wire("a") as asking, host.wire("a") as ending:
        asking.send_message("long", asked())
        host.eventually(lambda: held.begun)
        ending.send_message("c", Cancel("long"))
        reported, error = ending.next(), asking.next()["error"]

    assert reported["cancelled"] is True
    assert (error["code"], error["request_id"]) == ("cancelled", "long")
    assert error["reason"]
    assert held.ended == ["cancelled"]
    assert held.steps_after <= [1]
    host.eventually(lambda: is_free(host))


def test_a_request_that_waits_can_be_ended(host: Served, held: HeldSearches) -> None:
    with host.wire("a") as asking, host.wire("b") as other:
        other.send_message("1", asked("first"))
        host.eventually(lambda: held.begun == ["first"])
        asking.send_message("2", asked("second"))
        host.eventually(lambda: host.call(host.daemon.admission.statistics).queue_depth == 1)
        asking.send_message("3", Cancel("2"))
        reported = {reply["request_id"]: reply for reply in (asking.next(), asking.next())}
        held.gate.set()

        assert reported["3"]["cancelled"] is True
        assert reported["2"]["error"]["code"] == "cancelled"
        assert "response" in other.next()
        assert held.begun == ["first"]


@pytest.mark.parametrize("names", [("a", "b"), ("", "")])
def test_only_its_client_cancels(host: Served, held: HeldSearches, names: tuple[str, str]) -> None:
    """An id may be guessed or be the same; clients without a name are not one client."""
    with host.wire(names[0]) as asking, host.wire(names[1]) as other:
        asking.send_message("long", asked())
        host.eventually(lambda: held.begun)
        for target in ("long", "nothing"):
            other.send_message("c", Cancel(target))
            assert other.next()["cancelled"] is False
        other.send_message("long", Ping())
        assert other.next()["message"] == "ping"
        held.gate.set()
        assert "response" in asking.next()


def test_an_id_that_is_at_work_is_not_taken_twice(host: Served, held: HeldSearches) -> None:
    with host.wire("a") as wire:
        wire.send_message("1", asked())
        host.eventually(lambda: held.begun)
        wire.send_message("1", Ping())
        refused = wire.next()["error"]
        held.gate.set()

        assert refused["code"] == "invalid_request"
        assert "response" in wire.next()
        wire.send_message("1", Ping())
        assert wire.next()["message"] == "ping"


def test_who_goes_away_is_worked_for_no_more(host: Served, held: HeldSearches) -> None:
    """Control-C at a terminal must free a core, not only the terminal."""
    with host.wire("a") as wire:
        wire.send_message("1", asked())
        host.eventually(lambda: held.begun)

    host.eventually(lambda: held.ended)
    assert held.ended == ["cancelled"]
    assert held.steps_after <= [1]
    host.eventually(lambda: is_free(host))
    assert host.daemon.load().queries.cancelled_total == 1


def test_who_goes_away_before_the_first_index_waits_no_more(root: Path, home: Path) -> None:
    """There is nothing to search yet, and nobody who wants to."""
    with served(root, home, gated=True) as host:
        with host.wire("a") as wire:
            wire.send_message("1", asked_of_an_index())
            host.eventually(lambda: host.daemon.requests)
        host.eventually(lambda: not host.daemon.requests)

        assert host.call(host.daemon.admission.statistics).in_flight == 0
