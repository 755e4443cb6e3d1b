"""Verifies that every artifact has the size and hash that the manifest contains.

The results are recorded on disk, together with the size, times and inode of each file, so that a
store is not hashed again at every start. A full check ignores the record and replaces it.

One of the times is the change time (ctime), because it cannot be set back. The change time also
changes when a hard link is created or removed; code that does so verifies the artifacts again
(`reverify`). If two stores share files by links, and one of them deletes a segment or is removed,
the other store's files are hashed again when it is opened next.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, StoreError
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.index.store.disk import measure_file
from ggrep.index.store.manifest import FileRef, SegmentRef, SnapshotManifest
from ggrep.index.store.needed_files import file_refs
from ggrep.index.store.read_failures import read_failure
from ggrep.index.store.tables import measure_table, table_files

Stamp = tuple[int, int, int, int]
"""Size, modification and change time in nanoseconds, inode."""


class _Artifact(Struct, frozen=True):
    """A table or file: its size and digest in the manifest, and the signature of its files on disk.

    Attributes:
        signature: see `_signature`.
    """

    name: str
    size_bytes: int
    sha256: str
    signature: str

    @property
    def sound(self) -> str:
        """Return the record of an intact artifact."""
        return f"{self.sha256} {self.signature}"

    @property
    def damaged(self) -> str:
        """Return the record of a damaged artifact."""
        return f"damaged {self.sound}"


class Mender(Protocol):
    """Rebuilds derived files in place, byte for byte as they were published."""

    def image(self, ref: SegmentRef) -> None:
        """Rebuild a segment's image from its table.

        Requires: the table is intact.

        Raises:
            CorruptStore: the image cannot be rebuilt; the message contains the reason.
            DeadlineExceeded: time ran out.
        """
        ...

    def masks(self, manifest: SnapshotManifest) -> None:
        """Rebuild a snapshot's masks from its journal.

        Requires: journal and images are intact.

        Raises:
            CorruptStore: the masks cannot be rebuilt; the message contains the reason.
        """
        ...


class Verifier:
    """Verifies artifacts of one store; skips recorded artifacts that have not changed since.

    Args:
        full: whether to hash all artifacts again, regardless of the record.
        deadline: checked before each artifact.
        mender: rebuilds damaged derived files; None to leave them damaged.

    Attributes:
        stamps: the stat of each file at its verification, for `lie_still`.
    """

    def __init__(
        self,
        store: Path,
        *,
        full: bool = False,
        deadline: Deadline | None = None,
        mender: Mender | None = None,
    ) -> None:
        self._store = store
        self._deadline = deadline
        self._mender = mender
        self._known: dict[str, str] = {} if full else _load(store_files.verified_file(store))
        self._fresh: dict[str, str] = {}
        self.stamps: dict[str, Stamp] = {}

    def manifest(self, manifest: SnapshotManifest, *, store_id: StoreId | None = None) -> None:
        """Check a whole snapshot.

        Raises:
            CorruptStore: an artifact differs from the manifest; the message names the first.
            StoreError: an artifact cannot be read now.
            DeadlineExceeded: time ran out.
        """
        self.answers(manifest, store_id=store_id)
        self.journal(manifest)

    def answers(self, manifest: SnapshotManifest, *, store_id: StoreId | None = None) -> None:
        """Check the artifacts that answers need: all except the journal."""
        self.figures(manifest, store_id=store_id)
        for segment in manifest.segments:
            self.segment(segment)

        def mend(mender: Mender) -> None:
            self.journal(manifest)
            mender.masks(manifest)

        self._derived(manifest.visibility, mend)

    def journal(self, manifest: SnapshotManifest) -> None:
        """Check tombstones and segment map, which only writers and checks read."""
        for ref in (*manifest.tombstones, *manifest.segment_map):
            self.file(ref)

    @staticmethod
    def figures(manifest: SnapshotManifest, *, store_id: StoreId | None = None) -> None:
        """Check the sums in a manifest; no file is read.

        Raises:
            CorruptStore: a sum is wrong, or the manifest belongs to another store.
        """
        if store_id is not None and manifest.store_id != store_id:
            raise CorruptStore(
                f"manifest of {manifest.snapshot_id}: store_id belongs to another store"
            )
        counts = manifest.counts
        if counts.chunks_indexed != sum(ref.rows for ref in manifest.segments):
            raise CorruptStore(
                f"manifest of {manifest.snapshot_id}: chunks_indexed is not the sum of the rows"
            )
        if counts.tombstones_added != sum(ref.count for ref in manifest.tombstones):
            raise CorruptStore(
                f"manifest of {manifest.snapshot_id}: tombstones_added is not the sum of "
                "the tombstones"
            )

    def segment(self, ref: SegmentRef) -> None:
        """Check one segment's table and image."""
        self.table(ref)
        self._derived(ref.image, lambda mender: mender.image(ref))

    def table(self, ref: SegmentRef) -> None:
        """Check one segment's table."""
        self._check_time()
        try:
            files = (path for path, _ in table_files(self._store, ref.table))
            signature = self._noted(*files)
        except OSError as error:
            raise read_failure(f"segment {ref.table}", error) from error
        self._judge(
            _Artifact(ref.table, ref.size_bytes, ref.sha256, signature),
            lambda: measure_table(self._store, ref.table),
            f"segment {ref.table} is corrupt",
        )

    def file(self, ref: FileRef) -> None:
        """Check one file."""
        self._check_time()
        path = self._store / ref.path
        try:
            self._judge(
                _Artifact(ref.path, ref.size_bytes, ref.sha256, self._noted(path)),
                lambda: measure_file(path),
                f"{ref.path} is corrupt",
            )
        except OSError as error:
            raise read_failure(ref.path, error) from error

    def save(self, *, only: SnapshotManifest | None = None) -> None:
        """Record the verified artifacts.

        A read-only store has no record and is verified again next time.

        Args:
            only: a snapshot; records of artifacts outside of it are removed.
        """
        if not self._fresh:
            return
        values = {**self._known, **self._fresh}
        if only is not None:
            named = _names(only)
            values = {name: value for name, value in values.items() if name in named}
        path = store_files.verified_file(self._store)
        try:
            with suppress(FileExistsError):
                durable.create_directory(path.parent)  # a deleted store is not created again
            durable.replace_file(path, stable_json.dumps(values), lasting=False)
        except OSError:
            return

    def _derived(self, ref: FileRef, mend: Callable[[Mender], None]) -> None:
        """Check a derived file, and rebuild it if it is damaged."""
        try:
            self.file(ref)
        except StoreError as error:
            unreadable = isinstance(error.__cause__, PermissionError)  # a rebuilt file is readable
            if self._mender is None or not (isinstance(error, CorruptStore) or unreadable):
                raise
            mend(self._mender)
            self.file(ref)

    def _noted(self, *paths: Path) -> str:
        """Return the signature of an artifact's files, after recording their stats."""
        stamps = {str(path): stamp_of(str(path)) for path in paths}
        self.stamps |= stamps
        return _signature(stamps)

    def _check_time(self) -> None:
        if self._deadline is not None:
            self._deadline.check("opening the snapshot")

    def _judge(
        self, artifact: _Artifact, measure: Callable[[], tuple[int, str]], damage: str
    ) -> None:
        """Compare an artifact with its manifest, unless it was compared since its last change."""
        known = self._fresh.get(artifact.name, self._known.get(artifact.name))
        if known not in {artifact.sound, artifact.damaged}:
            whole = measure() == (artifact.size_bytes, artifact.sha256)
            known = self._fresh[artifact.name] = artifact.sound if whole else artifact.damaged
        if known == artifact.damaged:
            raise CorruptStore(damage)


def reverify(store: Path, manifest: SnapshotManifest) -> None:
    """Verify a snapshot now and record the result; damage is not raised here, but on its next use.

    Requires: the caller holds the writer lease.
    """
    verifier = Verifier(store)
    with suppress(StoreError):
        verifier.manifest(manifest)
    verifier.save(only=manifest)


def _names(manifest: SnapshotManifest) -> set[str]:
    return {*(ref.path for ref in file_refs(manifest)), *(ref.table for ref in manifest.segments)}


def lie_still(stamps: Mapping[str, Stamp]) -> bool:
    """Return whether the stats of all files are unchanged; False if a file cannot be read."""
    try:
        return all(stamp_of(path) == stamp for path, stamp in stamps.items())
    except OSError:
        return False


def _signature(stamps: Mapping[str, Stamp]) -> str:
    digest = hashlib.sha256()
    for path, (size, modified_ns, changed_ns, inode) in stamps.items():
        name = path.rpartition("/")[2]
        digest.update(f"{name} {size} {modified_ns} {changed_ns} {inode}\n".encode())
    return digest.hexdigest()


def stamp_of(path: str) -> Stamp:
    """Return a file's size, modification time, change time and inode.

    The change time cannot be set back.
    """
    status = os.stat(path)  # noqa: PTH116 - before each query, for every file
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def stamp_or_none(path: str) -> Stamp | None:
    """Return a file's stamp, as `stamp_of` does; None if the file cannot be read."""
    try:
        return stamp_of(path)
    except OSError:
        return None


def _load(path: Path) -> dict[str, str]:
    try:
        values = stable_json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(key): str(value) for key, value in values.items()}
