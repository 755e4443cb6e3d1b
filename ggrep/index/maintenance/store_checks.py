"""Health checks of a store: integrity of the snapshot's files, space, modes, leftover files."""

import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.durable import modes_in
from ggrep.base.errors import CorruptStore
from ggrep.config.home import Home
from ggrep.index.maintenance.compaction_policy import overdue
from ggrep.index.maintenance.examination import Examination, Subject, faults_of
from ggrep.index.maintenance.findings import (
    UNKNOWN,
    Checks,
    fail,
    given,
    ok,
    warn,
    warn_if,
)
from ggrep.index.store import needed_files
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.filesystem import refuse_network
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.salvage import implied_mask
from ggrep.index.store.store_opening import require_mode
from ggrep.index.store.table_scan import schema_differences
from ggrep.index.store.tables import count_rows
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.model.maintenance import HealthCheck
from ggrep.model.status import NEAR
from ggrep.parse.languages.grammar_files import damaged_grammar_files

_NAMED = 3
"""Maximum number of files with a wrong mode that a message names."""


def view_of(subject: Subject) -> SnapshotView | None:
    """Return the opened active snapshot; None if it is damaged."""
    return subject.examination.view


def _manifest_of(subject: Subject) -> SnapshotManifest | None:
    return subject.examination.manifest


def _damage(subject: Subject) -> HealthCheck:
    damage = subject.examination.damage
    return ok("no damage is known") if damage is None else fail(damage.notice.message)


def _manifest_present(subject: Subject) -> HealthCheck:
    problem = subject.examination.problem
    return fail(problem) if problem else ok("the manifest of the active snapshot can be read")


def _segments_present(subject: Subject, manifest: SnapshotManifest) -> HealthCheck:
    missing = [fault.artifact for fault in subject.examination.faults if fault.missing]
    if missing:
        return fail(f"missing: {', '.join(missing)}")
    return ok(f"all tables and images exist, segments: {len(manifest.segments)}")


def _artifact_integrity(subject: Subject) -> HealthCheck:
    """Compare the store's artifacts and the installed parsers with their published hashes."""
    examination = subject.examination
    changed = [fault.message for fault in examination.faults if not fault.missing]
    broken = damaged_grammar_files(deep=examination.deep)
    changed += [f"installed parsers: {name}" for name in broken]
    if changed:
        return fail("; ".join(changed))
    if examination.manifest is None:
        return warn("only the parsers were checked: there is no readable manifest")
    how = "have the hashes that" if examination.deep else "have the sizes and dates that"
    return ok(f"artifacts and parsers {how} were published")


def _older_snapshots(subject: Subject) -> HealthCheck:
    """Return whether the older snapshots could answer in place of the active snapshot."""
    this = subject.examination
    active = this.manifest.snapshot_id if this.manifest else None
    others = [manifest for manifest in this.readable if manifest.snapshot_id != active]
    readable = {active, *(manifest.snapshot_id for manifest in others)}
    damaged = [name for name in this.snapshots if name not in readable]
    if this.deep:
        damaged += [
            manifest.snapshot_id
            for manifest in others
            if faults_of(this.store, manifest, this.store_id, this.verifier)
        ]
    if damaged:
        return warn(
            f"{len(damaged)} older snapshots are damaged and cannot replace the active one; the "
            f"newest is {max(damaged)}"
        )
    how = "are undamaged" if this.deep else "have readable manifests"
    return ok(f"{len(others)} older snapshots {how}")


def _tombstones_enforced(_: Subject, view: SnapshotView) -> HealthCheck:
    """Compute the visible rows from tombstones and segment map; compare with the stored masks."""
    for segment, expected in expected_masks(view):
        if not np.array_equal(expected, segment.visible_files):
            name = segment.image.name
            raise CorruptStore(f"segment {name}: the mask does not match the segment map")
    return ok("masks match the tombstones and the segment map")


def expected_masks(view: SnapshotView) -> Iterator[tuple[SegmentView, npt.NDArray[np.bool_]]]:
    """Yield each segment with the mask, bool (files,), computed from tombstones and segment map.

    Raises:
        CorruptStore: a journal file cannot be read.
    """
    hidden = read_tombstones(view.store, view.manifest.tombstones)
    places = read_segment_map(view.store, view.manifest.segment_map)
    for segment in view.segments:
        yield segment, implied_mask(segment.image, hidden, places)


def _index_drift(subject: Subject, manifest: SnapshotManifest) -> HealthCheck:
    """Compare the number of rows of every readable table with the manifest."""
    examination = subject.examination
    for ref in manifest.segments:
        if examination.is_sound(ref.table):
            rows = count_rows(examination.store, ref.table)
            if rows != ref.rows:
                raise CorruptStore(f"segment {ref.table} has {rows} rows instead of {ref.rows}")
    if examination.faults:
        return UNKNOWN
    return ok(f"{manifest.counts.chunks_indexed} rows, as in the manifest")


def _row_schema(_: Subject, view: SnapshotView) -> HealthCheck:
    """Compare the columns of every table with the columns of this build."""
    for segment in view.segments:
        name = segment.image.name
        if wrong := schema_differences(view.store, name, segment.image.dimension):
            raise CorruptStore(f"segment {name} has wrong columns: {', '.join(wrong)}")
    return ok("tables have the columns of this build")


def _snapshot_complete(_: Subject, manifest: SnapshotManifest) -> HealthCheck:
    """Return whether files were left out because of an error."""
    if not manifest.errors:
        return ok("every file that could be read is indexed")
    paths = (problem.path_key for problem in manifest.errors)
    return warn(f"problems while indexing: {manifest.problems}", paths)


def _compaction_policy(subject: Subject, view: SnapshotView) -> HealthCheck:
    """Return whether the store has too many segments, tombstones or hidden rows."""
    counts, segments = view.manifest.counts, len(view.segments)
    hidden = counts.chunks_indexed - counts.chunks_visible
    due = segments > subject.settings.max_segments or overdue(view, subject.settings) is not None
    return warn_if(
        due,
        f"segments: {segments}, tombstones: {counts.tombstones_added},"
        f" hidden rows: {hidden} of {counts.chunks_indexed}",
    )


def _disk_budget(what: str, subject: Subject) -> HealthCheck:
    """Compare a directory's size with its budget in bytes; 0 means unlimited."""
    store, settings = subject.examination.store, subject.settings
    home = Home.of_store(store)
    directory, budget = {
        "store": (store, settings.max_store_bytes),
        "cache": (home.cache, settings.max_cache_bytes),
        "logs": (home.logs, settings.max_log_bytes),
    }[what]
    used = store_bytes(directory)
    message = f"{what} uses {used} bytes" + (f" of {budget}" if budget else "; no limit is set")
    if budget and used > budget:
        return fail(message)
    return warn_if(budget and used >= NEAR * budget, message)


def _permissions(subject: Subject) -> HealthCheck:
    """Return whether exactly the intended users can read the store."""
    store = subject.examination.store
    require_mode(store, shared=subject.settings.shared_store)
    modes = modes_in(store.parent)
    if stat.S_IMODE(store.stat().st_mode) & ~modes.directory:
        return fail("other users can list the store's directory")
    odd = sorted(
        path.relative_to(store).as_posix()
        for path in store.rglob("*")
        if stat.S_IMODE(path.lstat().st_mode) != (modes.directory if path.is_dir() else modes.file)
    )
    if odd:
        named = ", ".join(odd[:_NAMED])
        return warn(f"files with a wrong mode: {len(odd)}: {named}")
    return ok("all directories and files have the right mode")


def _filesystem(subject: Subject) -> HealthCheck:
    refuse_network(subject.examination.store)
    return ok("the store is on a local file system")


def _orphans(subject: Subject, manifest: SnapshotManifest) -> HealthCheck:
    """Sum the sizes of files that no snapshot names; the next collection deletes them."""
    examination = subject.examination
    size = sum(_bytes(path) for path in unnamed(examination))
    older = sum(each != manifest for each in examination.readable)
    return ok(f"bytes that no snapshot uses: {size}; snapshots besides the active one: {older}")


def unnamed(examination: Examination) -> list[Path]:
    """Return the tables and files that no snapshot names, and staged or dropped files."""
    kept = {
        path
        for manifest in examination.readable
        for path in needed_files.named(examination.store, manifest)
    }
    lying = needed_files.unnamed(examination.store, kept)
    files = (file for path in lying.snapshots for file in needed_files.entries(path) or [path])
    return [*files, *lying.segments, *lying.leftovers]


def _bytes(path: Path) -> int:
    return store_bytes(path) if path.is_dir() else path.lstat().st_size if path.exists() else 0


_NO_MANIFEST = warn("not checked: there is no readable manifest")

SNAPSHOT: Final[Checks[Subject]] = (
    ("damage", _damage),
    ("manifest_present", _manifest_present),
    ("segments_present", given(_manifest_of, _segments_present, _NO_MANIFEST)),
    ("artifact_integrity", _artifact_integrity),
    ("older_snapshots", _older_snapshots),
    ("tombstones_enforced", given(view_of, _tombstones_enforced)),
    ("index_drift", given(_manifest_of, _index_drift)),
    ("row_schema", given(view_of, _row_schema)),
    ("snapshot_complete", given(_manifest_of, _snapshot_complete)),
    ("compaction_policy", given(view_of, _compaction_policy)),
)
FILES: Final[Checks[Subject]] = (
    ("disk_budgets", partial(_disk_budget, "store")),
    ("disk_budgets_cache", partial(_disk_budget, "cache")),
    ("disk_budgets_logs", partial(_disk_budget, "logs")),
    ("permissions", _permissions),
    ("filesystem", _filesystem),
    ("orphans", given(_manifest_of, _orphans)),
)
