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


def damage(found: Examination) -> HealthCheck:
    """Return the damage of the index, in the words of every answer."""
    if found.damage is None:
        return HealthCheck("damage", OK, "no damage of the index is known")
    return HealthCheck("damage", FAIL, found.damage.notice.message)


def manifest_present(found: Examination) -> HealthCheck:
    """Return whether the pointer leads to a manifest."""
    if not found.problem:
        return HealthCheck("manifest_present", OK, "the pointer's manifest was found and read")
    return HealthCheck("manifest_present", FAIL, found.problem)


def segments_present(found: Examination) -> HealthCheck:
    """Return whether everything that the manifest names is there."""
    if found.manifest is None:
        return HealthCheck("segments_present", WARN, "not checked: there is no manifest to go by")
    missing = [fault.artifact for fault in found.faults if fault.missing]
    if missing:
        return HealthCheck("segments_present", FAIL, f"missing: {', '.join(missing)}")
    number = len(found.manifest.segments)
    return HealthCheck("segments_present", OK, f"tables and images in place, segments: {number}")


def artifact_integrity(found: Examination, *, deep: bool) -> HealthCheck:
    """Return whether the store's artifacts and the installed parsers are what was published."""
    changed = [fault.message for fault in found.faults if not fault.missing]
    changed += [f"installed parsers: {name}" for name in damaged_grammar_files(deep=deep)]
    if changed:
        return HealthCheck("artifact_integrity", FAIL, "; ".join(changed))
    if found.manifest is None:
        told = "not checked but for the parsers: there is no manifest to go by"
        return HealthCheck("artifact_integrity", WARN, told)
    how = "hash to what" if deep else "are by size and date what"
    return HealthCheck("artifact_integrity", OK, f"artifacts and parsers {how} was published")


def older_snapshots(found: Examination, store_id: StoreId, *, deep: bool) -> HealthCheck:
    """Return whether the snapshots that could stand in could do so."""
    active = found.manifest.snapshot_id if found.manifest else None
    others = [manifest for manifest in found.readable if manifest.snapshot_id != active]
    whole = {active, *(manifest.snapshot_id for manifest in others)}
    damaged = [name for name in found.snapshots if name not in whole]
    if deep:
        store, verifier = found.store, found.verifier
        damaged += [m.snapshot_id for m in others if faults_of(store, m, store_id, verifier)]
    if damaged:
        told = f"damaged, so they cannot replace the active one: {', '.join(sorted(damaged))}"
        return HealthCheck("older_snapshots", WARN, told)
    how = "can be read" if not deep else "are whole"
    return HealthCheck("older_snapshots", OK, f"{len(others)} older ones {how}")


def tombstones_enforced(found: Examination) -> HealthCheck:
    """Recompute what is visible from tombstones and map, and compare with the stored masks."""
    if found.view is None:
        return HealthCheck("tombstones_enforced", WARN, UNKNOWN)
    for segment, expected in expected_masks(found.view):
        if not np.array_equal(expected, segment.visible_files):
            name = segment.image.name
            raise CorruptStore(f"segment {name}: its mask disagrees with the segment map")
    return HealthCheck("tombstones_enforced", OK, "masks agree with tombstones and segment map")


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


def index_drift(found: Examination) -> HealthCheck:
    """Count the rows of every table that is whole."""
    if found.manifest is None:
        return HealthCheck("index_drift", WARN, UNKNOWN)
    for ref in _sound(found):
        rows = count_rows(found.store, ref.table)
        if rows != ref.rows:
            raise CorruptStore(f"segment {ref.table} has {rows} rows, not {ref.rows}")
    if found.faults:
        return HealthCheck("index_drift", WARN, UNKNOWN)
    rows = found.manifest.counts.chunks_indexed
    return HealthCheck("index_drift", OK, f"{rows} rows where the manifest says so")


def row_schema(found: Examination) -> HealthCheck:
    """Compare the columns of every table that is whole with those of this build."""
    if found.view is None:
        return HealthCheck("row_schema", WARN, UNKNOWN)
    for segment in found.view.segments:
        dimension = segment.image.dimension
        wrong = schema_differences(found.store, segment.image.name, dimension)
        if wrong:
            raise CorruptStore(f"segment {segment.image.name}: columns {', '.join(wrong)}")
    return HealthCheck("row_schema", OK, "tables have the columns of this build")


def snapshot_complete(found: Examination) -> HealthCheck:
    """Return whether files were left out for an error."""
    if found.manifest is None:
        return HealthCheck("snapshot_complete", WARN, UNKNOWN)
    if not found.manifest.errors:
        return HealthCheck("snapshot_complete", OK, "every file that could be read is indexed")
    paths = tuple(problem.path_key for problem in found.manifest.errors)
    message = f"problems while indexing: {found.manifest.problems}"
    return HealthCheck("snapshot_complete", WARN, message, paths)


def compaction_policy(found: Examination, settings: Settings) -> HealthCheck:
    """Return whether segments, tombstones or hidden rows have become many."""
    if found.view is None:
        return HealthCheck("compaction_policy", WARN, UNKNOWN)
    counts, segments = found.view.manifest.counts, len(found.view.segments)
    hidden = counts.chunks_indexed - counts.chunks_visible
    message = (
        f"segments: {segments}, tombstones: {counts.tombstones_added},"
        f" hidden rows: {hidden} of {counts.chunks_indexed}"
    )
    due = segments > settings.max_segments or overdue(found.view, settings) is not None
    return HealthCheck("compaction_policy", WARN if due else OK, message)


def _sound(found: Examination) -> Iterator[SegmentRef]:
    if found.manifest is not None:
        yield from (ref for ref in found.manifest.segments if found.is_sound(ref.table))
