"""The log says how each search ended, and never what was searched or found."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.protocol.wire.messages import Fetch, Search, Sync
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.repos import write_tree
from tests.fakes.wires import Wire

WORD = "xyzzyplugh"
CONTENT = "quuxfrobnicate"


def log_of(home: Path) -> bytes:
    """Return all that was logged."""
    return b"".join(path.read_bytes() for path in sorted((home / "logs").iterdir()))


def events(home: Path, name: str = "query") -> list[dict[str, Any]]:
    """Return the events of a name, in order."""
    lines = [stable_json.loads(line) for line in log_of(home).splitlines()]
    return [line for line in lines if line["event"] == name]


def refused(host: Served, message: Search) -> str:
    """Return the code that a search fails with."""
    with pytest.raises(GgrepError) as caught:
        host.ask(message, client_id="other")
    return caught.value.code


def test_a_search_leaves_one_event_with_all_that_the_contract_names(
    indexed: Path, home: Path
) -> None:
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


def test_the_log_holds_neither_query_nor_content_however_a_search_ends(
    root: Path, home: Path, held: HeldSearches
) -> None:
    """Whoever may read logs need not be allowed to read the code."""
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
        with Wire.greeted(host.address.socket, host.address.hello) as wire:
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
