"""Rows come back from a table as they went in."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ggrep.base.errors import CorruptStore, StoreError
from ggrep.base.ids import PathKey, SegmentName
from ggrep.index.store.rows import ChunkRow, make_row
from ggrep.index.store.segment import PackedBatches
from ggrep.index.store.table_columns import pack_rows, to_batch, with_vectors
from ggrep.index.store.table_scan import schema_differences
from ggrep.index.store.tables import (
    count_rows,
    measure_table,
    take_rows,
    write_table,
)
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk, ChunkedFile
from tests.fakes.stored_rows import scan_rows

NAME = SegmentName("seg_x_0")


def chunk(text: str, extra: str, breadcrumb: tuple[str, ...]) -> Chunk:
    return Chunk(
        kind="text",
        chunk_type="function",
        corpus=Corpus.CODE,
        name="f",
        qualified_name="a.f",
        names=("f", "g"),
        breadcrumb=breadcrumb,
        start_line=1,
        end_line=2,
        byte_start=0,
        byte_end=9,
        text=text,
        extra=extra,
    )


def rows(*chunks: Chunk) -> list[ChunkRow]:
    file = ChunkedFile(PathKey("a/é.py"), "python", "tree-sitter", chunks)
    return [make_row(file, i, file_hash=b"h" * 32, chunker_version="1") for i in range(len(chunks))]


CHUNKS = [
    chunk(text, extra, crumb)
    for text in ("", "def f():\n  é\n")
    for extra in ("", "a -> b")
    for crumb in ((), ("A", "B"))
]


def test_rows_come_back_whole(tmp_path: Path) -> None:
    """Text, breadcrumb and extra words share a column and must come apart again."""
    written = rows(*CHUNKS)
    write_table(tmp_path, NAME, [to_batch(written)])

    assert list(scan_rows(tmp_path, NAME)) == written
    assert take_rows(tmp_path, NAME, [5, 0, 5]) == [written[5], written[0], written[5]]
    assert take_rows(tmp_path, NAME, []) == []


def test_vectors_lie_beside_the_rows(tmp_path: Path) -> None:
    """An image can be rebuilt from its table."""
    written = rows(*CHUNKS[:2])
    vectors = np.arange(8, dtype=np.int8).reshape(2, 4)
    write_table(tmp_path, NAME, [with_vectors(to_batch(written), vectors, np.ones(2))])

    assert count_rows(tmp_path, NAME) == 2
    assert take_rows(tmp_path, NAME, [1]) == [written[1]]


def test_a_table_without_rows_is_a_table(tmp_path: Path) -> None:
    """A repository may hold nothing but empty files."""
    write_table(tmp_path, NAME, [to_batch([])])

    assert list(scan_rows(tmp_path, NAME)) == []
    assert measure_table(tmp_path, NAME)[0] > 0


def test_packed_rows_are_the_batches_that_were_packed() -> None:
    """Each batch has the vectors of its own rows."""
    written = rows(*CHUNKS)
    vectors = np.arange(32, dtype=np.int8).reshape(8, 4)
    packed = [[pack_rows(written[:3]), pack_rows(written[3:5])], [pack_rows(written[5:])]]
    batches = list(PackedBatches(packed, vectors, np.arange(8.0)))

    assert batches == [
        with_vectors(to_batch(written[start:end]), vectors[start:end], np.arange(8.0)[start:end])
        for start, end in ((0, 5), (5, 8))
    ]


@pytest.mark.parametrize("lost", [0, 2, 3])
def test_each_row_is_compared_after_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """In every run of batches, the last one too."""
    monkeypatch.setattr("ggrep.index.store.tables._CHECKED_ROWS", 4)
    batches = [to_batch(rows(*CHUNKS[start : start + 2])) for start in (0, 2, 4, 6)]
    others = [*batches[:lost], to_batch(rows(*CHUNKS[:2][::-1])), *batches[lost + 1 :]]
    turns = iter((batches, batches, others))  # for the schema, for writing, for comparing

    with pytest.raises(StoreError, match="not written completely"):
        write_table(tmp_path, NAME, _Turns(turns))


class _Turns:
    """Another list of batches at each iteration."""

    def __init__(self, turns: Iterator[list[pa.RecordBatch]]) -> None:
        self._turns = turns

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return iter(next(self._turns))


def test_ids_of_row_schema_4_are_read(tmp_path: Path) -> None:
    """Tables of earlier builds have them as hex digits."""
    written = rows(*CHUNKS)
    batch = to_batch(written)
    for name in ("row_id", "chunk_id"):
        digits = pa.array([value.as_py().hex() for value in batch.column(name)])
        batch = batch.set_column(batch.schema.get_field_index(name), name, digits)
    write_table(tmp_path, NAME, [batch])

    assert list(scan_rows(tmp_path, NAME)) == written
    assert take_rows(tmp_path, NAME, range(len(written))) == written
    assert schema_differences(tmp_path, NAME, 0) == []


def test_rows_that_are_not_there_are_damage(tmp_path: Path) -> None:
    """The image promised them."""
    write_table(tmp_path, NAME, [to_batch(rows(CHUNKS[0]))])

    with pytest.raises(CorruptStore):
        take_rows(tmp_path, NAME, [7])
    with pytest.raises(CorruptStore):
        take_rows(tmp_path, SegmentName("seg_none_0"), [0])
    with pytest.raises(CorruptStore):
        measure_table(tmp_path, SegmentName("seg_none_0"))


def test_ids_are_equal_wherever_equal_text_stands_at_an_equal_place() -> None:
    """A rename keeps chunk ids, so that vectors can be reused."""
    first, second = rows(CHUNKS[4], CHUNKS[4])

    assert first.chunk_id == second.chunk_id
    assert first.row_id != second.row_id


class PanicException(BaseException):
    """What a panic of the native reader looks like from here."""


@pytest.mark.parametrize(
    "failure",
    [PanicException("unwrap"), KeyError("text"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no")],
    ids=repr,
)
def test_whatever_a_damaged_table_does_to_its_reader_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    """Bytes that fell over after they were verified get as far as the native reader."""

    def fail(store: Path, segment: SegmentName) -> None:
        del store, segment
        raise failure

    monkeypatch.setattr("ggrep.index.store.tables._opened", fail)

    with pytest.raises(CorruptStore, match="segment seg_x cannot be read"):
        take_rows(tmp_path, SegmentName("seg_x"), [0])
