"""Makes the texts of packs from the tables of their segments.

It takes longer than packing, so packs do without until it is done. A table is read only if it is
the one that the active snapshot names, by size and digest: damage would be there for good. Rows of
others are left out, and are read from their tables.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.errors import GgrepError
from ggrep.base.locks import Patience, alone
from ggrep.config.home import Home
from ggrep.index.packs.pack_directory import pack_files, texts_file
from ggrep.index.packs.pack_image import Pack, PackedSegment, open_pack
from ggrep.index.packs.pack_texts import COLUMNS, TextRow, open_texts, write_texts
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import SegmentRef, read_manifest
from ggrep.index.store.tables import close_tables, measure_table, read_columns

_LOCK: Final = ".texts.lock"
_BATCH_ROWS: Final = 2048


def make_texts(home: Home, patience: Patience) -> list[Path]:
    """Make the texts of the packs that have none that are whole; return what was written.

    Packs may come and go meanwhile.

    Raises:
        Busy: another process does so now.
        OSError: the disk would not take it.
    """
    durable.make_directory(home.packs)
    with alone(home.packs / _LOCK, patience):
        _sweep(home)
        return [texts_file(path) for path in pack_files(home) if _made(home, path)]


def _sweep(home: Home) -> None:
    for path in home.packs.glob(".*.texts.tmp"):
        path.unlink(missing_ok=True)


def _made(home: Home, path: Path) -> bool:
    """Make the texts of a pack, unless it has them or cannot be read."""
    try:
        pack = open_pack(path)
    except GgrepError:
        return False
    with suppress(GgrepError):
        if open_texts(texts_file(path), pack.image, pack.digest).are_whole():
            return False
    temporary = path.with_name(f".{texts_file(path).name}.tmp")
    try:
        write_texts(temporary, pack.image, _rows(home, pack), pack.digest)
        if not path.exists():
            return False  # it went into another one
        temporary.replace(texts_file(path))
    finally:
        temporary.unlink(missing_ok=True)
    durable.sync_directory(home.packs)
    return True


def _rows(home: Home, pack: Pack) -> Iterator[TextRow | None]:
    """Yield what the tables have of a pack's rows, in its order; None where they cannot be read."""
    for one in pack.segments:
        store, read = home.data / one.store_id, 0
        with suppress(GgrepError):
            if _is_published(store, one):
                for row in _table_rows(store, one):
                    read += 1
                    yield row
        close_tables(store)
        yield from (None,) * (one.rows - read)


def _is_published(store: Path, one: PackedSegment) -> bool:
    """Return whether a segment's table is, to the byte, the one of the active snapshot."""
    ref = _ref(store, one)
    return ref is not None and measure_table(store, ref.table) == (ref.size_bytes, ref.sha256)


def _ref(store: Path, one: PackedSegment) -> SegmentRef | None:
    active = read_active(store)
    for ref in () if active is None else read_manifest(store, active).segments:
        if (ref.table, ref.image.sha256) == (one.segment, one.image_sha256):
            return ref
    return None


def _table_rows(store: Path, one: PackedSegment) -> Iterator[TextRow]:
    for start in range(0, one.rows, _BATCH_ROWS):
        offsets = range(start, min(start + _BATCH_ROWS, one.rows))
        table = read_columns(store, one.segment, offsets, COLUMNS)
        yield from map(TextRow, *(table.column(name).to_pylist() for name in COLUMNS))
