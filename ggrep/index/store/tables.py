"""LanceDB tables, one per segment: written once, read by row offset, never changed.

LanceDB does not sync files to disk. `segment.write_segment` syncs a table before a manifest lists
it.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ggrep.base.errors import CorruptStore, Incompatible, StoreError
from ggrep.base.ids import PathKey, SegmentName
from ggrep.base.linux import return_free_memory
from ggrep.config import store_files
from ggrep.index.store.lean_import import import_lancedb
from ggrep.index.store.read_failures import read_failure, system_error, table_failure
from ggrep.index.store.rows import ChunkRow
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk

if TYPE_CHECKING:
    import lancedb
    import pyarrow as pa

_PANIC = "PanicException"
"""Name of the error of a panic in the native reader, which is not an Exception.

The class of the error cannot be imported.
"""

_CHECKED_ROWS = 4096
_HASHED_BYTES = 1 << 20


def write_table(
    store: Path, segment: SegmentName, batches: "Iterable[pa.RecordBatch]", *, many: bool = False
) -> None:
    """Write a new table; the caller syncs it.

    Args:
        store: the store directory.
        segment: the table's segment.
        batches: at least one batch, which can be without rows; iterated several times.
        many: whether there are so many rows that memory is returned to the system during the write,
            which takes time.

    Raises:
        StoreError: the table cannot be written; nothing refers to the files of the incomplete
            table.
    """
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_batches(next(iter(batches)).schema, iter(batches))
    if many:
        return_free_memory()  # the writer needs as much memory as the rows
    try:
        _connect(store).create_table(segment, data=reader)
    except (ValueError, RuntimeError, OSError) as error:
        number = system_error(error)
        reason = "it cannot be written" if number is None else os.strerror(number)
        raise StoreError(f"segment {segment}: {reason}") from _alone(error)
    if many:
        return_free_memory()
    _check_written(store, segment, batches)
    if many:
        return_free_memory()


def _check_written(store: Path, segment: SegmentName, batches: "Iterable[pa.RecordBatch]") -> None:
    """Read all rows of a new table.

    LanceDB ignores an error of a data file's last write. On a full disk LanceDB reports success for
    a truncated file, which is detected only by reading the rows.
    """
    start = 0
    for rows in _runs_of(batches):
        start, first = start + rows.num_rows, start
        try:
            read = _take_columns(store, segment, range(first, start), None)
        except CorruptStore as error:
            raise StoreError(
                f"segment {segment} was not written completely; check whether the disk is full"
            ) from error
        if not read.equals(rows.cast(read.schema)):
            raise StoreError(
                f"segment {segment} was not written completely; check whether the disk is full"
            )


def _runs_of(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.Table]":
    """Yield the rows of batches, thousands at a time: each read of a table takes milliseconds."""
    import pyarrow as pa

    run: list[pa.RecordBatch] = []
    for batch in batches:
        run.append(batch)
        if sum(each.num_rows for each in run) >= _CHECKED_ROWS:
            yield pa.Table.from_batches(run)
            run = []
    if any(batch.num_rows for batch in run):
        yield pa.Table.from_batches(run)


def measure_table(store: Path, segment: SegmentName) -> tuple[int, str]:
    """Return a table's size in bytes and the SHA-256 of its files.

    The digest is over all files by relative path: the path's bytes, a NUL, the file's bytes.

    Raises:
        CorruptStore: the table is missing.
        StoreError: the table cannot be read now.
    """
    root = store_files.table_dir(store, segment)
    digest, size = hashlib.sha256(), 0
    try:
        for path, relative in table_files(store, segment):
            digest.update(relative.encode() + b"\0")
            with path.open("rb") as file:
                while data := file.read(_HASHED_BYTES):
                    digest.update(data)
                    size += len(data)
    except OSError as error:
        raise read_failure(f"segment {root.name}", error) from error
    if not size:
        raise CorruptStore(f"segment {root.name} is missing or empty")
    return size, digest.hexdigest()


def table_files(store: Path, segment: SegmentName) -> list[tuple[Path, str]]:
    """Return a table's files with their relative paths, in hashing order."""
    root = f"{store_files.table_dir(store, segment)}/"
    pairs = [
        (Path(directory, name), f"{directory}/{name}".removeprefix(root))
        for directory, _, files in os.walk(root[:-1], onerror=_fail)
        for name in files
    ]
    return sorted(pairs, key=lambda pair: pair[1].encode())


def _fail(error: OSError) -> NoReturn:
    """Raise the error of a directory that cannot be listed; `os.walk` would ignore the error."""
    raise error


def take_rows(store: Path, segment: SegmentName, offsets: Sequence[int]) -> list[ChunkRow]:
    """Return the rows at some offsets, in the order of the offsets.

    Raises:
        CorruptStore: the table is damaged or has no such rows.
        StoreError: the table cannot be read now.
    """
    if not offsets:
        return []
    unique = sorted(set(offsets))
    place = {offset: index for index, offset in enumerate(unique)}
    with _understood(segment):
        rows = [_row(record) for record in _take_columns(store, segment, unique, None).to_pylist()]
    return [rows[place[offset]] for offset in offsets]


def _take_columns(
    store: Path, segment: SegmentName, offsets: Sequence[int], columns: list[str] | None
) -> "pa.Table":
    with _understood(segment):
        query = _opened(store, segment).take_offsets(list(offsets))
        rows = (query if columns is None else query.select(columns)).to_arrow()
    if rows.num_rows != len(offsets):
        raise CorruptStore(f"segment {segment} has fewer rows than its image")
    return rows


def read_columns(
    store: Path, segment: SegmentName, offsets: Sequence[int], columns: Sequence[str]
) -> "pa.Table":
    """Return some columns of the rows at some offsets, which must be ascending.

    Raises:
        CorruptStore: the table is damaged or has no such rows.
        StoreError: the table cannot be read now.
        Incompatible: an earlier build wrote the table, without one of the columns.
    """
    try:
        return _take_columns(store, segment, offsets, list(columns))
    except CorruptStore as error:
        lacking = sorted(set(columns) - set(table_schema(store, segment).names))
        if not lacking:
            raise
        raise Incompatible(
            f"segment {segment} lacks the columns {' and '.join(lacking)}; run: ggrep index --reset"
        ) from error


def table_schema(store: Path, segment: SegmentName) -> "pa.Schema":
    """Return the actual columns of a table.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: the table cannot be opened now.
    """
    with _understood(segment):
        return _opened(store, segment).schema


def _connect(store: Path) -> "lancedb.DBConnection":
    """Return a connection with a separate session, so that LanceDB's caches end with it."""
    try:
        library = import_lancedb()
        connection: lancedb.DBConnection = library.connect(
            str(store), session=library.Session(index_cache_size_bytes=0)
        )
    except BaseException as error:
        # A panic is not an `Exception`, although its cause can be just a lack of file descriptors.
        if type(error).__name__ != _PANIC:
            raise
        raise StoreError(f"the database cannot be opened: {error}") from error
    return connection


def _opened(store: Path, segment: SegmentName) -> "lancedb.table.Table":
    return _connect(store).open_table(segment)


def count_rows(store: Path, segment: SegmentName) -> int:
    """Return the number of rows in a segment.

    Raises:
        CorruptStore: the table is damaged.
        StoreError: the table cannot be opened now.
    """
    with _understood(segment):
        return int(_opened(store, segment).count_rows())


def _alone(error: Exception) -> Exception:
    """Return an error of LanceDB without its stack frames.

    LanceDB keeps a reference to the error forever, and the frames would keep the open snapshot and
    its maps in memory.
    """
    return error.with_traceback(None)


@contextmanager
def _understood(segment: SegmentName) -> Iterator[None]:
    """Convert any failure to read a damaged table into a typed error.

    A verified table is not hashed at each start, so later damage is only detected by reading, and
    the native reader panics on some damage.
    """
    try:
        yield
    except (StoreError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - LanceDB raises errors of many types
        raise table_failure(f"segment {segment}", error) from _alone(error)
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise table_failure(f"segment {segment}", error) from error


def _row(record: dict[str, object]) -> ChunkRow:
    return ChunkRow(
        row_id=hex_id(record["row_id"]),
        chunk_id=hex_id(record["chunk_id"]),
        path_key=PathKey(str(record["path_key"])),
        ordinal=_int(record["ordinal"]),
        file_hash=_bytes(record["file_hash"]),
        chunk_hash=_bytes(record["chunk_hash"]),
        chunker_version=str(record["chunker_version"]),
        language=str(record["language"]),
        method=str(record["method"]),
        text=str(record["text"]),
        chunk=_chunk(record),
        # A table of an earlier build has neither of these columns; all its files were UTF-8.
        encoding=str(record.get("encoding", "")),
        traits=_int(record.get("traits", 0)),
    )


def _file_text(record: dict[str, object]) -> str:
    start = _int(record["display_start"])
    return str(record["text"])[start : start + _int(record["display_length"])]


def _chunk(record: dict[str, object]) -> Chunk:
    text, shown = str(record["text"]), _file_text(record)
    end = _int(record["display_start"]) + len(shown)
    return Chunk(
        kind=str(record["kind"]),
        chunk_type=str(record["chunk_type"]),
        corpus=Corpus(record["corpus"]),
        name=str(record["name"]),
        qualified_name=str(record["qualified_name"]),
        names=_strings(record["names"]),
        breadcrumb=_strings(record["breadcrumb"]),
        signature=str(record["signature"]),
        doc=str(record["doc"]),
        tail=str(record.get("tail", "")),
        start_line=_int(record["start_line"]),
        end_line=_int(record["end_line"]),
        byte_start=_int(record["byte_start"]),
        byte_end=_int(record["byte_end"]),
        text=shown,
        extra=text[end + 1 if end else 0 :],
    )


def hex_id(value: object) -> str:
    """Return an id as hex digits; row schema 4 contains hex digits, later schemas contain bytes."""
    return value.hex() if isinstance(value, bytes) else str(value)


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise CorruptStore(f"a column of a row has type {type(value).__name__} instead of int")
    return value


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise CorruptStore(f"a column of a row has type {type(value).__name__} instead of bytes")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise CorruptStore(f"a column of a row has type {type(value).__name__} instead of list")
    return tuple(str(item) for item in value)
