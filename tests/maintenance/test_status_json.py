"""The status document: one shape with and without a daemon, and warnings in a fixed order."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.index.maintenance.checks import check_health
from ggrep.index.maintenance.status import with_load
from ggrep.model.daemons import DaemonLoad, EncodeLoad, OpenHandles, SyncLoad
from ggrep.model.index_freshness import UP_TO_DATE
from ggrep.model.maintenance import OK, WARN, HealthCheck
from ggrep.model.status import Disk, Resources, SyncStatus, WatchStatus
from ggrep.search.engine.engine import Engine
from tests.fakes.daemons import busy_load, quiet_load
from tests.fakes.repos import IndexOf
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


Change = Callable[[DaemonLoad], DaemonLoad]


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    """Return an engine over a small sound store."""
    return shared_index({"a.py": "def retry():\n    pass\n"}, encoder="none")


def checks(engine: Engine, load: DaemonLoad | None) -> dict[str, HealthCheck]:
    identity = engine.identity
    report = check_health(
        identity.store,
        identity.store_id,
        engine.settings,
        deep=False,
        root=identity.root,
        clock=engine.clock,
        load=load,
    )
    return {check.code: check for check in report.checks}


def queries(**changes: int) -> Change:
    return lambda load: replace(load, queries=replace(load.queries, **changes))


FIGURES: dict[str, tuple[Change, set[str]]] = {
    "median": (
        queries(query_total=10, latency_p50_ms=301, latency_p95_ms=400),
        {"perf_query_latency"},
    ),
    "tail": (
        queries(query_total=10, latency_p50_ms=1, latency_p95_ms=1_501),
        {"perf_query_latency"},
    ),
    "segments": (queries(segments_touched_max=65), {"perf_segments_touched"}),
    "handles": (lambda load: replace(load, handles=OpenHandles(461, 512)), {"open_handles"}),
    "slot": (lambda load: replace(load, encode=EncodeLoad(2, 1, stale=True)), {"embed_limiter"}),
    "stale": (lambda load: replace(load, stale=True, stale_reason="encoder"), {"daemon_stale"}),
    "nothing yet": (lambda load: load, set()),
    "a cold start": (queries(query_total=9, latency_p50_ms=400, latency_p95_ms=4_000), set()),
    "latency": (
        queries(query_total=10, latency_p50_ms=300, latency_p95_ms=1_500, segments_touched_max=64),
        set(),
    ),
    "most handles": (lambda load: replace(load, handles=OpenHandles(460, 512)), set()),
    "no bound": (lambda load: replace(load, handles=OpenHandles(10, 0)), set()),
    "slots in use": (lambda load: replace(load, encode=EncodeLoad(2, 2)), set()),
}


@pytest.mark.parametrize("what", FIGURES)
def test_a_figure_over_its_budget_warns_under_its_code(engine: Engine, what: str) -> None:
    """Each has its own name: an alarm must say where to look; the bound itself is allowed."""
    change, codes = FIGURES[what]
    result = checks(engine, change(quiet_load()))

    warned = {code: check.severity for code, check in result.items() if check.severity != OK}
    assert warned == dict.fromkeys(codes, WARN)


def test_with_and_without_a_daemon_the_same_checks_are_listed(engine: Engine) -> None:
    without, beside = checks(engine, None), checks(engine, quiet_load())
    unmeasured = {code for code, check in without.items() if "no daemon" in check.message}

    assert list(without) == list(beside)
    assert unmeasured == {
        "daemon_stale",
        "embed_limiter",
        "open_handles",
        "perf_query_latency",
        "perf_segments_touched",
    }
    assert not any("no daemon" in check.message for check in beside.values())
