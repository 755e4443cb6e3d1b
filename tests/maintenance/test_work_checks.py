"""What a daemon measures is held against its budgets; over one is a warning, never a failure."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.index.maintenance.checks import check_health
from ggrep.model.daemons import DaemonLoad, EncodeLoad, OpenHandles
from ggrep.model.maintenance import OK, WARN, HealthCheck
from ggrep.search.engine.engine import Engine
from tests.fakes.daemons import quiet_load
from tests.fakes.repos import open_engine, write_tree

Change = Callable[[DaemonLoad], DaemonLoad]


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    """Return an engine over a small sound store."""
    engine = open_engine(root, home, encoder="none")
    write_tree(root, {"a.py": "def retry():\n    pass\n"})
    engine.sync()
    return engine


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
    found = checks(engine, change(quiet_load()))

    warned = {code: check.severity for code, check in found.items() if check.severity != OK}
    assert warned == dict.fromkeys(codes, WARN)


def test_with_and_without_a_daemon_the_same_checks_are_listed(engine: Engine) -> None:
    """What could not be measured says so instead of being left out."""
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
