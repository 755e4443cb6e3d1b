"""The state of a store's active snapshot, read only from its pointer and manifest.

Stores are not opened. Their files are untrusted: a pointer to a path outside of the store, or to a
missing file, is reported as invalid. Nothing is cached.
"""

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.checksummed import Damaged, require_sound
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.base.formats import MANIFEST, ROW
from ggrep.base.ids import SegmentName, SnapshotId, parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config import store_files
from ggrep.model.response import GitState
from ggrep.model.sanitise import sanitise_line
from ggrep.model.workspace_state import Availability, IndexState, Pointer, SnapshotFigures

MAX_BYTES: Final = 8 << 20
"""Maximum size of a pointer or manifest."""

_SEALED_SINCE: Final = 2
_RETRIES: Final = 2

NO_ROOT: Final = IndexState(Pointer(exists=False, parse_ok=False), availability="missing-root")
"""State of a missing repository, whose store is not read."""

NOTHING: Final = IndexState(Pointer(exists=False, parse_ok=False), availability="missing-index-dir")
"""State of a store without a published snapshot."""


class _Artifact(Struct, frozen=True):
    """A file or directory of the snapshot, relative to the store."""

    path: str


class _Segment(Struct, frozen=True):
    """The table of a segment; manifests of the first layout lack the table's path."""

    table: SegmentName
    path: str = ""


class _Counts(Struct, frozen=True):
    files_indexed: int
    files_eligible: int
    chunks_visible: int


class _SnapshotManifest(Struct, frozen=True):
    """Fields of a snapshot's manifest that the federation reads."""

    snapshot_id: SnapshotId
    store_id: str
    ignore_fingerprint: str
    git: GitState | None
    segments: tuple[_Segment, ...]
    tombstones: tuple[_Artifact, ...]
    segment_map: tuple[_Artifact, ...]
    visibility: _Artifact
    counts: _Counts
    degraded: bool
    partial: bool


def read_index_state(store: Path, store_id: str) -> IndexState:
    """Return the state of a store's active snapshot.

    Between reading the pointer and reading the manifest, a new snapshot can be published and the
    old snapshot deleted. If files are missing and the pointer has changed, both are read again.
    """
    pointed = _pointed(store)
    state = _state(store, store_id, pointed)
    for _ in range(_RETRIES):
        if state.availability == "present" or (again := _pointed(store)) == pointed:
            break
        pointed, state = again, _state(store, store_id, again)
    return state


class _InvalidState(Exception):
    """A file of the store is unusable."""


def _pointed(store: Path) -> bytes | str | None:
    """Return the pointer's bytes, or why it cannot be read (a text); None without a pointer."""
    try:
        return _read(store_files.active_file(store), store)
    except FileNotFoundError:
        return None
    except _InvalidState as error:
        return str(error)


def _state(store: Path, store_id: str, pointed: bytes | str | None) -> IndexState:
    if pointed is None:
        return NOTHING
    if isinstance(pointed, str):
        return _broken(pointed, parse_ok=False)
    try:
        snapshot_id = parse_snapshot_id(pointed.decode("ascii").removesuffix("\n"))
    except (UnicodeDecodeError, InvalidRequest):
        return _broken("ACTIVE_SNAPSHOT does not contain a snapshot id", parse_ok=False)
    return _active(store, store_id, snapshot_id)


def _active(store: Path, store_id: str, snapshot_id: SnapshotId) -> IndexState:
    availability: Availability = "invalid-pointer"
    try:
        data = _read(store_files.manifest_file(store, snapshot_id), store)
        manifest = _manifest(snapshot_id, data)
    except FileNotFoundError:
        problem = f"snapshot {snapshot_id} has no manifest"
    except _InvalidState as error:
        problem = str(error)
    except Incompatible as error:
        problem, availability = str(error), "compat-key-missing"
    except (ValueError, Damaged, DecodeError) as error:
        problem = f"the manifest of snapshot {snapshot_id} cannot be read: {error}"
        availability = "missing-required-artifacts"
    else:
        if manifest.store_id == store_id:
            return _described(store, manifest)
        problem = "the manifest describes another store"
    return _broken(problem, availability, snapshot_id)


def _described(store: Path, manifest: _SnapshotManifest) -> IndexState:
    counts, git, missing = manifest.counts, manifest.git, _missing(store, manifest)
    problem = None if missing is None else sanitise_line(f"{missing} is missing")
    return IndexState(
        Pointer(exists=True, parse_ok=True, problem=problem),
        availability="present" if missing is None else "missing-required-artifacts",
        snapshot_id=manifest.snapshot_id,
        ignore_fingerprint=manifest.ignore_fingerprint,
        head_sha=git.head_sha if git else None,
        dirty=git.dirty if git else None,
        degraded=manifest.degraded,
        partial=manifest.partial,
        counts=SnapshotFigures(counts.files_indexed, counts.files_eligible, counts.chunks_visible),
    )


def _broken(
    problem: str,
    availability: Availability = "invalid-pointer",
    snapshot_id: SnapshotId | None = None,
    *,
    parse_ok: bool = True,
) -> IndexState:
    pointer = Pointer(exists=True, parse_ok=parse_ok, problem=sanitise_line(problem))
    trusted = None if availability == "invalid-pointer" else snapshot_id
    return IndexState(pointer, trusted, availability=availability)


def _manifest(snapshot_id: SnapshotId, data: bytes) -> _SnapshotManifest:
    values = stable_json.loads(data)
    require_sound(values, MANIFEST, since=_SEALED_SINCE)
    ROW.check(values.get(ROW.field))
    manifest = decode(_SnapshotManifest, values)
    if manifest.snapshot_id != snapshot_id:
        raise DecodeError("the manifest describes another snapshot")
    return manifest


def _missing(store: Path, manifest: _SnapshotManifest) -> str | None:
    """Return the first missing artifact; ignore segment images, which can be rebuilt."""
    paths = [manifest.visibility.path]
    paths += [part.path for part in (*manifest.tombstones, *manifest.segment_map)]
    paths += [
        part.path or store_files.table_dir(store, part.table).name for part in manifest.segments
    ]
    for path in paths:
        inside = path and ".." not in PurePosixPath(path).parts and not path.startswith("/")
        if not inside or not (store / path).exists():
            return path or "an artifact without a path"
    return None


def _read(path: Path, store: Path) -> bytes:
    """Return the content of a file in the store."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(store.resolve()):
            raise _InvalidState(f"{path.name} is a link to a place outside the store")
        # If the file is a pipe, opening it must not block.
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _InvalidState(f"{path.name} is not a regular file")
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if path.is_symlink():
            raise _InvalidState(f"{path.name} is a broken link") from None
        raise
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise _InvalidState(f"{path.name} cannot be read: {reason or 'a loop of links'}") from error
    if len(data) > MAX_BYTES:
        raise _InvalidState(f"{path.name} is larger than {MAX_BYTES} bytes")
    return data
