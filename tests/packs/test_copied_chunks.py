"""Chunks that several repositories have are counted from packs alone."""

from collections import Counter
from collections.abc import Sequence

from ggrep.index.packs.copied_chunks import ShownStore, count_copies
from ggrep.index.packs.pack_directory import pack_files
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.segments import open_segments
from tests.fakes.packs import GUIDE, Stores, loose_segments, pack


def shown(stores: Stores) -> list[ShownStore]:
    return [
        ShownStore(
            view.manifest.store_id,
            tuple(ref.table for ref in view.manifest.segments),
            view.store / view.manifest.visibility.path,
        )
        for view in stores.views()
    ]


def texts(stores: Stores) -> list[list[str]]:
    """Return the chunk ids that each store shows, read from its tables."""
    return [
        [
            row.chunk_id
            for segment in open_segments(view)
            for row in shown_rows(view, segment, segment.visible_rows.nonzero()[0].tolist())
        ]
        for view in stores.views()
    ]


def copies(found: Sequence[Sequence[str]]) -> int:
    times = Counter(text for own in found for text in own)
    held = Counter(text for own in found for text in set(own))
    return sum(number - 1 for text, number in times.items() if held[text] > 1)


def test_copies_are_what_no_text_is_lost_without(stores: Stores) -> None:
    """A file of two repositories counts once, what one repeats by itself does not."""
    stores.write("cart", {"again.py": "def other():\n    pass\n", "more.py": "x = 1\n"})
    stores.write("cart", {"sub/again.py": "def other():\n    pass\n"})
    pack(stores.home)
    found = texts(stores)

    assert copies(found) > 0
    assert count_copies(stores.home, shown(stores)) == (sum(map(len, found)), copies(found))


def test_what_is_hidden_is_no_copy(stores: Stores) -> None:
    """Packs hold rows of files that are gone or were edited."""
    pack(stores.home)
    before = count_copies(stores.home, shown(stores))
    stores.write("mail", {"docs/guide.md": None})
    after = count_copies(stores.home, shown(stores))

    assert before[1] > after[1] == 0
    assert before[0] > after[0]


def test_what_is_in_no_pack_is_not_counted(stores: Stores) -> None:
    """Its ids lie in tables, which are long to read."""
    assert count_copies(stores.home, shown(stores)) == (0, 0)
    pack(stores.home)
    before = count_copies(stores.home, shown(stores))
    stores.write("site", {"docs/guide.md": GUIDE})

    assert count_copies(stores.home, shown(stores)) == before
    pack(stores.home, loose_segments(stores.home))
    assert count_copies(stores.home, shown(stores)) > before


def test_a_segment_in_two_packs_counts_once(stores: Stores) -> None:
    """Whoever packs next removes the older one; until then both are there."""
    (path,) = pack(stores.home)
    before = count_copies(stores.home, shown(stores))
    path.with_name("0.pack").write_bytes(path.read_bytes())

    assert len(pack_files(stores.home)) == 2
    assert count_copies(stores.home, shown(stores)) == before


def test_a_store_that_cannot_be_read_is_not_counted(stores: Stores) -> None:
    """What is shown of it is not known."""
    pack(stores.home)
    whole = shown(stores)
    whole[0].visibility.write_bytes(b"")

    assert count_copies(stores.home, whole) == count_copies(stores.home, whole[1:])
