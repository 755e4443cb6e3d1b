"""Health checks of the active snapshot: all named files exist and are intact."""

from collections.abc import Iterator

import numpy as np

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import StoreId
from ggrep.config.settings import Settings
from ggrep.index.maintenance.compaction_policy import overdue
from ggrep.index.maintenance.examination import Examination, faults_of
from ggrep.index.maintenance.findings import UNKNOWN
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.manifest import SegmentRef
from ggrep.index.store.salvage import implied_mask
from ggrep.index.store.table_scan import schema_differences
from ggrep.index.store.tables import count_rows
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.model.maintenance import FAIL, OK, WARN, HealthCheck
from ggrep.parse.languages.grammar_files import damaged_grammar_files


def damage(examination: Examination) -> HealthCheck:
    """Return the damage of the index, worded as in every answer."""
    if examination.damage is None:
        return HealthCheck("damage", OK, "no damage is known")
    return HealthCheck("damage", FAIL, examination.damage.notice.message)


def manifest_present(examination: Examination) -> HealthCheck:
    """Return whether the pointer leads to a manifest."""
    if not examination.problem:
        return HealthCheck(
            "manifest_present", OK, "the manifest of the active snapshot can be read"
        )
    return HealthCheck("manifest_present", FAIL, examination.problem)


def segments_present(examination: Examination) -> HealthCheck:
    """Return whether all files that the manifest names exist."""
    if examination.manifest is None:
        return HealthCheck("segments_present", WARN, "not checked: there is no readable manifest")
    missing = [fault.artifact for fault in examination.faults if fault.missing]
    if missing:
        return HealthCheck("segments_present", FAIL, f"missing: {', '.join(missing)}")
    number = len(examination.manifest.segments)
    return HealthCheck("segments_present", OK, f"all tables and images exist, segments: {number}")


def artifact_integrity(examination: Examination, *, deep: bool) -> HealthCheck:
    """Return whether the store's artifacts and the installed parsers are the published ones."""
    changed = [fault.message for fault in examination.faults if not fault.missing]
    changed += [f"installed parsers: {name}" for name in damaged_grammar_files(deep=deep)]
    if changed:
        return HealthCheck("artifact_integrity", FAIL, "; ".join(changed))
    if examination.manifest is None:
        message = "only the parsers were checked: there is no readable manifest"
        return HealthCheck("artifact_integrity", WARN, message)
    how = "have the hashes that" if deep else "have the sizes and dates that"
    return HealthCheck("artifact_integrity", OK, f"artifacts and parsers {how} were published")


def older_snapshots(examination: Examination, store_id: StoreId, *, deep: bool) -> HealthCheck:
    """Return whether the older snapshots could answer instead of the active one."""
    active = examination.manifest.snapshot_id if examination.manifest else None
    others = [manifest for manifest in examination.readable if manifest.snapshot_id != active]
    whole = {active, *(manifest.snapshot_id for manifest in others)}
    damaged = [name for name in examination.snapshots if name not in whole]
    if deep:
        store, verifier = examination.store, examination.verifier
        damaged += [m.snapshot_id for m in others if faults_of(store, m, store_id, verifier)]
    if damaged:
        message = (
            f"damaged snapshots, which cannot replace the active one: {', '.join(sorted(damaged))}"
        )
        return HealthCheck("older_snapshots", WARN, message)
    how = "can be read" if not deep else "are undamaged"
    return HealthCheck("older_snapshots", OK, f"{len(others)} older snapshots {how}")


def tombstones_enforced(examination: Examination) -> HealthCheck:
    """Recompute the visible rows from tombstones and map, and compare with the stored masks."""
    if examination.view is None:
        return HealthCheck("tombstones_enforced", WARN, UNKNOWN)
    for segment, expected in expected_masks(examination.view):
        if not np.array_equal(expected, segment.visible_files):
            name = segment.image.name
            raise CorruptStore(f"segment {name}: the mask does not match the segment map")
    return HealthCheck("tombstones_enforced", OK, "masks match the tombstones and the segment map")


def expected_masks(
    view: SnapshotView,
) -> Iterator[tuple[SegmentView, "np.ndarray[tuple[int], np.dtype[np.bool_]]"]]:
    """Yield each segment with the mask, bool (files,), that tombstones and segment map imply.

    Raises:
        CorruptStore: a journal file cannot be read.
    """
    hidden = read_tombstones(view.store, view.manifest.tombstones)
    places = read_segment_map(view.store, view.manifest.segment_map)
    for segment in view.segments:
        yield segment, implied_mask(segment.image, hidden, places)


def index_drift(examination: Examination) -> HealthCheck:
    """Count the rows of every readable table."""
    if examination.manifest is None:
        return HealthCheck("index_drift", WARN, UNKNOWN)
    for ref in _sound(examination):
        rows = count_rows(examination.store, ref.table)
        if rows != ref.rows:
            raise CorruptStore(f"segment {ref.table} has {rows} rows instead of {ref.rows}")
    if examination.faults:
        return HealthCheck("index_drift", WARN, UNKNOWN)
    rows = examination.manifest.counts.chunks_indexed
    return HealthCheck("index_drift", OK, f"{rows} rows, as in the manifest")


def row_schema(examination: Examination) -> HealthCheck:
    """Compare the columns of every readable table with the columns of this build."""
    if examination.view is None:
        return HealthCheck("row_schema", WARN, UNKNOWN)
    for segment in examination.view.segments:
        dimension = segment.image.dimension
        wrong = schema_differences(examination.store, segment.image.name, dimension)
        if wrong:
            raise CorruptStore(
                f"segment {segment.image.name} has wrong columns: {', '.join(wrong)}"
            )
    return HealthCheck("row_schema", OK, "tables have the columns of this build")


def snapshot_complete(examination: Examination) -> HealthCheck:
    """Return whether files were left out because of an error."""
    if examination.manifest is None:
        return HealthCheck("snapshot_complete", WARN, UNKNOWN)
    if not examination.manifest.errors:
        return HealthCheck("snapshot_complete", OK, "every file that could be read is indexed")
    paths = tuple(problem.path_key for problem in examination.manifest.errors)
    message = f"problems while indexing: {examination.manifest.problems}"
    return HealthCheck("snapshot_complete", WARN, message, paths)


def compaction_policy(examination: Examination, settings: Settings) -> HealthCheck:
    """Return whether the store has too many segments, tombstones or hidden rows."""
    if examination.view is None:
        return HealthCheck("compaction_policy", WARN, UNKNOWN)
    counts, segments = examination.view.manifest.counts, len(examination.view.segments)
    hidden = counts.chunks_indexed - counts.chunks_visible
    message = (
        f"segments: {segments}, tombstones: {counts.tombstones_added},"
        f" hidden rows: {hidden} of {counts.chunks_indexed}"
    )
    due = segments > settings.max_segments or overdue(examination.view, settings) is not None
    return HealthCheck("compaction_policy", WARN if due else OK, message)


def _sound(examination: Examination) -> Iterator[SegmentRef]:
    if examination.manifest is not None:
        yield from (ref for ref in examination.manifest.segments if examination.is_sound(ref.table))
