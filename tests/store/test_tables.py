"""Rows and vectors come back from a table as they went in."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.errors import CorruptStore, StoreError
from ggrep.base.ids import PathKey, SegmentName
from ggrep.config import store_files
from ggrep.index.maintenance.checks import audit
from ggrep.index.store import table_vectors
from ggrep.index.store.rows import ChunkRow, make_row
from ggrep.index.store.segment import PackedBatches, image_ref
from ggrep.index.store.segment_image import SegmentImage
from ggrep.index.store.table_columns import pack_rows, to_batch, with_vectors
from ggrep.index.store.table_scan import schema_differences
from ggrep.index.store.table_vectors import in_table, map_vectors, pages_of
from ggrep.index.store.tables import (
    measure_table,
    take_rows,
    write_table,
)
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk, ChunkedFile
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.effort import examples
from tests.fakes.repos import indexed, open_engine
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


STORE = """
import sys
from pathlib import Path
from ggrep.index.store.lean_import import import_lancedb, leave_out_remote_client
{before}
leave_out_remote_client()
lancedb = import_lancedb()
table = lancedb.connect(sys.argv[1]).create_table("t", data=[{{"a": 1}}, {{"a": 2}}])
assert table.take_offsets([1]).to_arrow().to_pylist() == [{{"a": 2}}]
left_out = [sys.modules.get(name) for name in ("lance_namespace_urllib3_client", "overrides")]
print({{getattr(one, "__file__", None) is not None for one in left_out if one is not None}})
"""
REFUSING = """
import ggrep.index.store.lean_import as lean
def refuse(self, module):
    raise ImportError(module.__name__)
lean._Finder.exec_module = refuse
"""


@pytest.mark.slow
@pytest.mark.parametrize(("before", "whole"), [("", False), (REFUSING, True)])
def test_lancedb_works_without_its_client(tmp_path: Path, before: str, whole: bool) -> None:
    """A release that insists on it costs half a second, not the search."""
    code = STORE.format(before=before)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str({whole})


TREE = {f"m{number}.py": f"def step_{number}():\n    return {number}\n" for number in range(90)}
CHUNK = Chunk("text", "block", Corpus.CODE, "", "", (), (), 1, 1, 0, 1, "a", "")


@pytest.fixture(autouse=True)
def _of_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Map vectors of small segments, too."""
    monkeypatch.setattr(table_vectors, "LEAST_ROWS", 1)


def engine_over(root: Path, home: Path) -> Engine:
    return indexed(root, home, TREE, encoder="hashed")


def image_of(engine: Engine) -> SegmentImage:
    (segment,) = engine.view().segments
    return segment.image


def hits(engine: Engine) -> Any:
    return engine.search(SearchRequest("step return 7", deterministic=True, explain=True)).hits


def written(store: Path, vectors: np.ndarray, rows_per_batch: int) -> None:
    file = ChunkedFile(PathKey("a"), "x", "lines", (CHUNK,) * len(vectors))
    rows = [
        make_row(file, place, file_hash=b"h" * 32, chunker_version="1")
        for place in range(len(vectors))
    ]
    batches = [
        with_vectors(
            to_batch(rows[start:end]), vectors[start:end], np.ones(len(vectors[start:end]))
        )
        for start in range(0, len(rows), rows_per_batch)
        for end in (start + rows_per_batch,)
    ]
    write_table(store, NAME, batches)


def test_images_copy_no_vectors(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are the same to the bit; the image is made again to the same bytes."""
    engine = engine_over(root, home)
    mapped, answers = image_of(engine), hits(engine)
    with monkeypatch.context() as patch:
        patch.setattr(table_vectors, "LEAST_ROWS", 1 << 40)
        copied = engine_over(root.parent / "other", home)

    assert "vectors" not in mapped.arrays
    assert "vectors" in image_of(copied).arrays
    assert np.array_equal(mapped.whole_vectors(), image_of(copied).whole_vectors())
    assert [hit.score for hit in answers] == [hit.score for hit in hits(copied)]
    store = engine.identity.store
    assert audit(store, engine.identity.store_id).errors == ()

    file = store_files.image_file(store, mapped.name)
    before = image_ref(store, file)
    engine.close()
    file.write_bytes(b"damage")

    assert hits(open_engine(root, home, encoder="hashed")) == answers
    assert image_ref(store, file) == before


@settings(max_examples=examples(8, 25))
@given(st.integers(1, 400), st.integers(1, 200), st.integers(0, 3), st.randoms())
def test_every_row_is_the_one_that_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: int, batch: int, kinds: int, random: Any
) -> None:
    store = tmp_path_factory.mktemp("store")
    seed = np.random.default_rng(random.randrange(1 << 30))
    vectors = seed.integers(-128, 128, (rows, 256), dtype=np.int8)
    if kinds:
        vectors = vectors[seed.integers(0, min(kinds, rows), rows)] * np.int8(kinds != 1)
    written(store, vectors, batch)
    arrays, meta = in_table(store, NAME, {"vectors": vectors}, {})
    pages = pages_of(meta)

    if pages is None:
        assert np.array_equal(arrays["vectors"], vectors)
    else:
        parts = map_vectors(store_files.table_dir(store, NAME), pages, rows)
        assert np.array_equal(np.concatenate(parts), vectors)
        assert not arrays


def test_vectors_that_are_not_found_are_copied(root: Path, home: Path, tmp_path: Path) -> None:
    vectors = np.random.default_rng(1).integers(-128, 128, (80, 256), dtype=np.int8)
    written(tmp_path, vectors, 80)
    other = vectors.copy()
    other[-1, -1] ^= 1

    assert in_table(tmp_path, NAME, {"vectors": other}, {}) == ({"vectors": other}, {})
    assert not in_table(tmp_path, NAME, {"vectors": vectors}, {})[0]


@pytest.mark.parametrize(
    "change",
    [
        {"file": "../../../etc/passwd"},
        {"file": "data/../x.lance"},
        {"pages": [[0]]},
        {"pages": "x"},
        {"dimension": 0},
        {"pages": [[-1, 90]]},
    ],
)
def test_vectors_lie_in_the_table_only(change: Mapping[str, Any]) -> None:
    """An image may come from a remote."""
    whole = {"file": "data/x.lance", "dimension": 8, "pages": [[0, 90]]}

    assert pages_of({"vectors": whole})
    with pytest.raises(CorruptStore):
        pages_of({"vectors": whole | dict(change)})


def test_pages_behind_the_end_of_the_table_are_damage(tmp_path: Path) -> None:
    """Nothing is read past the map."""
    vectors = np.random.default_rng(1).integers(-128, 128, (80, 256), dtype=np.int8)
    written(tmp_path, vectors, 80)
    pages = pages_of(in_table(tmp_path, NAME, {"vectors": vectors}, {})[1])
    assert pages is not None
    table = store_files.table_dir(tmp_path, NAME)
    file = table / pages.file

    with pytest.raises(CorruptStore):
        map_vectors(table, pages, 81)
    file.write_bytes(file.read_bytes()[: pages.pages[0][0] + 100])
    with pytest.raises(CorruptStore):
        map_vectors(table, pages, 80)
