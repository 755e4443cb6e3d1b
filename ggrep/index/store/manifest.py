"""The snapshot manifest: a complete description of one immutable view, and its JSON."""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.checksummed import Damaged, require_sound, seal
from ggrep.base.errors import CorruptStore, InvalidRequest
from ggrep.base.formats import MANIFEST, ROW
from ggrep.base.ids import SegmentName, SnapshotId, StoreId, parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config import store_files
from ggrep.config.fingerprints import parse_store_id, repo_id
from ggrep.index.store.active import read_active
from ggrep.index.store.read_failures import read_failure
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile

_MAX_BYTES = 8 << 20
_SEALED_SINCE = 2
MAX_PROBLEMS = 1000
"""Maximum number of problems in a manifest; further problems are only counted."""


class FileRef(Struct, frozen=True):
    """An artifact inside the store.

    Attributes:
        path: relative to the store directory.
        count: lines of a JSONL file; 0 for an image.
        sha256: lower-case hex.
        ref_type: `jsonl` or `image`.
    """

    path: str
    count: int
    size_bytes: int
    sha256: str
    ref_type: str = "jsonl"


class SegmentRef(Struct, frozen=True):
    """A segment: its table and its image.

    Attributes:
        kind: `delta`, or `compacted` if the segment was merged from others.
        rows: all rows, hidden ones included.
        sha256: digest of the table's files, see `tables.measure_table`.
        path: path of the table's directory, relative to the store.
    """

    kind: str
    table: SegmentName
    rows: int
    files: int
    size_bytes: int
    sha256: str
    image: FileRef
    path: str = ""
    ref_type: str = "lancedb_table"


class Counts(Struct, frozen=True):
    """Counts of a snapshot.

    Attributes:
        chunks_indexed: rows of all segments, hidden ones included.
        tombstones_added: lines of all tombstone files.
        lengths: total terms of visible rows in body, name, crumb and doc.
    """

    files_indexed: int
    files_eligible: int
    chunks_indexed: int
    chunks_visible: int
    tombstones_added: int
    lengths: tuple[int, ...]


class SnapshotManifest(Struct, frozen=True):
    """The manifest of one snapshot; it does not refer to other manifests.

    Attributes:
        canonical_root: canonical path of the work tree; empty in a pulled snapshot before the first
            sync.
        store_id: id of the store, which is the name of its directory.
        errors: the first MAX_PROBLEMS files that are missing or outdated because of an error.
        errors_total: number of all such files; 0 if `errors` contains all of them.
        index_id: name of the index in answers, the same on every machine; empty in manifests of
            earlier builds, where the store's id is the name (see `name`).
    """

    snapshot_id: SnapshotId
    parent_snapshot_id: SnapshotId | None
    created_at: str
    canonical_root: str
    store_id: StoreId
    config_fingerprint: str
    ignore_fingerprint: str
    embed_config_fingerprint: str
    lease_epoch: int
    git: GitState | None
    segments: tuple[SegmentRef, ...]
    tombstones: tuple[FileRef, ...]
    segment_map: tuple[FileRef, ...]
    visibility: FileRef
    counts: Counts
    degraded: bool
    partial: bool
    errors: tuple[DegradedFile, ...]
    errors_total: int = 0
    index_id: str = ""

    @property
    def name(self) -> StoreId:
        """Return the name of the index in answers, the same for every copy of it."""
        return StoreId(self.index_id) if self.index_id else self.store_id

    @property
    def problems(self) -> int:
        """Return the number of files that are missing or outdated because of an error."""
        return max(self.errors_total, len(self.errors))


def to_bytes(manifest: SnapshotManifest) -> bytes:
    """Return the manifest's file content."""
    values = asdict(manifest)
    values[MANIFEST.field] = MANIFEST.writes
    values[ROW.field] = ROW.writes
    return stable_json.dumps_pretty(seal(values, MANIFEST))


def read_manifest(store: Path, snapshot_id: SnapshotId) -> SnapshotManifest:
    """Return a snapshot's manifest.

    Raises:
        CorruptStore: the manifest is missing, oversized, or of another snapshot.
        Incompatible: a newer build wrote the manifest.
        StoreError: the manifest cannot be read now.
    """
    path = store_files.manifest_file(store, snapshot_id)
    label = f"snapshots/{snapshot_id}/{path.name}"
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CorruptStore(f"the manifest {label} is larger than {_MAX_BYTES} bytes")
        values = stable_json.loads(path.read_bytes())
    except OSError as error:
        raise read_failure(label, error) from error
    except ValueError as error:
        raise CorruptStore(f"{label} is not JSON") from error
    try:
        require_sound(values, MANIFEST, since=_SEALED_SINCE)
        ROW.check(values.get(ROW.field))
        manifest = decode(SnapshotManifest, values)
        parse_snapshot_id(manifest.snapshot_id)
    except (Damaged, DecodeError, InvalidRequest) as error:
        raise CorruptStore(f"{label}: {error}") from error
    if manifest.snapshot_id != snapshot_id:
        raise CorruptStore(f"{label} describes snapshot {manifest.snapshot_id}")
    try:
        is_sound = _fits_store(manifest)
    except InvalidRequest as error:
        raise CorruptStore(f"{label}: {error}") from error
    if not is_sound:
        raise CorruptStore(f"manifest {label}: store_id does not belong to canonical_root")
    return manifest


def read_active_manifest(store: Path) -> SnapshotManifest | None:
    """Return the manifest of the active snapshot; None if nothing was ever published.

    Raises:
        CorruptStore: pointer or manifest is damaged.
        Incompatible: a newer build wrote the manifest.
        StoreError: pointer or manifest cannot be read now.
    """
    active = read_active(store)
    return None if active is None else read_manifest(store, active)


def _fits_store(manifest: SnapshotManifest) -> bool:
    """Return whether `store_id` belongs to `canonical_root`; no digest covers these fields."""
    if not manifest.canonical_root:
        return True
    named = parse_store_id(manifest.store_id).repo_id
    return named == repo_id(Path(manifest.canonical_root))
