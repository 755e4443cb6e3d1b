"""Audit: checks that every recorded fact about the active snapshot is true, to the last byte.

Health asks whether a store can be relied on now; an audit reads all of it and counts again. It
looks at the pointer's snapshot alone: that an older one would stand in is itself an error.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import PathKey, StoreId
from ggrep.index.maintenance.audit_rows import Places, audit_segment
from ggrep.index.maintenance.examination import Examination, examine, reading
from ggrep.index.maintenance.findings import failed_call
from ggrep.index.maintenance.place_checks import unnamed
from ggrep.index.maintenance.snapshot_checks import expected_masks
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.store_versions import require_readable
from ggrep.index.store.view import SnapshotView


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found.

    Attributes:
        snapshot_id: the pointer's; None when it has no readable manifest.
        errors: codes and messages, in the order they were found.
        orphans: files and tables that no snapshot names; they are no error.
    """

    store_id: StoreId
    snapshot_id: str | None
    errors: tuple[tuple[str, str], ...]
    orphans: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether nothing is wrong."""
        return not self.errors


def audit(store: Path, store_id: StoreId, *, clock: Clock | None = None) -> AuditReport:
    """Read all of a store's active snapshot and compare it with what is said of it.

    Raises:
        NoIndex: there is no such store.
        Busy: the store is being collected or removed.
        Incompatible: a newer build wrote the active snapshot.
    """
    with reading(store, clock or SystemClock()):
        require_readable(store)
        found = examine(store, store_id, deep=True)
        errors = tuple(_errors(found))
        orphans = tuple(path.relative_to(store).as_posix() for path in unnamed(found))
    snapshot_id = found.manifest.snapshot_id if found.manifest else None
    return AuditReport(store_id, snapshot_id, errors, tuple(sorted(orphans)))


def _errors(found: Examination) -> Iterator[tuple[str, str]]:
    if found.manifest is None:
        yield "manifest_unreadable", found.problem
    for fault in found.faults:
        yield ("artifact_missing" if fault.missing else "artifact_changed"), fault.message
    if found.is_replaced:
        yield "snapshot_fallback", f"queries answer from snapshot {found.stand_in} instead"
    if found.manifest is not None:
        yield from _figures(found.manifest)
    if found.view is not None:
        yield from _guarded(_visible(found.view))
        yield from _guarded(_masks(found.view))
        yield from _guarded(_rows(found.view))


def _guarded(look: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield what a look finds; where it cannot go on, that is an error like others."""
    try:
        yield from look
    except GgrepError as error:
        yield "unreadable", str(error)
    except OSError as error:
        yield "unreadable", failed_call(error)


def _figures(manifest: SnapshotManifest) -> Iterator[tuple[str, str]]:
    """Compare sums of the manifest with what they are sums of."""
    counts = manifest.counts
    rows = sum(ref.rows for ref in manifest.segments)
    if rows != counts.chunks_indexed:
        told = f"segments have {rows} rows, chunks_indexed is {counts.chunks_indexed}"
        yield "counts_mismatch", f"{told}; run: ggrep repair"
    tombstones = sum(ref.count for ref in manifest.tombstones)
    if tombstones != counts.tombstones_added:
        told = f"{tombstones} tombstones, tombstones_added is {counts.tombstones_added}"
        yield "tombstones_mismatch", told
    doubled = [
        name for name, times in Counter(r.table for r in manifest.segments).items() if times > 1
    ]
    if doubled:
        yield "segment_twice", f"named more than once: {', '.join(sorted(doubled))}"


def _visible(view: SnapshotView) -> Iterator[tuple[str, str]]:
    """Recount what the masks show."""
    counts, files, rows = view.manifest.counts, 0, 0
    lengths = np.zeros(len(counts.lengths), dtype=np.uint64)
    seen: Counter[PathKey] = Counter()
    for segment in view.segments:
        shown = segment.visible_rows()
        files += int(segment.visible_files.sum())
        rows += int(shown.sum())
        for field in range(len(lengths)):
            lengths[field] += segment.image.row_lengths(field).sum(where=shown, dtype=np.uint64)
        paths = segment.image.paths()
        seen.update(paths[int(file)] for file in np.flatnonzero(segment.visible_files))
    found = (files, rows, tuple(lengths.tolist()))
    said = (counts.files_indexed, counts.chunks_visible, counts.lengths)
    if found != said:
        yield "visible_mismatch", f"visible files, rows and lengths are {found}, counted as {said}"
    for key in sorted(key for key, times in seen.items() if times > 1):
        yield "path_twice", f"visible in more than one segment: {key}"


def _masks(view: SnapshotView) -> Iterator[tuple[str, str]]:
    for segment, expected in expected_masks(view):
        wrong = np.flatnonzero(expected != segment.visible_files)
        if len(wrong):
            key = segment.image.path(int(wrong[0]))
            told = f"{len(wrong)} files, the first is {key}"
            yield "visibility_mismatch", f"segment {segment.image.name}: {told}"


def _rows(view: SnapshotView) -> Iterator[tuple[str, str]]:
    places = Places()
    for ref, segment in zip(view.manifest.segments, view.segments, strict=True):
        yield from audit_segment(view.store, ref, segment, places)
