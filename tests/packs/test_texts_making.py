"""Texts of packs are made behind them, and nothing is lost with them."""

from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy
from ggrep.base.ids import SegmentName
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.index.packs import texts_making
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.index.packs.pack_directory import pack_files, texts_file
from ggrep.index.packs.pack_image import Pack
from ggrep.index.packs.texts_making import make_texts
from tests.fakes.packs import CLOCK, Stores, loose_segments, pack, write_texts


def bare_segments(found: Pack) -> set[SegmentName]:
    """Return the segments of a pack of which its texts hold no row."""
    texts = found.texts
    assert texts is not None
    return {
        one.segment
        for one in found.segments
        if not texts.shown(range(one.first_row, one.first_row + one.rows))
    }


def opened(stores: Stores) -> Pack:
    (found,) = OpenedPacks(stores.home).packs()
    return found


def test_what_is_there_is_not_made_again(stores: Stores) -> None:
    """Each time takes as long as the first."""
    pack(stores.home)
    (path,) = pack_files(stores.home)

    assert write_texts(stores.home) == [texts_file(path)]
    assert write_texts(stores.home) == []


@pytest.mark.parametrize("place", [20, -70, -1000])
def test_what_is_damaged_is_made_again(stores: Stores, place: int) -> None:
    """Nobody has to delete anything by hand."""
    pack(stores.home)
    (path,) = write_texts(stores.home)
    whole = path.read_bytes()
    data = bytearray(whole)
    data[place] ^= 0x10
    path.write_bytes(data)

    assert write_texts(stores.home) == [path]
    assert path.read_bytes() == whole


def test_a_table_that_is_not_as_it_was_published_is_left_out(stores: Stores) -> None:
    """In texts nobody would look at it again: damage would be there for good."""
    first = loose_segments(stores.home)[0]
    pack(stores.home)
    table = store_files.table_dir(stores.home.data / first.store_id, first.segment)
    (table / "data" / "more").write_bytes(b"whatever reads the others all the same")
    write_texts(stores.home)

    assert bare_segments(opened(stores)) == {first.segment}


def test_a_segment_of_no_active_snapshot_is_left_out(stores: Stores) -> None:
    """Whose table it is nobody says any more."""
    first = loose_segments(stores.home)[0]
    pack(stores.home)
    store_files.active_file(stores.home.data / first.store_id).unlink()
    write_texts(stores.home)

    assert bare_segments(opened(stores)) == {first.segment}


def test_rows_behind_those_that_cannot_be_read_keep_their_places(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table may fail in its midst."""
    read = texts_making.read_columns
    first, *_ = loose_segments(stores.home)
    pack(stores.home)
    monkeypatch.setattr(texts_making, "_BATCH_ROWS", 1)

    def failing(store: Path, segment: SegmentName, offsets: range, columns: object) -> object:
        if segment == first.segment and offsets.start:
            raise texts_making.GgrepError("no further")
        return read(store, segment, offsets, columns)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(texts_making, "read_columns", failing)
    write_texts(stores.home)
    found = opened(stores)
    assert found.texts is not None
    held = set(found.texts.shown(range(found.image.rows)))
    own = next(one for one in found.segments if one.segment == first.segment)

    lost = set(range(own.first_row + 1, own.first_row + own.rows))
    assert lost
    assert held == set(range(found.image.rows)) - lost


def test_texts_go_with_their_pack(stores: Stores) -> None:
    """They are of no use to another."""
    first, *others = loose_segments(stores.home)
    pack(stores.home, [first])
    (old,) = write_texts(stores.home)
    pack(stores.home, others)

    assert not old.exists()
    (new,) = write_texts(stores.home)
    assert [path.name for path in stores.home.packs.glob("*.texts")] == [new.name]


def test_what_a_crash_left_is_removed_by_the_next(stores: Stores) -> None:
    """A part of texts has no name by which anybody would read it, nor have texts without a pack."""
    stores.home.packs.mkdir(parents=True)
    part = stores.home.packs / ".01ARZ3NDEKTSV4RRFFQ69G5FAV.texts.tmp"
    orphan = stores.home.packs / "01ARZ3NDEKTSV4RRFFQ69G5FAV.texts"
    part.write_bytes(b"a part of texts")
    orphan.write_bytes(b"texts of a pack that is gone")
    pack(stores.home)

    assert not orphan.exists()
    assert part.exists()  # somebody may be writing it
    write_texts(stores.home)
    assert not part.exists()


def test_a_disk_that_is_full_leaves_the_pack_as_it_was(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts are read only if they are whole."""
    pack(stores.home)
    before = sorted(stores.home.packs.iterdir())

    def full(path: Path, *_: object) -> None:
        path.write_bytes(b"as much as there was room for")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(texts_making, "write_texts", full)
    with pytest.raises(OSError, match="No space"):
        write_texts(stores.home)
    left = set(stores.home.packs.iterdir()) - {stores.home.packs / ".texts.lock"}
    assert sorted(left) == before


def test_a_pack_that_goes_meanwhile_leaves_no_texts(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packs do not wait for their texts."""
    (path,) = pack(stores.home)
    write = texts_making.write_texts

    def late(*arguments: object) -> None:
        write(*arguments)  # type: ignore[arg-type]  # handed through
        path.unlink()

    monkeypatch.setattr(texts_making, "write_texts", late)
    assert write_texts(stores.home) == []
    assert {path.name for path in stores.home.packs.iterdir()} == {".lock", ".texts.lock"}


def test_two_do_not_make_them_at_once(stores: Stores) -> None:
    """Both would do the same; whoever packs need not wait for them."""
    pack(stores.home)
    patience = Patience(Deadline.after(CLOCK, 0), lambda _: None)
    with alone(stores.home.packs / ".texts.lock", patience):
        pack(stores.home, loose_segments(stores.home)[:1])
        with pytest.raises(Busy):
            make_texts(stores.home, patience)
