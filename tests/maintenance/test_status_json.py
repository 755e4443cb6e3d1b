"""The status document: one shape with and without a daemon, and warnings in a fixed order."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.index.maintenance.status import with_load
from ggrep.model.daemons import DaemonLoad, SyncLoad
from ggrep.model.index_freshness import UP_TO_DATE
from ggrep.model.status import Disk, Resources, SyncStatus, WatchStatus
from tests.fakes.daemons import busy_load, quiet_load
from tests.fakes.statuses import EMPTY_STATUS


def document(load: DaemonLoad | None = None, **changes: Any) -> Mapping[str, Any]:
    """Return the document as it is read from its bytes."""
    status = with_load(replace(EMPTY_STATUS, **changes), load, UP_TO_DATE)
    document: Mapping[str, Any] = stable_json.loads(stable_json.dumps(status.to_dict()))
    return document


def codes(load: DaemonLoad | None = None, **changes: Any) -> list[str]:
    return [warning["code"] for warning in document(load, **changes)["warnings"]]


def keys(value: Any, place: str = "") -> set[str]:
    if not isinstance(value, Mapping) or place.endswith(("stages_mean_ms", "schema_versions")):
        return {place}
    return {place}.union(*(keys(item, f"{place}/{key}") for key, item in value.items()))


def test_every_key_is_there_with_and_without_a_daemon() -> None:
    """A script that reads a figure finds it, whatever runs."""
    assert keys(document()) == keys(document(busy_load()))


def test_a_daemon_that_runs_is_described() -> None:
    """The handshake's versions are here as well, for those who only look."""
    daemon = document(quiet_load())["daemon"]

    assert (daemon["running"], daemon["pid"], daemon["stale"]) == (True, 4711, False)
    assert daemon["stale_reason"] is None
    assert daemon["supported_schema_versions"] == {
        "query_success": [1],
        "query_error": [1],
        "slate_success": [1],
        "symbol_success": [1],
        "references_success": [1],
        "expand_success": [1],
        "outline_success": [1],
        "tour_success": [1],
        "status": [1],
        "health": [1],
    }


def test_any_writer_at_work_means_indexing() -> None:
    """An index command beside an idle daemon is a sync as well."""
    syncing = replace(quiet_load(), sync=SyncLoad(state="indexing"))

    assert document(quiet_load())["sync"]["state"] == "idle"
    assert document(quiet_load(), sync=SyncStatus("indexing"))["sync"]["state"] == "indexing"
    assert document(syncing)["sync"]["state"] == "indexing"


@pytest.mark.parametrize("what", ["store", "cache", "log"])
def test_room_that_is_nearly_used_up_is_a_warning(what: str) -> None:
    """The next publish may be refused; nobody should learn of it by that."""
    code = {"store": "disk_budget_store", "cache": "disk_budget_cache", "log": "disk_budget_logs"}

    def warned(used: int, budget: int) -> list[str]:
        disk = Disk(**{f"{what}_bytes": used, f"{what}_budget_bytes": budget})
        return codes(resources=Resources(disk))

    assert warned(900, 1_000) == [code[what]]
    assert warned(899, 1_000) == []
    assert warned(900, 0) == []


def test_warnings_are_in_order_of_their_codes() -> None:
    over = Disk(store_bytes=9, store_budget_bytes=1, cache_bytes=9, cache_budget_bytes=1)

    assert codes(busy_load(), resources=Resources(over)) == [
        "disk_budget_cache",
        "disk_budget_store",
        "encode_slot_stale",
        "stale_config",
        "watch_polling",
    ]


def test_what_comes_from_outside_is_sanitised() -> None:
    """A directory may be called anything."""
    load = replace(
        quiet_load(),
        stale=True,
        stale_reason="a\x1b[31mb",
        watch=WatchStatus("polling", problem="c\nd"),
    )
    result = document(load, canonical_root="/code/\x1b[31mshop")

    assert result["canonical_root"] == "/code/shop"
    assert result["daemon"]["stale_reason"] == "ab"
    assert result["watch"]["problem"] == "c d"
    assert not any("\x1b" in warning["message"] for warning in result["warnings"])
