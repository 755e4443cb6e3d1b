"""Texts beside a pack give what the tables give, or nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import CorruptStore, Incompatible, SnapshotGone
from ggrep.index.packs import pack_texts
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.index.packs.pack_directory import texts_file
from ggrep.index.packs.pack_image import Pack
from ggrep.index.packs.pack_texts import COLUMNS, PackTexts, TextRow, open_texts
from ggrep.index.packs.pack_texts import write_texts as write_rows
from ggrep.index.store.view import SnapshotView
from ggrep.search.query import chunk_ids, row_reading
from ggrep.search.query.joint_view import JointView
from ggrep.search.query.row_reading import row_columns, row_texts, shown_rows
from ggrep.search.query.segments import SearchableSegment, open_segments
from tests.fakes.packs import Stores, pack, question, write_texts

NAMES = sorted(COLUMNS)
MANY = {f"page{n:02}.py": f"def page_{n}(title):\n    return {n} * title\n" for n in range(40)}
OLD = "# Caf\xe9\n\nA page title, rendered.\n".encode("latin-1")
LONG = "def total(rows):\n" + "".join(
    f"    count += weigh({n}, rows)  # of a page\n" for n in range(150)
)
ASKED = (
    question("retry after a timeout"),
    question("render page title", top=1),
    question('page "title):"', top=30),
    question("weigh page rows", folds=False),
)


@pytest.fixture
def packed(stores: Stores) -> Stores:
    """Return repositories in a pack with texts, of which one has several blocks of rows."""
    with stores.cheap_parsing():
        stores.write("many", {**MANY, "old.md": OLD, "long.py": LONG})
    pack(stores.home)
    write_texts(stores.home)
    return stores


def opened(stores: Stores) -> Pack:
    (found,) = OpenedPacks(stores.home).packs()
    return found


def texts_of(stores: Stores) -> PackTexts:
    texts = opened(stores).texts
    assert texts is not None
    return texts


def segment_of(stores: Stores, *packs: Pack) -> tuple[JointView, SearchableSegment]:
    view = stores.joint(*packs)
    (segment,) = open_segments(view)
    return view, segment


def answers(stores: Stores, *packs: Pack) -> list[bytes]:
    return [stable_json.dumps(to_builtins(stores.ask(one, *packs))) for one in ASKED]


def all_of(view: SnapshotView, segment: SearchableSegment) -> list[Any]:
    rows = range(segment.image.rows)
    return [
        shown_rows(view, segment, rows),
        row_texts(view, segment, rows),
        row_columns(view, segment, rows, NAMES),
    ]


def refuse_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a table was read")

    for name in ("take_shown", "take_texts", "read_columns"):
        monkeypatch.setattr(row_reading, name, refused)
    monkeypatch.setattr(chunk_ids, "read_columns", refused)


def damage(stores: Stores, place: int) -> None:
    """Change one byte of the texts, so far from their end."""
    path = texts_file(next(stores.home.packs.glob("*.pack")))
    data = bytearray(path.read_bytes())
    data[place] ^= 0x20
    path.write_bytes(data)


def block_start(stores: Stores, number: int) -> int:
    """Return where a block lies in the file of the texts."""
    path = texts_file(next(stores.home.packs.glob("*.pack")))
    texts = texts_of(stores)
    start, end = texts.offsets[number : number + 2].tolist()
    return path.read_bytes().index(texts.blocks[start:end].tobytes())


def test_each_row_is_read_as_from_its_table(packed: Stores) -> None:
    """Answers are the same whether or not there are texts."""
    pack = opened(packed)
    beside = all_of(*segment_of(packed, pack))
    tables = all_of(*segment_of(packed, replace(pack, texts=None)))

    assert len(texts_of(packed).crcs) > 2
    assert beside == tables
    assert set(texts_of(packed).shown(range(pack.image.rows))) == set(range(pack.image.rows))
    assert any(encoding for encoding in beside[2][NAMES.index("encoding")])


def test_no_table_is_read_for_an_answer(packed: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is what texts are for."""
    pack = opened(packed)
    plain = answers(packed, replace(pack, texts=None))
    refuse_tables(monkeypatch)

    assert answers(packed, pack) == plain
    assert b'"encoding":"' in b"".join(plain)
    assert b'"definition":{' in b"".join(plain)


def test_whose_table_was_touched_is_not_shown_though_texts_hold_it(packed: Stores) -> None:
    """Whoever asked its repository alone would be told of damage."""
    view, segment = segment_of(packed, opened(packed))
    store = view.members[0].store
    table = next(store.glob("*.lance/data/*"))
    table.write_bytes(table.read_bytes())
    (own,) = [one for one in opened(packed).segments if one.store_id == store.name]
    rows = range(own.first_row, own.first_row + own.rows)
    others = [row for row in range(segment.image.rows) if row not in rows]

    for read in (shown_rows, row_texts, lambda *given: row_columns(*given, NAMES)):
        assert read(view, segment, others)
        with pytest.raises(SnapshotGone):
            read(view, segment, rows)


def test_rows_of_a_damaged_block_come_from_their_tables(packed: Stores) -> None:
    """A block is looked at when it is read: nobody is shown another text, nor an error."""
    plain = answers(packed, opened(packed))
    damage(packed, block_start(packed, 1) + 5)
    texts, rows = texts_of(packed), range(opened(packed).image.rows)

    lost = set(rows) - set(texts.shown(rows))
    assert lost == set(range(pack_texts.BLOCK_ROWS, 2 * pack_texts.BLOCK_ROWS))
    assert set(texts.texts(rows)) == set(texts.columns(rows, NAMES)) == set(rows) - lost
    assert answers(packed, opened(packed)) == plain


def test_a_byte_that_is_another_is_noticed_wherever_it_lies(packed: Stores) -> None:
    """Whatever is given is what was written."""
    path, pack = texts_file(next(packed.home.packs.glob("*.pack"))), opened(packed)
    whole, rows = path.read_bytes(), range(pack.image.rows)
    true = texts_of(packed).shown(rows)
    other = path.with_name("damaged.texts")
    for place in range(0, len(whole), max(1, len(whole) // 120)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        other.write_bytes(damaged)
        try:
            found = open_texts(other, pack.image, pack.digest)
        except (CorruptStore, Incompatible):
            continue
        assert found.shown(rows).items() <= true.items()


@pytest.mark.parametrize("first", ["crcs", "offsets", "blocks"])
def test_pages_that_are_lost_are_noticed(packed: Stores, first: str) -> None:
    """They are zeros, checksums and places of blocks as well as these."""
    path, texts = texts_file(next(packed.home.packs.glob("*.pack"))), texts_of(packed)
    rows, plain, whole = range(texts.image.rows), answers(packed, opened(packed)), path.read_bytes()
    start = whole.index(getattr(texts, first).tobytes())
    path.write_bytes(whole[:start].ljust(len(whole), b"\0"))

    assert texts_of(packed).shown(rows) == {}
    assert not texts_of(packed).are_whole()
    assert answers(packed, opened(packed)) == plain


@pytest.mark.parametrize("length", [0, 7, 100, -64])
def test_texts_that_were_cut_short_are_none(packed: Stores, length: int) -> None:
    """What is mapped must be there."""
    path = texts_file(next(packed.home.packs.glob("*.pack")))
    path.write_bytes(path.read_bytes()[:length])

    assert opened(packed).texts is None


def test_texts_of_another_build_are_none(packed: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have meant something else by the same bytes."""
    monkeypatch.setattr(pack_texts, "TEXTS_FORMAT", "ggrep-texts-of-tomorrow")

    assert opened(packed).texts is None
    assert answers(packed, opened(packed)) == answers(packed)


def test_texts_are_of_the_pack_that_they_name(packed: Stores) -> None:
    """Rows of another pack are others, even under the same name."""
    pack, path = opened(packed), texts_file(next(packed.home.packs.glob("*.pack")))
    first = pack.segments[0]
    other = replace(pack, segments=(replace(first, image_sha256="f" * 64), *pack.segments[1:]))

    assert open_texts(path, pack.image, pack.digest).are_whole()
    with pytest.raises(CorruptStore):
        open_texts(path, pack.image, other.digest)


def test_a_text_that_is_not_the_rows_own_is_not_given(packed: Stores) -> None:
    """A row's id is a digest of its text, and the pack has it."""
    texts, rows = texts_of(packed), range(opened(packed).image.rows)
    ids = texts.image.arrays["row_ids"]
    exchanged = replace(texts.image, arrays={**texts.image.arrays, "row_ids": np.roll(ids, 1, 0)})

    assert replace(texts, image=exchanged).shown(rows) == {}
    assert replace(texts, image=exchanged).texts(rows) == {}


def test_a_text_that_is_not_the_rows_own_is_not_written(packed: Stores, tmp_path: Path) -> None:
    """Whoever reads them would only find out each time."""
    texts, rows = texts_of(packed), range(opened(packed).image.rows)
    held = [row_of(texts, row) for row in rows]
    other = replace(held[3], text=held[3].text + "x")
    path = tmp_path / "some.texts"
    write_rows(path, texts.image, [*held[:3], other, None, *held[5:]], "of it")

    found = open_texts(path, texts.image, "of it")
    assert set(found.columns(rows, NAMES)) == set(rows) - {3, 4}
    assert found.shown(rows).items() <= texts.shown(rows).items()


def row_of(texts: PackTexts, row: int) -> TextRow:
    (values,) = texts.columns([row], pack_texts.COLUMNS).values()
    return TextRow(*values)


def test_columns_that_texts_do_not_hold_are_the_tables(packed: Stores) -> None:
    """Whoever needs one more column need not know of texts."""
    pack = opened(packed)
    wanted: Sequence[str] = ("chunk_id", "names", "text")
    with_texts, without = (
        row_columns(*segment_of(packed, one), range(pack.image.rows), wanted)
        for one in (pack, replace(pack, texts=None))
    )

    assert with_texts == without
    assert not set(COLUMNS) >= set(wanted)


def test_a_pack_is_opened_once_whatever_its_texts_do(packed: Stores) -> None:
    """They come later than it, and may be deleted at any time."""
    found = OpenedPacks(packed.home)
    (with_texts,) = found.packs()
    path = texts_file(next(packed.home.packs.glob("*.pack")))
    held = path.read_bytes()
    path.unlink()
    (without,) = found.packs()
    path.write_bytes(held)
    (again,) = found.packs()

    assert with_texts.texts is not None
    assert without.texts is None
    assert again.texts is not None
    assert without.image is with_texts.image is again.image
    assert found.packs()[0] is again
