"""Texts come from the arrays of images as they come from tables, or not at all."""

import subprocess
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.config import store_files
from ggrep.index.remote.image_checks import require_image
from ggrep.index.store import tables
from ggrep.index.store.row_texts import TEXT_ARRAYS, RowTexts, Texts, merge_texts, shown_of
from ggrep.index.store.rows import make_row
from ggrep.index.store.segment import image_ref
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.table_texts import TableTexts
from ggrep.index.sync.image_builder import ImageBuilder
from ggrep.model.corpus import Corpus
from ggrep.model.files import ANCHOR, Chunk, ChunkedFile
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.file_text import file_text, file_texts
from ggrep.search.query.segments import open_segments
from tests.fakes.built_store import built_once
from tests.fakes.old_stores import without_texts
from tests.fakes.repos import indexed, open_engine

LONG = "def total(rows):\n" + "".join(
    f"    count += weigh({n}, rows)  # of a page\n" for n in range(900)
)
TREE: dict[str, str | bytes] = {
    **{f"page{n:02}.py": f"def page_{n}(title):\n    return {n} * title\n" for n in range(40)},
    "old.md": "# Caf\xe9\n\nA page title, rendered.\n".encode("latin-1"),
    "long.py": LONG,
    "empty.txt": "",
    "wide.md": "# Seite\n\n\n" + "\u00fcber \u5358\u8a9e \U0001f600\n\n\n" * 2000,
}
QUESTIONS = ("render page title", '"page title"', "weigh page rows", "total", "-- title")


def build(root: Path, home: Path) -> None:
    """Index files of several blocks of text."""
    indexed(root, home, TREE)


engine = built_once(build)


def image_of(engine: Engine) -> SegmentImage:
    (segment,) = engine.view().segments
    return segment.image


def everything(image: SegmentImage, texts: Texts) -> list[Any]:
    rows = range(image.rows)
    return [
        texts.texts(rows),
        texts.tiles(rows),
        texts.details(rows),
        texts.extents(rows),
        shown_of(image, texts, rows),
    ]


def answers(engine: Engine) -> list[bytes]:
    requests = [SearchRequest(text, deterministic=True, limit=30) for text in QUESTIONS]
    documents = [to_builtins(engine.search(request)) for request in requests]
    for document in documents:
        del document["provenance"], document["request_id"]
    return [stable_json.dumps(document) for document in documents]


def test_image_and_table_have_the_same_texts(engine: Engine) -> None:
    """Every row and file, over several blocks, with and without definitions in parts."""
    image = image_of(engine)
    here = everything(image, RowTexts(image))

    assert len(image.arrays["text_offsets"]) > 3
    assert len(image.arrays["detail_rows"]) > 2
    assert any(here[3])
    assert any(details.encoding for details in here[2])
    assert here == everything(image, TableTexts(engine.identity.store, image))


def test_files_are_indexed_to_the_byte(engine: Engine) -> None:
    """UTF-8 files come back as they lie in the work tree."""
    view = engine.view()
    (segment,) = open_segments(view)
    files = [file for file in range(segment.image.files) if segment.image.path(file) != "old.md"]
    texts = file_texts(view, segment, files, Deadline.never(engine.clock))
    for file, text in zip(files, texts, strict=True):
        assert text.encode() == (engine.identity.root / segment.image.path(file)).read_bytes()


def test_an_answer_reads_no_table(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """LanceDB takes half a second to import and milliseconds to give a row."""
    plain = answers(engine)

    def refuse(*_: object) -> None:
        raise AssertionError("a table was read")

    monkeypatch.setattr(tables, "_connect", refuse)
    assert answers(engine) == plain
    assert b'"definition":{' in b"".join(plain)


def test_a_process_that_only_answers_imports_no_database(engine: Engine) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.fakes.repos import open_engine, paths\n"
        "engine = open_engine(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "assert paths(engine, 'render page title')\n"
        "print(sorted({'lancedb', 'pyarrow'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(engine.identity.root), str(engine.home.base)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "[]"


def test_a_store_of_an_earlier_build_answers_and_is_upgraded(engine: Engine) -> None:
    """Its tables are read until a compaction has written images with texts."""
    plain = answers(engine)
    engine.close()
    without_texts(engine.identity.store)
    old = open_engine(engine.identity.root, engine.home.base)

    assert "text_blocks" not in image_of(old).arrays
    assert answers(old) == plain
    report = old.keep_up()
    assert report.compaction is not None
    assert report.compaction.performed
    assert "text_blocks" in image_of(old).arrays
    assert answers(old) == plain
    assert old.keep_up().compaction is None


def test_an_image_of_an_earlier_build_is_made_again(engine: Engine) -> None:
    """Its manifest has the digest of one without texts."""
    plain, store = answers(engine), engine.identity.store
    engine.close()
    without_texts(store)
    file = store_files.image_file(store, image_of(engine).name)
    before = image_ref(store, file)
    file.write_bytes(b"damage")
    old = open_engine(engine.identity.root, engine.home.base)

    assert answers(old) == plain
    assert image_ref(store, file) == before


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("name", ["text_blocks", "detail_blocks"])
def test_damaged_blocks_are_never_shown(engine: Engine, name: str, checked: bool) -> None:
    """A flipped byte is damage, or it means nothing to zlib."""
    image = image_of(engine)
    rows = range(image.rows)
    plain = shown_of(image, RowTexts(image), rows)
    whole = image.arrays[name]
    for place in range(0, len(whole), max(len(whole) // 60, 1)):
        damaged = whole.copy()
        damaged[place] ^= 0x10
        other = replace(image, arrays={**image.arrays, name: damaged})
        with suppress(CorruptStore):
            assert shown_of(other, RowTexts(other), rows, checked=checked) == plain


def test_texts_of_other_rows_are_damage(engine: Engine) -> None:
    """A row's id follows from its text."""
    image = image_of(engine)
    others = np.roll(image.arrays["row_ids"], 1, axis=0)
    other = replace(image, arrays={**image.arrays, "row_ids": others})

    with pytest.raises(CorruptStore, match="does not match the row id"):
        shown_of(other, RowTexts(other), range(image.rows))


def test_a_file_that_ends_inside_of_a_character_is_damage(engine: Engine) -> None:
    """No replacement character is shown in its place."""
    view = engine.view()
    (segment,) = open_segments(view)
    file = segment.image.find(PathKey("wide.md"))
    assert file is not None
    lengths = segment.image.arrays["file_text_lengths"].copy()
    lengths[file] -= len("\n\n\n") + 1
    cut = replace(segment.image, arrays={**segment.image.arrays, "file_text_lengths": lengths})

    with pytest.raises(CorruptStore, match="does not end at the recorded"):
        file_text(view, replace(segment, texts=RowTexts(cut)), file, Deadline.never(engine.clock))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("row_text_lengths", lambda values: values + np.uint32(1)),
        ("file_text_starts", lambda values: np.append(values[:-1], np.uint64(1 << 63))),
        ("file_text_lengths", lambda values: values * np.uint32(2)),
        ("definition_keys", lambda _: np.array([7 << 32 | 1 << 20], dtype=np.uint64)),
        ("text_offsets", lambda values: values + np.uint64(9)),
        ("detail_offsets", lambda values: values[:-1]),
        ("detail_rows", lambda values: values[::-1].copy()),
        ("definition_ends", lambda values: values[1:]),
    ],
)
def test_texts_of_an_image_lie_in_its_blocks(engine: Engine, name: str, change: Any) -> None:
    """Its digest says only that it is the one that was pushed."""
    image = image_of(engine)
    require_image(image, image.rows, image.files)
    arrays = {**image.arrays, name: change(image.arrays[name])}
    with pytest.raises(ValueError, match=r"\w"):
        require_image(replace(image, arrays=arrays), image.rows, image.files)


def test_a_block_that_grows_without_end_is_damage(engine: Engine) -> None:
    """A few bytes of zlib can stand for gigabytes."""
    bomb = np.frombuffer(zlib.compress(b"\0" * (1 << 27)), dtype=np.uint8)
    image = image_of(engine)
    offsets = np.array([0] + [len(bomb)] * (len(image.arrays["text_offsets"]) - 1), np.uint64)
    other = replace(image, arrays={**image.arrays, "text_blocks": bomb, "text_offsets": offsets})

    with pytest.raises(CorruptStore, match="a wrong size"):
        RowTexts(other).texts(range(image.rows))


texts = st.text(st.characters(codec="utf-8"), max_size=40)


@st.composite
def chunked_files(draw: st.DrawFn) -> ChunkedFile:
    """Return a file of a few chunks with any text and names."""
    chunks = []
    for ordinal in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(["", "run", "stop"]))
        chunks.append(
            Chunk(
                kind="text" if ordinal else ANCHOR,
                chunk_type=draw(st.sampled_from(["function", "block"])) if ordinal else ANCHOR,
                corpus=Corpus.CODE,
                name=name,
                qualified_name=name and f"A.{name}",
                names=(name,) if name else (),
                breadcrumb=draw(st.sampled_from([(), ("A",), ("A", "run")])),
                start_line=ordinal + 1,
                end_line=ordinal + draw(st.integers(1, 3)),
                byte_start=0,
                byte_end=0,
                text=draw(texts) * draw(st.sampled_from([1, 1, 900])),
                extra=draw(texts),
                signature=draw(texts),
                tail=draw(texts),
            )
        )
    return ChunkedFile(PathKey(f"f{draw(st.integers(0, 9))}"), "x", "lines", tuple(chunks))


def built(name: str, files: Sequence[ChunkedFile]) -> SegmentImage:
    builder = ImageBuilder(0)
    for file in files:
        rows = [
            make_row(file, ordinal, file_hash=b"h" * 32, chunker_version="1")
            for ordinal in range(len(file.chunks))
        ]
        builder.add_file(file.path_key, b"h" * 32, 1, "x", 0)
        builder.add_rows(rows)
    return SegmentImage(SegmentName(name), builder.finish(), ["block"], ["x"])


@given(st.lists(st.lists(chunked_files(), max_size=3), min_size=1, max_size=3))
def test_texts_come_back_from_one_image_and_from_several(parts: list[list[ChunkedFile]]) -> None:
    images = [built(f"s{number}", files) for number, files in enumerate(parts)]
    chunks = [chunk for files in parts for file in files for chunk in file.chunks]
    whole = built("whole", [file for files in parts for file in files])
    firsts = np.cumsum([0, *(image.rows for image in images)]).tolist()
    joined = replace(whole, arrays={**whole.arrays, **merge_texts(images, firsts)})

    assert set(TEXT_ARRAYS) <= set(whole.arrays)
    assert RowTexts(whole).texts(range(whole.rows)) == [chunk.text for chunk in chunks]
    assert [each.extra for each in RowTexts(whole).details(range(whole.rows))] == [
        chunk.extra for chunk in chunks
    ]
    assert everything(joined, RowTexts(joined)) == everything(whole, RowTexts(whole))


def test_an_image_is_made_again_to_the_same_bytes(engine: Engine) -> None:
    """Texts, too, follow from the table."""
    store, name = engine.identity.store, image_of(engine).name
    file = store_files.image_file(store, name)
    before = image_ref(store, file)
    engine.close()
    file.unlink()
    engine = open_engine(engine.identity.root, engine.home.base)

    assert answers(engine)
    assert image_ref(store, file) == before
    assert open_segment_image(store, name).rows
