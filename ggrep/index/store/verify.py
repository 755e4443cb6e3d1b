"""Verifies that every artifact of a manifest has the size and hash recorded there.

What was verified, and what was found damaged, is remembered by its files' size, times and inode,
on disk, so that a store is hashed once and not at every start; a full check ignores the memory,
and what it finds whole is damaged no more.

Of the times one is when the file itself was changed last, because nobody can set that back. It
moves as well when a hard link comes or goes: who links artifacts or deletes links verifies them
again (`reverify`). One case is left to the next opening, which hashes what both had: when one of
two stores that share links collects a segment, or is removed.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
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
    """A table or file: what a manifest says of it, and how it lies there.

    Attributes:
        signature: see `_signature`.
    """

    name: str
    size_bytes: int
    sha256: str
    signature: str

    @property
    def sound(self) -> str:
        """Return what is remembered of it once it was found whole."""
        return f"{self.sha256} {self.signature}"

    @property
    def damaged(self) -> str:
        """Return what is remembered of it once it was not."""
        return f"damaged {self.sound}"


class Mender(Protocol):
    """Makes again what is derived, byte for byte as it was published, where it lay."""

    def image(self, ref: SegmentRef) -> None:
        """Make a segment's image from its table.

        Requires: the table is sound.

        Raises:
            CorruptStore: that cannot be done, and why.
            DeadlineExceeded: time ran out.
        """
        ...

    def masks(self, manifest: SnapshotManifest) -> None:
        """Make a snapshot's masks from its journal.

        Requires: journal and images are sound.

        Raises:
            CorruptStore: that cannot be done, and why.
        """
        ...


class Verifier:
    """Verifies artifacts of one store, remembering what did not change since.

    Args:
        full: hash everything again, whatever is remembered.
        deadline: checked before each artifact.
        mender: makes derived files again where they are damaged; None to leave them so.

    Attributes:
        stamps: how each file lay when it was verified, for `lie_still`.
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
            CorruptStore: names the first artifact that is not what the manifest says.
            StoreError: an artifact cannot be read now.
            DeadlineExceeded: time ran out.
        """
        self.answers(manifest, store_id=store_id)
        self.journal(manifest)

    def answers(self, manifest: SnapshotManifest, *, store_id: StoreId | None = None) -> None:
        """Check what answers are made of: all but the journal."""
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
        """Check what a manifest says of itself; nothing is read.

        Raises:
            CorruptStore: a sum is wrong, or it belongs to another store.
        """
        if store_id is not None and manifest.store_id != store_id:
            raise CorruptStore(f"manifest of {manifest.snapshot_id}: store_id of another store")
        counts = manifest.counts
        if counts.chunks_indexed != sum(ref.rows for ref in manifest.segments):
            raise CorruptStore(f"manifest of {manifest.snapshot_id}: chunks_indexed is not the sum")
        if counts.tombstones_added != sum(ref.count for ref in manifest.tombstones):
            raise CorruptStore(
                f"manifest of {manifest.snapshot_id}: tombstones_added is not the sum"
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
        """Remember what was verified; a read-only store is verified again next time.

        Args:
            only: forget all that this snapshot does not name.
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
                durable.create_directory(path.parent)  # a store that is gone stays gone
            durable.replace_file(path, stable_json.dumps(values), lasting=False)
        except OSError:
            return

    def _derived(self, ref: FileRef, mend: Callable[[Mender], None]) -> None:
        """Check one file that can be made again, and make it again where it is damaged."""
        try:
            self.file(ref)
        except StoreError as error:
            unreadable = isinstance(error.__cause__, PermissionError)  # a new one can be read
            if self._mender is None or not (isinstance(error, CorruptStore) or unreadable):
                raise
            mend(self._mender)
            self.file(ref)

    def _noted(self, *paths: Path) -> str:
        """Return the signature of an artifact's files, and note how they lie before it is taken."""
        self.stamps |= {str(path): stamp_of(str(path)) for path in paths}
        return _signature(paths)

    def _check_time(self) -> None:
        if self._deadline is not None:
            self._deadline.check("opening the snapshot")

    def _judge(
        self, artifact: _Artifact, measure: Callable[[], tuple[int, str]], damage: str
    ) -> None:
        """Compare one artifact with what is said of it, unless that was done since it changed."""
        known = self._fresh.get(artifact.name, self._known.get(artifact.name))
        if known not in {artifact.sound, artifact.damaged}:
            whole = measure() == (artifact.size_bytes, artifact.sha256)
            known = self._fresh[artifact.name] = artifact.sound if whole else artifact.damaged
        if known == artifact.damaged:
            raise CorruptStore(damage)


def reverify(store: Path, manifest: SnapshotManifest) -> None:
    """Verify a snapshot as it lies now and remember that; damage is for its next reader to tell.

    Requires: the caller holds the writer lease.
    """
    verifier = Verifier(store)
    with suppress(StoreError):
        verifier.manifest(manifest)
    verifier.save(only=manifest)


def _names(manifest: SnapshotManifest) -> set[str]:
    return {*(ref.path for ref in file_refs(manifest)), *(ref.table for ref in manifest.segments)}


def lie_still(stamps: Mapping[str, Stamp]) -> bool:
    """Return whether all files lie as they did; one that cannot be looked at does not."""
    try:
        return all(stamp_of(path) == found for path, found in stamps.items())
    except OSError:
        return False


def _signature(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        stat = path.stat()
        times = f"{stat.st_mtime_ns} {stat.st_ctime_ns}"  # nobody can set the second one back
        digest.update(f"{path.name} {stat.st_size} {times} {stat.st_ino}\n".encode())
    return digest.hexdigest()


def stamp_of(path: str) -> Stamp:
    """Return size, both times and inode; nobody can set the second time back."""
    found = os.stat(path)  # noqa: PTH116 - before each query, for every file
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def stamp_or_none(path: str) -> Stamp | None:
    """Return a file's stamp; None where it cannot be looked at."""
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
