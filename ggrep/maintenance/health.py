"""Health: a list of checks over one store, each ok, warn or fail."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ggrep.config.settings import Settings
from ggrep.domain.ids import StoreId
from ggrep.errors import CorruptStore, GgrepError, NoIndex
from ggrep.layout import names
from ggrep.store.disk import store_bytes
from ggrep.store.journal import read_segment_map, read_tombstones
from ggrep.store.tables import count_rows
from ggrep.store.verify import Verifier
from ggrep.store.view import SnapshotView, open_active
from ggrep.sync.index_state import IndexState, read_index_state

OK = "ok"
WARN = "warn"
FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding.

    Attributes:
        severity: `ok`, `warn` or `fail`.
        paths: the files it concerns, all of them.
    """

    code: str
    severity: str
    message: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HealthReport:
    """All findings on one store."""

    store_id: StoreId
    active_snapshot_id: str | None
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Return False when any check failed."""
        return all(check.severity != FAIL for check in self.checks)


def check_health(store: Path, store_id: StoreId, settings: Settings, *, deep: bool) -> HealthReport:
    """Return the health of one store; `deep` hashes every artifact again.

    Raises:
        NoIndex: nothing was ever published.
    """
    if not store.is_dir():
        raise NoIndex("this repository has no index yet; run: ggrep index")
    try:
        view = open_active(store, store_id=store_id)
    except CorruptStore as error:
        return HealthReport(store_id, None, (Check("manifest_present", FAIL, str(error)),))
    state = read_index_state(names.index_state_file(store))
    checks = [*_snapshot_checks(view, deep=deep), *_state_checks(state), _growth(view, settings)]
    checks.append(_disk(store, settings))
    return HealthReport(store_id, view.manifest.snapshot_id, tuple(checks))


def _snapshot_checks(view: SnapshotView, *, deep: bool) -> Iterable[Check]:
    if view.notices:
        yield Check("manifest_present", FAIL, view.notices[0].message)
    else:
        yield Check("manifest_present", OK, "active manifest found and verified")
    segments = view.manifest.segments
    yield Check("segments_present", OK, f"tables and images in place, segments: {len(segments)}")
    if deep:
        yield _try("artifact_integrity", lambda: _rehash(view))
    yield _try("tombstones_enforced", lambda: _visibility_agrees(view))
    yield _try("index_drift", lambda: _rows_agree(view))
    yield _degraded(view)


def _try(code: str, check: Callable[[], str]) -> Check:
    try:
        return Check(code, OK, check())
    except GgrepError as error:
        return Check(code, FAIL, str(error))


def _rehash(view: SnapshotView) -> str:
    Verifier(view.store, full=True).manifest(view.manifest)
    return "every artifact hashes to what was published"


def _visibility_agrees(view: SnapshotView) -> str:
    """Recompute what is visible from tombstones and map, and compare with the stored masks."""
    hidden = read_tombstones(view.store, view.manifest.tombstones)
    places = read_segment_map(view.store, view.manifest.segment_map)
    for segment in view.segments:
        image = segment.image
        expected = [
            places.get(key, image.name if key not in hidden else None) == image.name
            for key in image.paths()
        ]
        if not np.array_equal(np.array(expected, dtype=np.bool_), segment.visible_files):
            raise CorruptStore(f"segment {image.name}: its mask disagrees with the segment map")
    return "masks agree with tombstones and segment map"


def _rows_agree(view: SnapshotView) -> str:
    for ref in view.manifest.segments:
        if count_rows(view.store, ref.table) != ref.rows:
            raise CorruptStore(f"segment {ref.table} does not have {ref.rows} rows")
    return f"{view.manifest.counts.chunks_indexed} rows where the manifest says so"


def _degraded(view: SnapshotView) -> Check:
    errors = view.manifest.errors
    if not errors:
        return Check("snapshot_complete", OK, "no file was left out for an error")
    paths = tuple(problem.path_key for problem in errors)
    message = f"problems while indexing: {view.manifest.problems}"
    return Check("snapshot_complete", WARN, message, paths)


def _state_checks(state: IndexState | None) -> Iterable[Check]:
    if state is None:
        yield Check("index_state", WARN, "index_state.json is missing; the next sync rewrites it")
        return
    if state.collisions:
        message = f"paths that differ only by case: {len(state.collisions)}"
        yield Check("casefold_collisions", FAIL, message, state.collisions)
    else:
        yield Check("casefold_collisions", OK, "no collisions detected")
    for notice in state.notices:
        yield Check(notice.code, WARN, notice.message)
    reasons: dict[str, list[str]] = defaultdict(list)
    for skip in state.skipped:
        reasons[skip.reason].append(skip.path_key)
    outside = reasons.get("out_of_root", []) + reasons.get("symlink_loop", [])
    yield Check(
        "path_safety",
        WARN if outside else OK,
        f"links out of the root or in circles, not followed: {len(outside)}",
        tuple(outside),
    )
    for reason in sorted(reasons):
        paths = tuple(reasons[reason])
        yield Check(f"skipped_{reason}", WARN, f"files that are not indexed: {len(paths)}", paths)


def _growth(view: SnapshotView, settings: Settings) -> Check:
    counts, segments = view.manifest.counts, len(view.manifest.segments)
    message = f"segments: {segments}, tombstones: {counts.tombstones_added}"
    overdue = segments > settings.max_segments
    return Check("compaction_policy", WARN if overdue else OK, message)


def _disk(store: Path, settings: Settings) -> Check:
    used = store_bytes(store)
    budget = settings.max_store_bytes
    severity = OK if not budget or used < 0.9 * budget else FAIL if used > budget else WARN
    bound = str(budget) if budget else "unlimited"
    return Check("disk_budgets", severity, f"store uses {used} bytes of {bound}")
