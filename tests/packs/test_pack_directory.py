"""Packs come and go, and nothing is lost with them."""

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy
from ggrep.base.identifiers import IdSource
from ggrep.base.locks import Patience, alone
from ggrep.index.packs import pack_directory, pack_image
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.index.packs.pack_directory import make_packs, pack_files
from ggrep.index.packs.pack_image import open_pack
from ggrep.index.store.row_texts import RowTexts
from tests.crash.io_errors import failing
from tests.fakes.packs import CLOCK, GUIDE, Stores, pack, question, unpacked_segments


def segments_of(path: Path) -> set[str]:
    return {each.segment for each in open_pack(path).segments}


def answers(stores: Stores) -> list[bytes]:
    """Return what all repositories give, with the packs that there are."""
    packs = OpenedPacks(stores.home).packs()
    asked = [question("retry after a timeout"), question("render page title", top=1)]
    return [stable_json.dumps(to_builtins(stores.ask(each, *packs))) for each in asked]


def test_deleting_them_changes_no_answer(stores: Stores) -> None:
    """They are derived: the segments' own images say the same, whatever part is packed."""
    plain = answers(stores)
    for number in (1, 2, 3):
        pack(stores.home, unpacked_segments(stores.home)[:number])
        assert answers(stores) == plain
    for path in pack_files(stores.home):
        path.unlink()
    assert answers(stores) == plain


def test_small_packs_go_into_the_next_one(stores: Stores) -> None:
    """Each pack costs a question something; there are few of them."""
    first, second, third = unpacked_segments(stores.home)
    pack(stores.home, [first])
    (path,) = pack(stores.home, [second, third])

    assert pack_files(stores.home) == [path]
    assert segments_of(path) == {first.segment, second.segment, third.segment}


def test_a_large_pack_is_left_when_little_is_added(stores: Stores) -> None:
    """To write all of it again for one edit would take longer than all else."""
    everything = unpacked_segments(stores.home)
    (large,) = pack(stores.home, everything)
    stores.write("site", {"more.js": "export const more = 1;\n"})
    new = [each for each in unpacked_segments(stores.home) if each not in everything]
    (small,) = pack(stores.home, new)

    assert pack_files(stores.home) == [small, large]
    assert segments_of(small) == {each.segment for each in new}


def test_what_is_gone_is_not_packed_again(stores: Stores) -> None:
    """A segment without its image is in no snapshot any more, or unreadable."""
    first, second, third = unpacked_segments(stores.home)
    pack(stores.home, [first])
    (stores.home.data / first.store_id / "images" / f"{first.segment}.image").unlink()
    (path,) = pack(stores.home, [second, third])

    assert segments_of(path) == {second.segment, third.segment}


def test_big_segments_stay_alone(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are as fast by themselves, and long to copy."""
    rows = [ref.rows for view in stores.views() for ref in view.manifest.segments]
    monkeypatch.setattr(pack_image, "BIG_ROWS", max(rows))

    (path,) = pack(stores.home)
    assert 0 < len(open_pack(path).segments) < len(rows)
    assert all(each.rows < max(rows) for each in open_pack(path).segments)


def test_one_pack_holds_so_many_rows(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pack is written whole, in memory."""
    monkeypatch.setattr(pack_directory, "_MOST_ROWS", 5)
    plain = answers(stores)

    written = pack(stores.home)
    assert len(written) > 1
    assert answers(stores) == plain


def test_one_that_somebody_damaged_is_passed_over_and_replaced(stores: Stores) -> None:
    """Nobody has to delete anything by hand."""
    plain = answers(stores)
    (path,) = pack(stores.home)
    opened = OpenedPacks(stores.home)
    assert len(opened.packs()) == 1
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)

    assert opened.packs() == ()
    assert answers(stores) == plain
    (again,) = pack(stores.home)
    assert pack_files(stores.home) == [again]
    assert [each.name for each in opened.packs()] == [again.name]


def test_an_opened_one_is_opened_once(stores: Stores) -> None:
    """Every byte of it is looked at then."""
    pack(stores.home)
    opened = OpenedPacks(stores.home)

    assert opened.packs()[0] is opened.packs()[0]


def test_what_a_crash_left_is_removed_by_the_next(stores: Stores) -> None:
    """It has no name by which anybody would read it."""
    stores.home.packs.mkdir(parents=True)
    left = stores.home.packs / ".01ARZ3NDEKTSV4RRFFQ69G5FAV.pack.tmp"
    left.write_bytes(b"half of a pack")

    assert OpenedPacks(stores.home).packs() == ()
    pack(stores.home)
    assert not left.exists()


def test_a_disk_that_is_full_leaves_the_old_ones(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packs are replaced only by what is whole."""
    first, second, third = unpacked_segments(stores.home)
    (old,) = pack(stores.home, [first])

    def full(path: Path, *_: object) -> None:
        path.write_bytes(b"as much as there was room for")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pack_directory, "write_pack", full)
    with pytest.raises(OSError, match="No space"):
        pack(stores.home, [second, third])
    assert pack_files(stores.home) == [old]
    assert not list(stores.home.packs.glob(".*.tmp"))


def test_two_do_not_pack_at_once(stores: Stores) -> None:
    """Each would remove what the other one merges."""
    segments = unpacked_segments(stores.home)
    pack(stores.home, segments[:1])
    patience = Patience(Deadline.after(CLOCK, 0), lambda _: None)
    with alone(stores.home.packs / ".lock", patience), pytest.raises(Busy):
        make_packs(stores.home, segments, IdSource(CLOCK), patience)


def test_edits_show_at_once_beside_a_pack(stores: Stores) -> None:
    """A new segment is read from its own image, and hidden files of packed ones are not shown."""
    pack(stores.home)
    stores.write("mail", {"docs/guide.md": None, "docs/other.md": GUIDE})
    packs = OpenedPacks(stores.home).packs()
    joint = stores.joint(*packs)
    answer = stores.ask(question("retried after a timeout", folds=False), *packs)
    paths = {hit.path for lists in answer.lists for _, hits in lists.corpora for hit in hits}

    assert len(joint.unpacked) == 1
    assert "docs/other.md" in paths
    assert answers(stores) == answers_without_packs(stores)


def answers_without_packs(stores: Stores) -> list[bytes]:
    for path in pack_files(stores.home):
        path.unlink()
    return answers(stores)


def test_what_is_not_as_it_was_published_is_not_packed(stores: Stores) -> None:
    """In a pack nobody would look at it again: damage would be there for good."""
    first = unpacked_segments(stores.home)[0]
    image = stores.home.data / first.store_id / "images" / f"{first.segment}.image"
    data = bytearray(image.read_bytes())
    data[-200] ^= 1
    image.write_bytes(data)

    (path,) = pack(stores.home)
    assert first.segment not in segments_of(path)


def test_an_image_of_other_texts_than_its_rows_is_not_packed(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies would be named that are none."""
    first = max(unpacked_segments(stores.home), key=lambda each: each.store_id.startswith("cart"))
    read = RowTexts.texts

    def exchanged(texts: RowTexts, rows: Sequence[int], *, checked: bool) -> list[str]:
        values = read(texts, rows, checked=checked)
        return values[::-1] if texts.image.name == first.segment else values

    monkeypatch.setattr(RowTexts, "texts", exchanged)

    (path,) = pack(stores.home)
    assert first.segment not in segments_of(path)


def test_one_that_cannot_be_read_for_a_moment_is_read_afterwards(stores: Stores) -> None:
    """A process that had no descriptor left must not do without packs for good."""
    (path,) = pack(stores.home)
    opened = OpenedPacks(stores.home)
    with failing(stores.home.packs, number=errno.EMFILE, at=0, lasting=True):
        assert opened.packs() == ()
    assert [each.name for each in opened.packs()] == [path.name]

    with failing(stores.home.packs, number=errno.EMFILE, at=0, lasting=True):
        assert [each.name for each in opened.packs()] == [path.name]  # which is mapped already


def test_one_that_cannot_be_read_for_a_moment_is_not_removed(stores: Stores) -> None:
    """Only what is damaged, or of another build, is of no use to anybody."""
    first, second, third = unpacked_segments(stores.home)
    (old,) = pack(stores.home, [first])
    with failing(stores.home.packs, number=errno.ENOMEM, at=0, lasting=True):
        (new,) = pack(stores.home, [second, third])

    assert {each.name for each in OpenedPacks(stores.home).packs()} == {old.name, new.name}


def test_one_that_cannot_be_removed_costs_nothing_else(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new pack is as good beside it, and whoever packs next removes both."""
    pack(stores.home)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", _refused)
        pack(stores.home)
    assert len(pack_files(stores.home)) == 2
    (third,) = pack(stores.home)

    assert pack_files(stores.home) == [third]


def _refused(path: Path, **_: object) -> None:
    raise PermissionError(errno.EACCES, "Permission denied", str(path))
