"""Lists and creates the packs of a home.

Packs are immutable files in a directory of the cache. A segment that is in no pack is searched in
its own image. Once there are many such segments, they are written into a new pack, together with
the segments of smaller packs. If two packs contain the same segment, either can be used. A crash
leaves a temporary file or a superfluous pack, never a wrong one; the next call of `make_packs`
removes both.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import durable
from ggrep.base.durable import reach
from ggrep.base.errors import CorruptStore, GgrepError, Incompatible, StoreError
from ggrep.base.ids import SegmentName
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.lexical.postings_merging import DigestsCollide
from ggrep.index.packs.pack_image import Pack, Packable, can_pack, open_pack, write_pack
from ggrep.index.store.row_texts import RowTexts, ShownRow, shown_of
from ggrep.index.store.segment_image import SegmentImage, open_segment_image

_SUFFIX: Final = ".pack"
_LOCK: Final = ".lock"
_MOST_ROWS: Final = 400_000
"""Maximum number of rows of a pack: about 250 MB with vectors."""
_ID_BYTES: Final = 16
_BATCH_ROWS: Final = 2048


class Unpacked(Struct, frozen=True):
    """A segment that is in no pack.

    Attributes:
        image_sha256: digest of the segment's image, from the snapshot's manifest.
    """

    store_id: str
    segment: SegmentName
    image_sha256: str


def ids_in(rows: Sequence[ShownRow]) -> npt.NDArray[np.uint64]:
    """Return the first 16 bytes of the rows' chunk ids, u64 (n, 2)."""
    data = b"".join(bytes.fromhex(row.chunk_id[: 2 * _ID_BYTES]) for row in rows)
    return np.frombuffer(data, dtype=np.uint64).reshape(-1, 2)


def pack_files(home: Home) -> list[Path]:
    """Return the packs of a home, the newest first."""
    with suppress(FileNotFoundError):
        return sorted(home.packs.glob(f"*{_SUFFIX}"), reverse=True)
    return []


def make_packs(
    home: Home, unpacked: Sequence[Unpacked], new_id: Callable[[], str], patience: Patience
) -> list[Path]:
    """Write segments, together with those of small packs, into new packs; return the new packs.

    Packs are added, the smallest first, while a pack has at most twice as many rows as the segments
    collected so far. After a new pack is written, the added packs are removed. Segments that cannot
    be read are left out.

    Raises:
        Busy: another process is writing packs.
        OSError: a pack cannot be written.
    """
    durable.make_directory(home.packs)
    with alone(home.packs / _LOCK, patience):
        _sweep(home)
        merged, parts = _gathered(home, unpacked)
        written = []
        reach("packs.before_write")
        for group in _groups(parts):
            path = home.packs / f"{new_id()}{_SUFFIX}"
            with suppress(DigestsCollide, OverflowError):
                _write(path, group)
                written.append(path)
        durable.sync_directory(home.packs)
        reach("packs.before_removal")
        for path in merged if written else ():
            with suppress(OSError):  # the next call removes the file
                path.unlink()
            reach("packs.after_removal")
        return written


def _sweep(home: Home) -> None:
    """Remove temporary files after a crash, and `.texts` files of earlier builds."""
    for path in home.packs.glob(f".*{_SUFFIX}.tmp"):
        path.unlink(missing_ok=True)
    for path in home.packs.glob("*.texts"):
        path.unlink(missing_ok=True)


def _write(path: Path, parts: Sequence[Packable]) -> None:
    """Write a pack under a temporary name, and rename it once all of it is on disk."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        write_pack(temporary, parts)
        reach("packs.after_write")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    reach("packs.after_move")


def _gathered(home: Home, unpacked: Sequence[Unpacked]) -> tuple[list[Path], list[Packable]]:
    """Return the packs to replace, and the segments of the new packs."""
    parts = {(part.store_id, part.image.name): part for part in _readable(home, unpacked)}
    rows = sum(part.image.rows for part in parts.values())
    merged: list[Path] = []
    for path, pack in _by_size(home):
        alive = list(_live_parts(home, pack))
        if sum(part.image.rows for part in alive) > 2 * rows:
            break
        merged.append(path)
        for part in alive:
            parts.setdefault((part.store_id, part.image.name), part)
        rows = sum(part.image.rows for part in parts.values())
    return merged, [parts[key] for key in sorted(parts)]


def _by_size(home: Home) -> Iterator[tuple[Path, Pack | None]]:
    """Yield the files of packs, smallest first, each with the pack; None for a damaged pack."""
    sized = sorted((path.stat().st_size, path) for path in pack_files(home))
    for _, path in sized:
        try:
            yield path, open_pack(path)
        except (CorruptStore, Incompatible):
            yield path, None
        except StoreError:
            continue  # the pack can be intact; for example, no descriptor is free now


def _live_parts(home: Home, pack: Pack | None) -> Iterator[Packable]:
    """Yield the segments of a pack whose own images still exist, read from these images."""
    if pack is None:
        return
    ids = pack.image.arrays["chunk_ids"].view(np.uint64)
    packed = {
        Unpacked(each.store_id, each.segment, each.image_sha256): each for each in pack.segments
    }
    for segment, image in _images(home, packed):
        rows = packed[segment]
        own_ids = ids[rows.first_row : rows.first_row + rows.rows]
        yield Packable(segment.store_id, image, segment.image_sha256, own_ids)


def _readable(home: Home, segments: Iterable[Unpacked]) -> Iterator[Packable]:
    for segment, image in _images(home, segments):
        with suppress(CorruptStore):
            yield Packable(segment.store_id, image, segment.image_sha256, _chunk_ids(image))


def _chunk_ids(image: SegmentImage) -> npt.NDArray[np.uint64]:
    """Return the first 16 bytes of all rows' chunk ids, u64 (n, 2)."""
    ids = [np.zeros((0, 2), dtype=np.uint64)]
    for start in range(0, image.rows, _BATCH_ROWS):
        rows = range(start, min(start + _BATCH_ROWS, image.rows))
        ids.append(ids_in(shown_of(image, RowTexts(image), rows)))
    return np.concatenate(ids)


def _is_published(image: Path, sha256: str) -> bool:
    """Return whether an image has the digest that the snapshot's manifest contains.

    A packed segment is not compared with its image again, so damage would become permanent.
    """
    try:
        with image.open("rb") as file:
            digest: str = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return False
    return digest == sha256


def _images(home: Home, wanted: Iterable[Unpacked]) -> Iterator[tuple[Unpacked, SegmentImage]]:
    for segment in wanted:
        store = home.data / segment.store_id
        if not _is_published(store_files.image_file(store, segment.segment), segment.image_sha256):
            continue
        with suppress(GgrepError):
            image = open_segment_image(store, segment.segment)
            if can_pack(image):
                yield segment, image


def _groups(parts: Sequence[Packable]) -> Iterator[list[Packable]]:
    """Yield the segments of each new pack: at most _MOST_ROWS rows, vectors of equal dimension."""
    by_dimension: dict[int, list[Packable]] = {}
    for part in parts:
        by_dimension.setdefault(part.image.dimension, []).append(part)
    for _, same in sorted(by_dimension.items()):
        group: list[Packable] = []
        rows = 0
        for part in same:
            if group and rows + part.image.rows > _MOST_ROWS:
                yield group
                group, rows = [], 0
            group.append(part)
            rows += part.image.rows
        if group:
            yield group
