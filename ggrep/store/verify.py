"""Every artifact that a manifest names is as long and as hashed as the manifest says.

What was verified is remembered by its files' size, times and inode, on disk, so that
a store is hashed once and not at every start; a full check ignores the memory.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ggrep import durable, stable_json
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import StoreId
from ggrep.errors import CorruptStore
from ggrep.layout import names
from ggrep.store.failures import read_failure
from ggrep.store.manifest import FileRef, SegmentRef, SnapshotManifest
from ggrep.store.tables import measure_table, table_files


class Verifier:
    """Verifies artifacts of one store, remembering what did not change since.

    Args:
        full: hash everything again, whatever is remembered.
        deadline: checked before each artifact.
    """

    def __init__(
        self, store: Path, *, full: bool = False, deadline: Deadline | None = None
    ) -> None:
        self._store = store
        self._deadline = deadline
        self._known: dict[str, str] = {} if full else _load(names.verified_file(store))
        self._fresh: dict[str, str] = {}

    def manifest(self, manifest: SnapshotManifest, *, store_id: StoreId | None = None) -> None:
        """Check a whole snapshot.

        Raises:
            CorruptStore: names the first artifact that is not what the manifest says.
            StoreError: an artifact cannot be read now.
            DeadlineExceeded: time ran out.
        """
        self.figures(manifest, store_id=store_id)
        for segment in manifest.segments:
            self.segment(segment)
        for ref in (*manifest.tombstones, *manifest.segment_map, manifest.visibility):
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
        self.file(ref.image)

    def table(self, ref: SegmentRef) -> None:
        """Check one segment's table."""
        self._check_time()
        try:
            signature = _signature(path for path, _ in table_files(self._store, ref.table))
        except OSError as error:
            raise read_failure(f"segment {ref.table}", error) from error
        if not self._remembered(ref.table, ref.sha256, signature):
            if measure_table(self._store, ref.table) != (ref.size_bytes, ref.sha256):
                raise CorruptStore(f"segment {ref.table} is not the one that was published")
            self._remember(ref.table, ref.sha256, signature)

    def file(self, ref: FileRef) -> None:
        """Check one file."""
        self._check_time()
        path = self._store / ref.path
        try:
            signature = _signature([path])
            if self._remembered(ref.path, ref.sha256, signature):
                return
            with path.open("rb") as file:
                found = path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise read_failure(ref.path, error) from error
        if found != (ref.size_bytes, ref.sha256):
            raise CorruptStore(f"{ref.path} is not the file that was published")
        self._remember(ref.path, ref.sha256, signature)

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
        path = names.verified_file(self._store)
        try:
            with suppress(FileExistsError):
                durable.create_directory(path.parent)  # a store that is gone stays gone
            durable.replace_file(path, stable_json.dumps(values))
        except OSError:
            return

    def _check_time(self) -> None:
        if self._deadline is not None:
            self._deadline.check("opening the snapshot")

    def _remembered(self, name: str, sha256: str, signature: str) -> bool:
        return self._known.get(name) == f"{sha256} {signature}"

    def _remember(self, name: str, sha256: str, signature: str) -> None:
        self._fresh[name] = f"{sha256} {signature}"


def _names(manifest: SnapshotManifest) -> set[str]:
    files = [*manifest.tombstones, *manifest.segment_map, manifest.visibility]
    files += [segment.image for segment in manifest.segments]
    return {*(ref.path for ref in files), *(segment.table for segment in manifest.segments)}


def _signature(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        stat = path.stat()
        times = f"{stat.st_mtime_ns} {stat.st_ctime_ns}"  # nobody can set the second one back
        digest.update(f"{path.name} {stat.st_size} {times} {stat.st_ino}\n".encode())
    return digest.hexdigest()


def _load(path: Path) -> dict[str, str]:
    try:
        values = stable_json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(key): str(value) for key, value in values.items()}
