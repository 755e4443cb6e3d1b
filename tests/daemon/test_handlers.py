"""What operators ask a daemon for is answered by documents that others can rely on."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, InvalidRequest, NoIndex
from ggrep.model.request import EncodeRequest, SearchRequest, StatisticsRequest
from ggrep.protocol.wire.messages import (
    Cancel,
    Describe,
    Fetch,
    Health,
    Metrics,
    Ping,
    Search,
    Status,
    Sync,
    SyncStatus,
    WatchStatus,
)
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.repos import write_tree
from tests.fakes.wires import Wire

SCHEMAS = Path(__file__).parents[2] / "ggrep" / "model" / "schemas"


@pytest.fixture
def host(indexed: Path, home: Path) -> Iterator[Served]:
    """Return a daemon at rest that serves the small tree."""
    with served(indexed, home) as found:
        found.settled()
        yield found


def fits(name: str, document: object) -> bool:
    """Return whether a document is one of the schema of that name."""
    schema = stable_json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    jsonschema_rs.validator_for(schema).validate(document)
    return True


def client(host: Served, name: str = "a") -> Wire:
    """Return a connection of a client of that name."""
    return Wire.greeted(host.address.socket, replace(host.address.hello, client_id=name))


def test_each_answer_is_the_document_of_its_schema(host: Served) -> None:
    """The same as a command line prints, with the request it belongs to; caps hold for all."""
    assert fits("query_success", host.ask(Search(SearchRequest("settle"))).body["response"])

    with client(host) as wire:
        wire.send({"message": "search", "request_id": "mine", "request": {"query": ""}})
        reply = wire.next()

    assert fits("query_error", {"error": reply["error"]})
    assert reply["error"]["request_id"] == "mine"

    host.ask(Search(SearchRequest("settle")))
    status = host.ask(Status()).body["status"]

    assert fits("status", status)
    assert (status["daemon"]["running"], status["daemon"]["pid"]) == (True, 4242)
    assert status["sync"]["state"] == "idle"
    assert status["sync"]["last_result"] == "ok"
    assert status["queries"]["max_concurrent"] == 8
    assert status["resources"]["open_handles"]["segments_budget"] == 512

    shallow = host.ask(Health()).body["health"]
    deep = host.ask(Health(deep=True)).body["health"]

    assert fits("health", shallow)
    assert fits("health", deep)
    assert shallow["ok"]
    codes = {check["code"] for check in shallow["checks"]}
    assert codes >= {"open_handles"}

    assert host.ask(WatchStatus()).body["watch"]["mode"] == "off"

    with pytest.raises(InvalidRequest):
        host.ask(Search(SearchRequest("settle"), budgets={"max_candidates": 10**9}))


def test_status_before_the_first_index_is_a_document_as_well(root: Path, home: Path) -> None:
    """An operator looks just then."""
    with served(root, home, gated=True) as host:
        assert fits("status", host.ask(Status()).body["status"])
        with pytest.raises(NoIndex):
            host.ask(Health())


def test_metrics_can_be_scraped_and_stages_are_measured(host: Served) -> None:
    """By the reader of text and of JSON; a slow search can say where it was slow."""
    host.ask(Search(SearchRequest("settle")))
    found = host.ask(Metrics()).body
    families = {family.name for family in text_string_to_metric_families(found["text"])}

    assert "ggrep_queries" in families
    assert found["metrics"]["stores"][0]["load"]["queries"]["query_total"] == 1

    stages = dict(host.daemon.load().stages)

    assert {"admission", "snapshot_read", "retrieve", "rank", "format"} <= set(stages)


def test_a_slow_search_is_counted(indexed: Path, home: Path) -> None:
    """At a bound of nothing all are."""
    with served(indexed, home, flags={**FLAGS, "slow_query_ms": 0}) as host:
        host.ask(Search(SearchRequest("settle")))

        assert host.ask(Status()).body["status"]["queries"]["slow_total"] == 1


def test_a_coordinator_gets_what_it_asks_before_it_searches(host: Served) -> None:
    """Description, statistics and, where there is an encoder, the query's vector."""
    request = SearchRequest("settle")
    described = host.ask(Describe()).body["description"]
    found = host.ask(Fetch(StatisticsRequest(request))).body["term_stats"]
    vector = host.ask(Fetch(EncodeRequest("settle"))).body["encode"]["vector"]

    assert described["store_id"] == host.address.identity.store_id
    assert found["snapshot_id"] == host.daemon.engine().view().manifest.snapshot_id
    assert found["statistics"]["chunks"] > 0
    assert vector["values"]


def test_a_sync_is_waited_for_until_its_time_is_up(host: Served, indexed: Path) -> None:
    """As `ggrep index` says it; a sync that takes too long goes on."""
    write_tree(indexed, {"src/new.py": "x = 1\n"})
    found = host.ask(Sync()).body

    assert found["state"] == "done"
    assert (found["report"]["published"], found["report"]["indexed"]) == (True, 1)

    host.syncs.gate.clear()

    with pytest.raises(DeadlineExceeded):
        host.ask(Sync(timeout_ms=30))
    host.syncs.gate.set()


def test_a_sync_in_the_background_is_accepted_at_once(host: Served, indexed: Path) -> None:
    """It can be looked at while it works, and its files appear when it is over."""
    host.syncs.gate.clear()
    write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
    accepted = host.ask(Sync(wait=False)).body
    host.eventually(lambda: host.ask(SyncStatus()).body["sync"]["state"] == "indexing")
    host.syncs.gate.set()
    host.eventually(lambda: host.ask(SyncStatus()).body["sync"]["state"] == "idle")
    response = host.ask(Search(SearchRequest("settle_anew"))).body["response"]

    assert accepted["state"] == "accepted"
    assert response["results"][0]["path"] == "src/new.py"


def test_a_sync_can_be_cancelled(host: Served) -> None:
    """Its waiter is told that it was; afterwards there is nothing to cancel."""
    host.syncs.gate.clear()
    with client(host) as waiting:
        waiting.send_message("1", Sync())
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        cancelled = host.ask(Cancel("sync")).body["cancelled"]
        error = waiting.next()["error"]

    assert cancelled is True
    assert error["code"] == Cancelled.code
    assert host.daemon.syncs.statistics().last_result == "cancelled"

    assert host.ask(Cancel("sync")).body["cancelled"] is False


def test_waiting_for_a_sync_can_be_cancelled(host: Served) -> None:
    """The sync itself goes on: others may want it."""
    host.syncs.gate.clear()
    with client(host) as waiting:
        waiting.send_message("1", Sync())
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        waiting.send_message("2", Cancel("1"))
        told = {reply["request_id"]: reply for reply in (waiting.next(), waiting.next())}

    assert told["2"]["cancelled"] is True
    assert told["1"]["error"]["code"] == "cancelled"


@pytest.mark.slow
def test_a_watched_tree_is_followed(indexed: Path, home: Path) -> None:
    """Without anybody asking for it."""
    with served(indexed, home, flags={**FLAGS, "watch": True}) as host:
        host.eventually(lambda: host.ask(WatchStatus()).body["watch"]["mode"] == "watching")
        host.settled()
        write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
        host.eventually(lambda: host.daemon.syncs.statistics().syncs_total > 1)
        host.eventually(lambda: "src/new.py" in host.daemon.engine().view().live_files())

        assert host.ask(WatchStatus()).body["watch"]["events_total"] > 0


def test_a_bug_is_told_to_who_met_it_and_to_nobody_else(
    host: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon serves on; the log names the place and quotes nothing."""

    def fail(*_: object) -> Any:
        raise ValueError("the secret content of a file")

    monkeypatch.setattr("ggrep.search.engine.query_answers.answer", fail)
    with client(host) as wire:
        wire.send_message("1", Search(SearchRequest("settle")))
        error = wire.next()["error"]
        wire.send_message("2", Ping())
        alive = wire.next()
    log = b"".join(path.read_bytes() for path in host.daemon.shared.home.logs.iterdir())

    assert error["code"] == "internal"
    assert alive["request_id"] == "2"
    assert b'"event":"bug"' in log
    assert b"secret" not in log


def test_operators_beyond_a_bound_are_refused_while_searches_are_answered(
    host: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A monitor gone wild must cost neither memory nor anybody's search."""
    monkeypatch.setattr("ggrep.daemon.handlers._MAX_WAITING_STATUS", 1)
    desk, refused = host.daemon.shared.operators, []
    holders = [object() for _ in range(int(desk.total_tokens))]
    for holder in holders:
        host.call(desk.acquire_on_behalf_of_nowait, holder)
    with client(host) as waiting:
        waiting.send_message("1", Status())
        host.eventually(lambda: host.call(desk.statistics).tasks_waiting == 1)
        for message in (Status(), Health(), Metrics()):
            with pytest.raises(Busy, match="administrative") as caught:
                host.ask(message)
            refused.append(caught.value.retry_after_ms)
        found = host.ask(Search(SearchRequest("settle"))).body["response"]
        for holder in holders:
            host.call(desk.release_on_behalf_of, holder)

        assert "status" in waiting.next()
    assert found["results"]
    assert refused == [1_000] * 3


def test_a_deep_look_ends_when_its_client_goes_away(
    host: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads the whole store, and nobody hears what it finds."""
    begun, over, ended = threading.Event(), threading.Event(), []

    def examine(*_: object, deadline: Deadline, **__: object) -> None:
        begun.set()
        try:
            while not over.wait(0.002):
                deadline.check("the look")
        except Cancelled as error:
            ended.append(str(error))
            raise

    monkeypatch.setattr("ggrep.index.maintenance.checks.examine", examine)
    with client(host) as wire:
        wire.send_message("1", Health(deep=True))
        assert begun.wait(20)
    try:
        host.eventually(lambda: ended)
    finally:
        over.set()

    assert "the client closed the connection" in ended[0]
    host.eventually(lambda: host.daemon.connections == 0)
