"""Health: a list of read-only checks over one store, each ok, warn or fail."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance import place_checks, snapshot_checks, tree_checks, work_checks
from ggrep.index.maintenance.examination import Examination, examine, reading
from ggrep.index.maintenance.findings import guarded
from ggrep.index.store.store_versions import require_readable
from ggrep.index.sync.index_state import IndexState, read_index_state
from ggrep.model.daemons import DaemonLoad
from ggrep.model.maintenance import FAIL, Health, HealthCheck
from ggrep.model.sanitise import sanitise_line


def check_health(  # noqa: PLR0913 - what it looks at, and what it is held against
    store: Path,
    store_id: StoreId,
    settings: Settings,
    *,
    deep: bool,
    root: Path | None = None,
    clock: Clock | None = None,
    load: DaemonLoad | None = None,
    deadline: Deadline | None = None,
    rebuild: Callable[[], bool] = lambda: False,
) -> Health:
    """Return the health of one store.

    Args:
        store: its directory.
        store_id: whose it should be.
        settings: what it is held against.
        deep: hash every artifact again, and the installed parsers.
        root: the repository; None to look up nothing there.
        clock: tells how long a writer has been silent.
        load: what the daemon of the store measures of itself; None while none runs.
        deadline: checked before each artifact that is hashed.
        rebuild: called for a damaged store; returns whether a sync rebuilds it.

    Raises:
        NoIndex: there is no such store.
        Busy: the store is being collected or removed.
        Incompatible: a newer build wrote the active snapshot.
        DeadlineExceeded: time ran out.
        Cancelled: nobody waits for it any more.
    """
    clock = clock or SystemClock()
    with reading(store, clock):
        require_readable(store)
        found = examine(store, store_id, deep=deep, deadline=deadline, rebuild=rebuild)
        state = _state(store)
        checks = [
            *_of_snapshot(found, store_id, settings, deep=deep),
            *_of_tree(found, state, settings, root, load),
            *_of_place(found, settings),
            *_of_work(found, clock),
            *_of_daemon(found, state, settings, load),
        ]
    return Health(
        store_id=store_id,
        active_snapshot_id=found.shown.manifest.snapshot_id if found.shown else None,
        ok=all(check.severity != FAIL for check in checks),
        checks=tuple(
            HealthCheck(
                check.code,
                check.severity,
                sanitise_line(check.message),
                tuple(map(sanitise_line, check.paths)),
            )
            for check in checks
        ),
    )


def _of_snapshot(
    found: Examination, store_id: StoreId, settings: Settings, *, deep: bool
) -> Iterator[HealthCheck]:
    of = snapshot_checks
    yield of.damage(found)
    yield of.manifest_present(found)
    yield of.segments_present(found)
    yield guarded("artifact_integrity", partial(of.artifact_integrity, found, deep=deep))
    yield guarded("older_snapshots", partial(of.older_snapshots, found, store_id, deep=deep))
    yield guarded("tombstones_enforced", partial(of.tombstones_enforced, found))
    yield guarded("index_drift", partial(of.index_drift, found))
    yield guarded("row_schema", partial(of.row_schema, found))
    yield of.snapshot_complete(found)
    yield of.compaction_policy(found, settings)


def _of_tree(
    found: Examination,
    state: IndexState | None,
    settings: Settings,
    root: Path | None,
    load: DaemonLoad | None,
) -> Iterator[HealthCheck]:
    of = tree_checks
    yield guarded("index_state", partial(of.index_state, found, load))
    yield of.casefold_collisions(found.view, settings)
    yield of.path_safety(found.view, state)
    yield of.unicode_normalisation(found.view)
    yield from of.contents(found.view)
    if root is not None:
        yield guarded("repo_hygiene", partial(of.repo_hygiene, root, settings))
    yield from of.last_walk(state)


def _of_place(found: Examination, settings: Settings) -> Iterator[HealthCheck]:
    store, home, of = found.store, Home.of_store(found.store), place_checks
    for code, what, directory, budget in (
        ("disk_budgets", "store", store, settings.max_store_bytes),
        ("disk_budgets_cache", "cache", home.cache, settings.max_cache_bytes),
        ("disk_budgets_logs", "logs", home.logs, settings.max_log_bytes),
    ):
        yield guarded(code, partial(of.disk_budget, code, what, directory, budget))
    yield guarded("permissions", partial(of.permissions, store, settings))
    yield guarded("filesystem", partial(of.filesystem, store))
    yield guarded("orphans", partial(of.orphans, found))


def _of_work(found: Examination, clock: Clock) -> Iterator[HealthCheck]:
    of = work_checks
    yield guarded("lease", partial(of.lease, found, clock))
    yield guarded("derived_caches", partial(of.derived_caches, found.store))
    yield of.healed(found.store, clock)


def _of_daemon(
    found: Examination, state: IndexState | None, settings: Settings, load: DaemonLoad | None
) -> Iterator[HealthCheck]:
    of = work_checks
    yield of.open_handles(found, settings, load)
    yield of.embed_limiter(load)
    yield of.daemon_stale(load)
    yield from of.performance(state, load)


def _state(store: Path) -> IndexState | None:
    try:
        return read_index_state(store_files.index_state_file(store))
    except GgrepError:
        return None  # `index_state` says so
