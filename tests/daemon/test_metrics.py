"""What other programs read of daemons: every figure, under a name that stays."""

from typing import Any

from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from ggrep.base import stable_json
from ggrep.base.stable_json import decode
from ggrep.daemon import daemon_metrics as metrics
from ggrep.daemon.daemon_metrics import metrics_json, metrics_text, samples
from ggrep.model.daemons import DaemonLoad
from tests.fakes.daemons import busy_load, quiet_load


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
    """Whoever builds a dashboard reads the list, not the code."""
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
