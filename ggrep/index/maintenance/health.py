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


def check_health(  # noqa: PLR0913 - the store, and the values it is checked against
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
        store: the store directory.
        store_id: the id that its snapshots must carry.
        settings: the bounds that the store is checked against.
        deep: hash every artifact again, and the installed parsers.
        root: the repository; None to check nothing in it.
        clock: measures the time since a writer's last heartbeat.
        load: the measurements of the store's daemon; None if no daemon runs.
        deadline: checked before each artifact that is hashed.
        rebuild: called for a damaged store; returns whether a sync rebuilds it.

    Raises:
        NoIndex: the store does not exist.
        Busy: the store is being collected or removed.
        Incompatible: a newer build wrote the active snapshot.
        DeadlineExceeded: time ran out.
        Cancelled: the caller gave up.
    """
    clock = clock or SystemClock()
    with reading(store, clock):
        require_readable(store)
        examination = examine(store, store_id, deep=deep, deadline=deadline, rebuild=rebuild)
        state = _state(store)
        checks = [
            *_of_snapshot(examination, store_id, settings, deep=deep),
            *_of_tree(examination, state, settings, root, load),
            *_of_place(examination, settings),
            *_of_work(examination, clock),
            *_of_daemon(examination, state, settings, load),
        ]
    return Health(
        store_id=store_id,
        active_snapshot_id=examination.shown.manifest.snapshot_id if examination.shown else None,
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
    examination: Examination, store_id: StoreId, settings: Settings, *, deep: bool
) -> Iterator[HealthCheck]:
    of = snapshot_checks
    yield of.damage(examination)
    yield of.manifest_present(examination)
    yield of.segments_present(examination)
    yield guarded("artifact_integrity", partial(of.artifact_integrity, examination, deep=deep))
    yield guarded("older_snapshots", partial(of.older_snapshots, examination, store_id, deep=deep))
    yield guarded("tombstones_enforced", partial(of.tombstones_enforced, examination))
    yield guarded("index_drift", partial(of.index_drift, examination))
    yield guarded("row_schema", partial(of.row_schema, examination))
    yield of.snapshot_complete(examination)
    yield of.compaction_policy(examination, settings)


def _of_tree(
    examination: Examination,
    state: IndexState | None,
    settings: Settings,
    root: Path | None,
    load: DaemonLoad | None,
) -> Iterator[HealthCheck]:
    of = tree_checks
    yield guarded("index_state", partial(of.index_state, examination, load))
    yield of.casefold_collisions(examination.view, settings)
    yield of.path_safety(examination.view, state)
    yield of.unicode_normalisation(examination.view)
    yield from of.contents(examination.view)
    if root is not None:
        yield guarded("repo_hygiene", partial(of.repo_hygiene, root, settings))
    yield from of.last_walk(state)


def _of_place(examination: Examination, settings: Settings) -> Iterator[HealthCheck]:
    store, home, of = examination.store, Home.of_store(examination.store), place_checks
    for code, what, directory, budget in (
        ("disk_budgets", "store", store, settings.max_store_bytes),
        ("disk_budgets_cache", "cache", home.cache, settings.max_cache_bytes),
        ("disk_budgets_logs", "logs", home.logs, settings.max_log_bytes),
    ):
        yield guarded(code, partial(of.disk_budget, code, what, directory, budget))
    yield guarded("permissions", partial(of.permissions, store, settings))
    yield guarded("filesystem", partial(of.filesystem, store))
    yield guarded("orphans", partial(of.orphans, examination))


def _of_work(examination: Examination, clock: Clock) -> Iterator[HealthCheck]:
    of = work_checks
    yield guarded("lease", partial(of.lease, examination, clock))
    yield guarded("derived_caches", partial(of.derived_caches, examination.store))
    yield of.healed(examination.store, clock)


def _of_daemon(
    examination: Examination, state: IndexState | None, settings: Settings, load: DaemonLoad | None
) -> Iterator[HealthCheck]:
    of = work_checks
    yield of.open_handles(examination, settings, load)
    yield of.embed_limiter(load)
    yield of.daemon_stale(load)
    yield from of.performance(state, load)


def _state(store: Path) -> IndexState | None:
    try:
        return read_index_state(store_files.index_state_file(store))
    except GgrepError:
        return None  # `index_state` says so
