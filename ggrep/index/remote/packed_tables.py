"""Packs tables into single files for a push, and caches the digests of these files."""

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from ggrep.base import durable, stable_json
from ggrep.base.ids import SegmentName
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.remote.layout import Blob
from ggrep.index.remote.packing import pack
from ggrep.index.store.disk import measure_file
from ggrep.index.store.manifest import SegmentRef
from ggrep.index.sync.target import SyncTarget


class Packed:
    """The packed tables of one store; the files are deleted at the end of the block."""

    def __init__(self, target: SyncTarget) -> None:
        self._target = target
        self._file = store_files.packed_file(target.store)
        self._known = _load(self._file)
        self._named: dict[str, Blob] = {}
        self._made: dict[SegmentName, Path] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Delete the files; store the digests of the snapshot's packed tables."""
        for file in self._made.values():
            file.unlink(missing_ok=True)
        if self._named and self._named != self._known:
            values = {
                digest: [blob.sha256, blob.size_bytes] for digest, blob in self._named.items()
            }
            with suppress(OSError):
                durable.make_directory(self._file.parent)
                durable.replace_file(self._file, stable_json.dumps(values), lasting=False)

    def blob_of(self, ref: SegmentRef) -> Blob:
        """Return the digest and size of a segment's packed table; pack it if they are unknown."""
        known = self._known.get(ref.sha256)
        if known is None:
            size, digest = measure_file(self.file_of(ref))
            known = Blob(digest, size)
        self._named[ref.sha256] = known
        return known

    def file_of(self, ref: SegmentRef) -> Path:
        """Return a segment's table, packed into one file."""
        if ref.table not in self._made:
            aside = Home.of_store(self._target.store).fetched
            durable.make_directory(aside)
            file = self._made[ref.table] = aside / f"{ref.table}.packed-{self._target.new_id()}"
            pack(self._target.store, ref.table, file)
        return self._made[ref.table]


def _load(file: Path) -> dict[str, Blob]:
    try:
        values = stable_json.loads(file.read_bytes())
        return {str(digest): Blob(str(name), int(size)) for digest, (name, size) in values.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
