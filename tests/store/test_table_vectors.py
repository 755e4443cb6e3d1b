"""Vectors are mapped where their table has them, or copied."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.config import store_files
from ggrep.index.maintenance.checks import audit
from ggrep.index.store import table_vectors
from ggrep.index.store.rows import make_row
from ggrep.index.store.segment import image_ref
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.table_columns import to_batch, with_vectors
from ggrep.index.store.table_vectors import in_table, map_vectors, pages_of
from ggrep.index.store.tables import write_table
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk, ChunkedFile
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed, open_engine

NAME = SegmentName("seg_x_0")
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


def test_an_image_has_no_copy_of_its_tables_vectors(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers are the same to the bit, and so is the audit's judgement."""
    engine = engine_over(root, home)
    mapped, answers = image_of(engine), hits(engine)
    with monkeypatch.context() as patch:
        patch.setattr(table_vectors, "LEAST_ROWS", 1 << 40)
        copied = engine_over(root.parent / "other", home)

    assert "vectors" not in mapped.arrays
    assert "vectors" in image_of(copied).arrays
    assert np.array_equal(mapped.whole_vectors(), image_of(copied).whole_vectors())
    assert [hit.score for hit in answers] == [hit.score for hit in hits(copied)]
    assert audit(engine.identity.store, engine.identity.store_id).errors == ()


def test_an_image_with_mapped_vectors_is_made_again(root: Path, home: Path) -> None:
    """To the same bytes: where they lie follows from the table."""
    engine = engine_over(root, home)
    store, answers = engine.identity.store, hits(engine)
    file = store_files.image_file(store, image_of(engine).name)
    before = image_ref(store, file)
    engine.close()
    file.write_bytes(b"damage")
    engine = open_engine(root, home, encoder="hashed")

    assert hits(engine) == answers
    assert image_ref(store, file) == before


@settings(max_examples=25)
@given(st.integers(1, 400), st.integers(1, 200), st.integers(0, 3), st.randoms())
def test_every_row_is_the_one_that_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: int, batch: int, kinds: int, random: Any
) -> None:
    """Whatever the rows are: equal ones and zeros, too, which lie in a file's padding."""
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
    """As in another layout of LanceDB's."""
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
def test_vectors_lie_in_the_table_and_nowhere_else(
    root: Path, home: Path, change: Mapping[str, Any]
) -> None:
    """An image may come from a remote."""
    store = engine_over(root, home).identity.store
    (name,) = (path.stem for path in store.glob("*.lance"))
    meta = {"vectors": {"file": "data/x.lance", "dimension": 8, "pages": [[0, 90]]} | dict(change)}

    with pytest.raises(CorruptStore):
        pages_of(meta)
    assert open_segment_image(store, SegmentName(name)).vectors()


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
