"""Rebuilds derived files of a snapshot, byte for byte as they were published.

An image is rebuilt from its table; masks are rebuilt from journal and images. A query or sync that
needs a missing or damaged file rebuilds it. The work tree is not read, and no snapshot is
published. A lock ensures that only one process rebuilds at a time. The new content is written to a
temporary file, which replaces the file only if its digest is the published one. If the process
dies, the next rebuild of the same file overwrites the temporary file.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import groupby
from pathlib import Path

import numpy as np
from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.clock import Clock, Deadline, rfc3339
from ggrep.base.errors import Busy, CorruptStore, DeadlineExceeded, GgrepError, LoadError
from ggrep.base.ids import PathKey
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.index.store.disk import measure_file
from ggrep.index.store.image import Array, write_image
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.manifest import FileRef, SegmentRef, SnapshotManifest
from ggrep.index.store.row_texts import TEXT_ARRAYS
from ggrep.index.store.rows import ChunkRow
from ggrep.index.store.salvage import implied_mask
from ggrep.index.store.segment_image import open_segment_image
from ggrep.index.store.table_scan import dimension_of, read_sizes, scan_table
from ggrep.index.store.table_vectors import in_table
from ggrep.index.store.way import make_way_for_directory, make_way_for_file
from ggrep.index.sync import stat_cache
from ggrep.index.sync.image_builder import ImageBuilder

_RETRY_MS = 10.0
_OTHER = "the rebuilt file differs from the published one"


class Healer:
    """Rebuilds derived files of one store; see `ggrep.index.store.verify.Mender`.

    Requires: the caller holds the readers' lock or the writer lease during each call.

    Args:
        store: the store directory.
        clock: source of the time of a rebuild, which is recorded.
        deadline: when to give up; None for no limit.
        hopeless: digests of files that cannot be rebuilt, so that repeated calls do not try again;
            failed rebuilds add digests.

    Attributes:
        healed: paths of the rebuilt files, as in the manifest.
    """

    def __init__(
        self,
        store: Path,
        clock: Clock,
        deadline: Deadline | None = None,
        *,
        hopeless: set[str] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._deadline = deadline or Deadline.never(clock)
        self._hopeless = set() if hopeless is None else hopeless
        self.healed: list[str] = []

    def image(self, ref: SegmentRef) -> None:
        """Rebuild a segment's image from its table."""
        self._heal(ref.image, lambda path: self._write_image(ref, path))

    def masks(self, manifest: SnapshotManifest) -> None:
        """Rebuild a snapshot's masks from its journal."""
        self._heal(manifest.visibility, lambda path: self._write_masks(manifest, path))

    def _heal(self, ref: FileRef, write: Callable[[Path], None]) -> None:
        """Replace a file by the file that `write` writes."""
        path = self._store / ref.path
        try:
            if ref.sha256 in self._hopeless:
                raise CorruptStore(_OTHER)
            with self._alone(ref):
                if _is(path, ref):
                    return  # another process has rebuilt the file
                make_way_for_directory(self._store, path.parent)
                durable.make_directory(path.parent)
                fresh = path.with_name(f".{path.name}.healing")
                try:
                    write(fresh)
                    if not _is(fresh, ref):
                        self._hopeless.add(ref.sha256)
                        raise CorruptStore(_OTHER)
                    make_way_for_file(self._store, path)
                    fresh.replace(path)
                finally:
                    fresh.unlink(missing_ok=True)
                durable.sync_directory(path.parent)
                self.healed.append(ref.path)
                note_healed(self._store, ref.path, self._clock.now())
        except LoadError:
            raise
        except (GgrepError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise CorruptStore(f"{ref.path} is damaged and cannot be rebuilt: {reason}") from error

    @contextmanager
    def _alone(self, ref: FileRef) -> Iterator[None]:
        """Hold the lock that prevents simultaneous rebuilds."""
        patience = Patience(self._deadline, time.sleep, "", _RETRY_MS)
        late = (
            f"{ref.path} is damaged; rebuilding it takes longer than the timeout of this request;"
            " ask again, or run: ggrep repair"
        )
        try:
            with alone(store_files.healing_lock(self._store), patience):
                yield
        except (Busy, DeadlineExceeded) as error:
            raise DeadlineExceeded(late) from error

    def _write_image(self, ref: SegmentRef, path: Path) -> None:
        store, segment = self._store, ref.table
        builder = ImageBuilder(dimension_of(store, segment))
        sizes = read_sizes(store, segment)
        known = stat_cache.load(store_files.stat_cache_file(store)) if sizes is None else {}
        last: str | None = None
        for batch in scan_table(store, segment):
            self._deadline.check("healing")
            for key, group in groupby(batch.rows, lambda row: row.path_key):
                rows = list(group)
                if key != last:  # the rows of a file can be in two batches
                    size = _size(rows, known) if sizes is None else sizes[builder.files]
                    builder.add_file(key, rows[0].file_hash, size, rows[0].language, rows[0].traits)
                    last = key
                builder.add_rows(rows)
            if batch.vectors is not None and batch.scales is not None:
                builder.add_vectors(batch.vectors, batch.scales)
        self._deadline.check("healing")
        arrays = builder.finish()
        write_image(path, *in_table(store, segment, arrays, builder.meta))
        if not _is(path, ref.image):  # an earlier build may have written the image without texts
            path.unlink()
            later = {*TEXT_ARRAYS, "definition_keys"}
            earlier = {name: values for name, values in arrays.items() if name not in later}
            write_image(path, earlier, builder.meta)

    def _write_masks(self, manifest: SnapshotManifest, path: Path) -> None:
        hidden = read_tombstones(self._store, manifest.tombstones)
        places = read_segment_map(self._store, manifest.segment_map)
        masks: dict[str, Array] = {}
        for ref in manifest.segments:
            image = open_segment_image(self._store, ref.table)
            masks[ref.table] = implied_mask(image, hidden, places).view(np.uint8)
        write_image(path, masks, {})


def _size(rows: Sequence[ChunkRow], known: Mapping[PathKey, stat_cache.Known]) -> int:
    """Return a file's size from its recorded stat; without a stat, the end of its last chunk."""
    result = known.get(rows[0].path_key)
    if isinstance(result, stat_cache.KnownFile) and result.digest == rows[0].file_hash.hex():
        return result.file.size_bytes
    return max(row.chunk.byte_end for row in rows)


def _is(path: Path, ref: FileRef) -> bool:
    try:
        return measure_file(path) == (ref.size_bytes, ref.sha256)
    except OSError:
        return False


class Healed(Struct, frozen=True):
    """The record of the rebuilds of damaged files.

    Attributes:
        files: number of rebuilds since the record began.
        last: the file that was rebuilt last; if a sync rebuilt the file, also how it was damaged.
        at: time of the last rebuild; UTC.
    """

    files: int
    last: str
    at: datetime


def note_healed(store: Path, file: str, now: datetime) -> None:
    """Record a rebuilt file; in a read-only store, nothing is recorded.

    Requires: the caller holds the healing lock or the writer lease.
    """
    before = read_healed(store)
    path = store_files.healed_file(store)
    record: stable_json.Json = {
        "files": (before.files if before else 0) + 1,
        "last": file,
        "at": rfc3339(now),
    }
    with suppress(OSError):
        durable.make_directory(path.parent)
        durable.replace_file(path, stable_json.dumps(record))


def read_healed(store: Path) -> Healed | None:
    """Return the record; None if nothing was rebuilt, or the record cannot be read."""
    try:
        result = stable_json.loads(store_files.healed_file(store).read_bytes())
        return Healed(
            int(result["files"]), str(result["last"]), datetime.fromisoformat(result["at"])
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
