"""Tombstones and segment maps: small files of JSON lines, which a manifest lists in order.

A publish adds one file of each kind, so a small sync writes small files. If a manifest would list
more than MAX_DELTAS files, the next publish merges them into one file.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.index.store.manifest import FileRef
from ggrep.index.store.read_failures import read_failure

MAX_DELTAS = 16


class Tombstone(Struct, frozen=True):
    """A path whose rows in older segments are hidden.

    Attributes:
        reason: `delete`, `replace`, `rename_from` or `merge`.
    """

    path_key: PathKey
    reason: str


def write_tombstones(path: Path, relative: str, tombstones: Iterable[Tombstone]) -> FileRef:
    """Write tombstones in the order of path keys, without fsync; return the file's reference."""
    ordered = sorted(tombstones, key=lambda item: item.path_key.encode())
    return _write(path, relative, [{"path_key": t.path_key, "reason": t.reason} for t in ordered])


def write_segment_map(
    path: Path, relative: str, places: Mapping[PathKey, SegmentName | None]
) -> FileRef:
    """Write the segment that contains each path's visible rows, without fsync.

    A removed path has the segment None.
    """
    ordered = sorted(places, key=lambda key: key.encode())
    return _write(path, relative, [{"path_key": k, "segment_id": places[k]} for k in ordered])


def read_tombstones(store: Path, refs: Sequence[FileRef]) -> set[PathKey]:
    """Return every path that these journal files hide in older segments."""
    return {PathKey(str(record["path_key"])) for record in _read(store, refs)}


def read_segment_map(store: Path, refs: Sequence[FileRef]) -> dict[PathKey, SegmentName]:
    """Return, by path, the segment with its visible rows; later files override earlier files."""
    places: dict[PathKey, SegmentName] = {}
    for record in _read(store, refs):
        key, segment = PathKey(str(record["path_key"])), record["segment_id"]
        if segment is None:
            places.pop(key, None)
        else:
            places[key] = SegmentName(str(segment))
    return places


def _write(path: Path, relative: str, records: Sequence[Mapping[str, stable_json.Json]]) -> FileRef:
    data = b"".join(stable_json.dumps(record) + b"\n" for record in records)
    durable.write_file(path, data, lasting=False)
    return FileRef(relative, len(records), len(data), hashlib.sha256(data).hexdigest())


def _read(store: Path, refs: Sequence[FileRef]) -> Iterable[Mapping[str, object]]:
    for ref in refs:
        try:
            lines = (store / ref.path).read_bytes().splitlines()
            records = [stable_json.loads(line) for line in lines]
        except OSError as error:
            raise read_failure(ref.path, error) from error
        except ValueError as error:
            raise CorruptStore(f"the journal {ref.path} is not in JSON Lines format") from error
        if len(records) != ref.count:
            raise CorruptStore(
                f"the journal {ref.path} has {len(records)} lines instead of {ref.count}"
            )
        yield from records
