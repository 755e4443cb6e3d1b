"""The state of a store's active snapshot, read from its pointer and manifest alone.

No store is opened. Files there are not trusted: a pointer that leads out of its store, or to
nothing, is ignored, and no earlier reading is kept.
"""

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.checksummed import Damaged, require_sound
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.base.formats import MANIFEST, ROW
from ggrep.base.ids import SegmentName, SnapshotId, parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config import store_files
from ggrep.model.response import GitState

MAX_BYTES: Final = 8 << 20
"""Largest pointer or manifest that is read."""

_SEALED_SINCE: Final = 2
_RETRIES: Final = 2

Availability: TypeAlias = Literal[
    "present",
    "missing-root",
    "missing-index-dir",
    "missing-required-artifacts",
    "invalid-pointer",
    "compat-key-missing",
]
"""Availability of a corpus, or the reason for its absence."""


class Pointer(Struct, frozen=True):
    """The pointer to the active snapshot.

    Attributes:
        problem: the problem with its target, one line without absolute paths.
    """

    exists: bool
    parse_ok: bool
    problem: str | None = None


class Artifact(Struct, frozen=True):
    """A file or directory of the snapshot, relative to the store."""

    path: str


class Table(Struct, frozen=True):
    """A segment's table; manifests of the first layout do not spell its path."""

    table: SegmentName
    path: str = ""


class SnapshotCounts(Struct, frozen=True):
    """Figures of the visible view."""

    files_indexed: int
    files_eligible: int
    chunks_visible: int


class SnapshotFacts(Struct, frozen=True):
    """Fields of a snapshot's manifest that the federation reads."""

    snapshot_id: SnapshotId
    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    git: GitState | None
    segments: tuple[Table, ...]
    tombstones: tuple[Artifact, ...]
    segment_map: tuple[Artifact, ...]
    visibility: Artifact
    counts: SnapshotCounts
    degraded: bool
    partial: bool


class IndexState(Struct, frozen=True):
    """The state of a store.

    Attributes:
        snapshot_id: the active one; None when there is none that may be trusted.
        facts: fields of its manifest; None when that cannot be read.
    """

    pointer: Pointer
    reason: Availability
    snapshot_id: SnapshotId | None = None
    facts: SnapshotFacts | None = None


NO_ROOT: Final = IndexState(Pointer(exists=False, parse_ok=False), "missing-root")
"""State of a missing repository; its store is not searched for."""

NOTHING: Final = IndexState(Pointer(exists=False, parse_ok=False), "missing-index-dir")
"""The state of a store where nothing was ever published."""


def read_index_state(store: Path) -> IndexState:
    """Return the state of a store's active snapshot.

    A publish and a collection may pass between the reading of pointer and manifest: while what
    the pointer leads to is not there and the pointer has moved, it is followed again.
    """
    pointed = _pointed(store)
    state = _state(store, pointed)
    for _ in range(_RETRIES):
        if state.reason == "present" or (again := _pointed(store)) == pointed:
            break
        pointed, state = again, _state(store, again)
    return state


class _InvalidState(Exception):
    """The file found there is unusable."""


def _pointed(store: Path) -> bytes | str | None:
    """Return the pointer, the reason why it cannot be read, or None where there is none."""
    try:
        return _read(store_files.active_file(store), store)
    except FileNotFoundError:
        return None
    except _InvalidState as error:
        return str(error)


def _state(store: Path, pointed: bytes | str | None) -> IndexState:
    if pointed is None:
        return NOTHING
    if isinstance(pointed, str):
        return _invalid(pointed, parse_ok=False)
    try:
        snapshot_id = parse_snapshot_id(pointed.decode("ascii").removesuffix("\n"))
    except (UnicodeDecodeError, InvalidRequest):
        return _invalid("the pointer does not hold a snapshot id", parse_ok=False)
    return _followed(store, snapshot_id)


def _followed(store: Path, snapshot_id: SnapshotId) -> IndexState:
    """Return the state that the pointer leads to."""
    try:
        data = _read(store_files.manifest_file(store, snapshot_id), store)
    except FileNotFoundError:
        return _invalid(f"snapshot {snapshot_id} has no manifest", parse_ok=True)
    except _InvalidState as error:
        return _invalid(str(error), parse_ok=True)
    return _described(store, snapshot_id, data)


def _described(store: Path, snapshot_id: SnapshotId, data: bytes) -> IndexState:
    try:
        facts = _facts(snapshot_id, data)
    except Incompatible as error:
        pointer = Pointer(exists=True, parse_ok=True, problem=str(error))
        return IndexState(pointer, "compat-key-missing", snapshot_id)
    except (ValueError, Damaged, DecodeError) as error:
        problem = f"the manifest of snapshot {snapshot_id} cannot be read: {error}"
        pointer = Pointer(exists=True, parse_ok=True, problem=problem)
        return IndexState(pointer, "missing-required-artifacts", snapshot_id)
    missing = _missing(store, facts)
    if missing is not None:
        pointer = Pointer(exists=True, parse_ok=True, problem=f"{missing} is missing")
        return IndexState(pointer, "missing-required-artifacts", snapshot_id, facts)
    return IndexState(Pointer(exists=True, parse_ok=True), "present", snapshot_id, facts)


def _facts(snapshot_id: SnapshotId, data: bytes) -> SnapshotFacts:
    values = stable_json.loads(data)
    require_sound(values, MANIFEST, since=_SEALED_SINCE)
    ROW.check(values.get(ROW.field))
    facts = decode(SnapshotFacts, values)
    if facts.snapshot_id != snapshot_id:
        raise DecodeError("it describes another snapshot")
    return facts


def _missing(store: Path, facts: SnapshotFacts) -> str | None:
    """Return the first missing artifact; images do not count, as they can be rebuilt."""
    paths = [facts.visibility.path]
    paths += [part.path for part in (*facts.tombstones, *facts.segment_map)]
    paths += [part.path or store_files.table_dir(store, part.table).name for part in facts.segments]
    for path in paths:
        inside = path and ".." not in PurePosixPath(path).parts and not path.startswith("/")
        if not inside or not (store / path).exists():
            return path or "an artifact without a path"
    return None


def _invalid(problem: str, *, parse_ok: bool) -> IndexState:
    return IndexState(Pointer(exists=True, parse_ok=parse_ok, problem=problem), "invalid-pointer")


def _read(path: Path, store: Path) -> bytes:
    """Return a file of the store."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(store.resolve()):
            raise _InvalidState(f"{path.name} leads out of the store")
        # A pipe in its place would be waited for without an end.
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _InvalidState(f"{path.name} is no regular file")
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if path.is_symlink():
            raise _InvalidState(f"{path.name} is a link to nothing") from None
        raise
    except (OSError, RuntimeError) as error:
        raise _InvalidState(f"{path.name} cannot be read: {_why(error)}") from error
    if len(data) > MAX_BYTES:
        raise _InvalidState(f"{path.name} is larger than {MAX_BYTES} bytes")
    return data


def _why(error: OSError | RuntimeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "a loop of links"
