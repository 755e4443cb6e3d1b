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
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, GgrepError, InvalidRequest, NoIndex
from ggrep.base.stable_json import decode
from ggrep.daemon import daemon_metrics as metrics
from ggrep.daemon.daemon_metrics import metrics_json, metrics_text, samples
from ggrep.model.daemons import DaemonLoad
from ggrep.model.request import EncodeRequest, PoolRequest, SearchRequest, StatisticsRequest
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
from tests.fakes.daemons import busy_load, quiet_load
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.repos import write_tree

SCHEMAS = Path(__file__).parents[2] / "ggrep" / "model" / "schemas"


@pytest.fixture
def host(indexed: Path, home: Path) -> Iterator[Served]:
    """Return a daemon at rest that serves the small tree."""
    with served(indexed, home) as result:
        result.settled()
        yield result


def fits(name: str, document: object) -> bool:
    """Return whether a document is one of the schema of that name."""
    schema = stable_json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    jsonschema_rs.validator_for(schema).validate(document)
    return True


def test_each_answer_is_the_document_of_its_schema(host: Served) -> None:
    """The same as a command line prints, with the request it belongs to; caps hold for all."""
    assert fits("query_success", host.ask(Search(SearchRequest("settle"))).body["response"])

    with host.wire() as wire:
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
    answer = host.ask(Metrics()).body
    families = {family.name for family in text_string_to_metric_families(answer["text"])}

    assert "ggrep_queries" in families
    assert answer["metrics"]["stores"][0]["load"]["queries"]["query_total"] == 1

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
    answer = host.ask(Fetch(StatisticsRequest(request))).body["term_stats"]
    vector = host.ask(Fetch(EncodeRequest("settle"))).body["encode"]["vector"]

    assert described["store_id"] == host.address.identity.store_id
    assert answer["snapshot_id"] == host.daemon.engine().view().manifest.snapshot_id
    assert answer["statistics"]["chunks"] > 0
    assert vector["values"]


def test_a_sync_is_waited_for_until_its_time_is_up(host: Served, indexed: Path) -> None:
    """As `ggrep index` says it; a sync that takes too long goes on."""
    write_tree(indexed, {"src/new.py": "x = 1\n"})
    answer = host.ask(Sync()).body

    assert answer["state"] == "done"
    assert (answer["report"]["published"], answer["report"]["indexed"]) == (True, 1)

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
    with host.wire() as waiting:
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
    with host.wire() as waiting:
        waiting.send_message("1", Sync())
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        waiting.send_message("2", Cancel("1"))
        reported = {reply["request_id"]: reply for reply in (waiting.next(), waiting.next())}

    assert reported["2"]["cancelled"] is True
    assert reported["1"]["error"]["code"] == "cancelled"


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


def test_a_bug_is_told_to_its_caller_alone(host: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon serves on; the log names the place and quotes nothing."""

    def fail(*_: object) -> Any:
        raise ValueError("the secret content of a file")

    monkeypatch.setattr("ggrep.search.engine.query_answers.answer", fail)
    with host.wire() as wire:
        wire.send_message("1", Search(SearchRequest("settle")))
        error = wire.next()["error"]
        wire.send_message("2", Ping())
        alive = wire.next()
    log = b"".join(path.read_bytes() for path in host.daemon.shared.home.logs.iterdir())

    assert error["code"] == "internal"
    assert alive["request_id"] == "2"
    assert b'"event":"bug"' in log
    assert b"secret" not in log


def test_operators_are_bounded(host: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A monitor gone wild must cost neither memory nor anybody's search."""
    monkeypatch.setattr("ggrep.daemon.handlers._MAX_WAITING_STATUS", 1)
    desk, refused = host.daemon.shared.operators, []
    holders = [object() for _ in range(int(desk.total_tokens))]
    for holder in holders:
        host.call(desk.acquire_on_behalf_of_nowait, holder)
    with host.wire() as waiting:
        waiting.send_message("1", Status())
        host.eventually(lambda: host.call(desk.statistics).tasks_waiting == 1)
        for message in (Status(), Health(), Metrics()):
            with pytest.raises(Busy, match="administrative") as caught:
                host.ask(message)
            refused.append(caught.value.retry_after_ms)
        answer = host.ask(Search(SearchRequest("settle"))).body["response"]
        for holder in holders:
            host.call(desk.release_on_behalf_of, holder)

        assert "status" in waiting.next()
    assert answer["results"]
    assert refused == [1_000] * 3


def test_a_deep_check_ends_with_its_client(host: Served, monkeypatch: pytest.MonkeyPatch) -> None:
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
    with host.wire() as wire:
        wire.send_message("1", Health(deep=True))
        assert begun.wait(60)
    try:
        host.eventually(lambda: ended)
    finally:
        over.set()

    assert "the client closed the connection" in ended[0]
    host.eventually(lambda: host.daemon.connections == 0)


def read(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return what a scraper sees: name and labels to value."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    return read(text)[name, tuple(sorted(labels.items()))]


def test_a_scraper_reads_back_what_was_measured() -> None:
    """The text is made by hand of nobody: both ends are the library's."""
    text = metrics_text([("shop", busy_load())])

    assert value(text, "ggrep_queries_total", store="shop", status="ok") == 1_200
    assert value(text, "ggrep_queries_total", store="shop", status="busy") == 4
    assert value(text, "ggrep_queries_total", store="shop", status="timeout") == 5
    assert value(text, "ggrep_queries_total", store="shop", status="cancelled") == 6
    assert value(text, "ggrep_queries_total", store="shop", status="error") == 7
    assert value(text, "ggrep_slow_queries_total", store="shop") == 8
    assert value(text, "ggrep_query_latency_seconds", store="shop", quantile="0.5") == 0.301
    assert value(text, "ggrep_query_stage_seconds", store="shop", stage="rank") == 0.003
    assert value(text, "ggrep_segments_open_limit", store="shop") == 512
    assert value(text, "ggrep_query_workers", store="shop") == 2
    assert value(text, "ggrep_query_workers_limit", store="shop") == 3
    assert value(text, "ggrep_query_workers_started_total", store="shop") == 4
    assert value(text, "ggrep_query_workers_answered_total", store="shop") == 90
    assert value(text, "ggrep_watch_mode", store="shop", mode="polling") == 1
    assert value(text, "ggrep_daemon_info", store="shop", version="0.1.0", build="b1") == 1


def test_every_name_is_documented() -> None:
    listed = metrics.__doc__ or ""
    counters = {s.name for s in samples(busy_load()) if s.kind == "counter"}
    names = {
        f"ggrep_{s.name}{'_total' if s.name in counters else ''}" for s in samples(busy_load())
    }

    assert sorted(name for name in names if name not in listed) == []


def test_what_was_not_measured_has_no_sample() -> None:
    """A median of zero would look like the fastest daemon; nothing is left of a former call."""
    text = metrics_text([("shop", quiet_load())])

    assert "ggrep_query_latency_seconds{" not in text
    assert "ggrep_segments_touched_max{" not in text

    metrics_text([("shop", busy_load())])

    assert metrics_text([]) == ""


def test_stores_are_told_apart_and_in_order() -> None:
    """One host process serves many of them."""
    loads = [("b", quiet_load()), ("a", replace(quiet_load(), connections=3))]
    text = metrics_text(loads)

    assert value(text, "ggrep_connections", store="a") == 3
    assert value(text, "ggrep_connections", store="b") == 0
    assert text == metrics_text(loads[::-1])
    assert text.index('connections{store="a"}') < text.index('connections{store="b"}')


def test_the_json_can_be_decoded_as_what_it_was_made_of() -> None:
    """Clients of the same build need no second format."""
    document: Any = stable_json.loads(stable_json.dumps(metrics_json([("shop", busy_load())])))
    (entry,) = document["stores"]

    assert (document["schema_version"], entry["store_id"]) == (1, "shop")
    assert decode(DaemonLoad, entry["load"]) == busy_load()


WORD = "xyzzyplugh"
CONTENT = "quuxfrobnicate"


def log_of(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((home / "logs").iterdir()))


def events(home: Path, name: str = "query") -> list[dict[str, Any]]:
    lines = [stable_json.loads(line) for line in log_of(home).splitlines()]
    return [line for line in lines if line["event"] == name]


def refused(host: Served, message: Search) -> str:
    """Return the code that a search fails with."""
    with pytest.raises(GgrepError) as caught:
        host.ask(message, client_id="other")
    return caught.value.code


def test_a_search_leaves_one_event(indexed: Path, home: Path) -> None:
    """By its id it can be found again, between start and end of its daemon."""
    with served(indexed, home) as host:
        response = host.ask(Search(SearchRequest("settle"))).body["response"]
    (event,) = events(home)

    assert event["request_id"] == response["request_id"]
    assert event["snapshot_id"] == response["snapshot_id"]
    assert event["status"] == "ok"
    assert event["mode"] == "balanced"
    assert event["limits"] == {"max_results": 10, "per_file": 3, "snippet": "default"}
    assert {"admission", "snapshot_read", "retrieve", "rank", "format"} <= set(event["stages_ms"])

    assert len(events(home, "started")) == 1
    assert events(home, "stopped")[0]["reason"] == "the test is over"


def test_the_log_holds_neither_query_nor_text(root: Path, home: Path, held: HeldSearches) -> None:
    write_tree(root, {f"{CONTENT}.py": f"def {CONTENT}():\n    return '{WORD}'\n"})
    flags = {**FLAGS, "max_concurrent_queries": 1, "max_query_queue_depth": 0}
    secret = Search(SearchRequest(f"{WORD} {CONTENT}", scope=""))
    quick = Search(replace(secret.request, timeout_ms=30))
    wrong = Search(replace(secret.request, query=f"file:{WORD}["))
    with served(root, home, flags=flags) as host:
        host.settled()
        held.gate.set()
        assert host.ask(secret).body["response"]["results"]
        host.ask(Fetch(PoolRequest(secret.request, per_list=5)))
        held.gate.clear()
        assert refused(host, quick) == "timeout"
        with host.wire() as wire:
            wire.send_message("1", secret)
            host.eventually(lambda: host.call(host.daemon.admission.statistics).in_flight == 1)
            assert refused(host, secret) == "busy"
        host.eventually(lambda: host.daemon.load().queries.cancelled_total == 1)
        held.gate.set()
        host.ask(wrong)
        write_tree(root, {f"{WORD}.py": f"{CONTENT} = 1\n"})
        host.ask(Sync())
    log = log_of(home)

    statuses = [event["status"] for event in events(home)]
    assert statuses == ["ok", "ok", "timeout", "busy", "cancelled", "ok"]
    assert events(home, "sync")
    assert WORD.encode() not in log
    assert CONTENT.encode() not in log
