"""Health and audit: read-only checks over one store.

Each check is a row of a table: a code and a function. Health runs the checks of state, files, tree
and processes; each finding is ok, warn or fail. An audit runs the checks that read every byte; its
findings are errors.
"""

from collections.abc import Callable
from pathlib import Path

from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.maintenance.examination import Subject, examine, reading
from ggrep.index.maintenance.findings import run
from ggrep.index.maintenance.row_checks import DEEP
from ggrep.index.maintenance.store_checks import FILES, SNAPSHOT, unnamed
from ggrep.index.maintenance.tree_checks import TREE
from ggrep.index.maintenance.work_checks import WORK
from ggrep.index.store.store_versions import require_readable
from ggrep.index.sync.index_state import IndexState, read_index_state
from ggrep.model.daemons import DaemonLoad
from ggrep.model.maintenance import FAIL, Audit, AuditError, Health
from ggrep.model.sanitise import sanitise_line


def check_health(  # noqa: PLR0913 - the store and expected values
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
        store_id: the id that its snapshots must have.
        settings: the bounds that the store is checked against.
        deep: hash every artifact and the installed parsers again.
        root: the repository; None to check only the store.
        clock: measures the time since a writer's last heartbeat.
        load: the measurements of the store's daemon; None if no daemon runs.
        deadline: checked before each artifact that is hashed.
        rebuild: called for a damaged store; requests a sync and returns whether the sync will run.

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
        subject = Subject(examination, settings, root, _state(store), load, clock)
        checks = tuple(run((*SNAPSHOT, *TREE, *FILES, *WORK), subject))
    return Health(
        store_id=store_id,
        active_snapshot_id=examination.shown.manifest.snapshot_id if examination.shown else None,
        ok=all(check.severity != FAIL for check in checks),
        checks=checks,
    )


def audit(store: Path, store_id: StoreId, *, clock: Clock | None = None) -> Audit:
    """Read the whole active snapshot of a store and compare it with its records.

    Raises:
        NoIndex: the store does not exist.
        Busy: the store is being collected or removed.
        Incompatible: a newer build wrote the active snapshot.
    """
    with reading(store, clock or SystemClock()):
        require_readable(store)
        examination = examine(store, store_id, deep=True)
        errors = tuple(
            AuditError(error.code, error.message)
            for error in run(DEEP, examination, failed="unreadable")
        )
        orphans = sorted(path.relative_to(store).as_posix() for path in unnamed(examination))
    return Audit(
        store_id=store_id,
        snapshot_id=examination.manifest.snapshot_id if examination.manifest else None,
        ok=not errors,
        errors=errors,
        orphans=tuple(map(sanitise_line, orphans)),
    )


def _state(store: Path) -> IndexState | None:
    try:
        return read_index_state(store_files.index_state_file(store))
    except GgrepError:
        return None  # the check `index_state` reports the error
