"""A pack holds what the images of its segments hold, or is none."""

import shutil

import numpy as np
import pytest

from ggrep.base.errors import CorruptStore
from ggrep.index.packs.pack_image import CHUNK_IDS, FILE_RANKS, Pack, open_pack
from ggrep.index.store.segment_image import SegmentImage
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.segments import SearchableSegment, open_segments
from tests.fakes.packs import Stores, pack
from tests.fakes.resident import resident_bytes


def packed(stores: Stores) -> Pack:
    (path,) = pack(stores.home)
    return open_pack(path)


def own_images(stores: Stores) -> dict[tuple[str, str], SegmentImage]:
    return {
        (view.manifest.store_id, segment.image.name): segment.image
        for view in stores.views()
        for segment in view.segments
    }


def test_each_segment_lies_in_it_as_in_its_own_image(stores: Stores) -> None:
    """Whatever is read of a row, and of its file, is the same."""
    result, images = packed(stores), own_images(stores)

    assert {(each.store_id, each.segment) for each in result.segments} == set(images)
    for each in result.segments:
        ours = images[each.store_id, each.segment]
        rows = slice(each.first_row, each.first_row + each.rows)
        files = slice(each.first_file, each.first_file + each.files)
        assert result.image.paths()[files] == ours.paths()
        for name in ("row_ids", "row_starts", "row_ends", "row_corpora", "vectors", "scales"):
            assert (result.image.arrays[name][rows] == ours.arrays[name]).all()
        for name in ("file_hashes", "file_sizes", "file_traits", "file_lengths0"):
            assert (result.image.arrays[name][files] == ours.arrays[name]).all()
        kinds = [result.image.types[place] for place in result.image.row_types[rows].tolist()]
        assert kinds == [ours.types[place] for place in ours.row_types.tolist()]
        reports = [result.image.language(file) for file in range(files.start, files.stop)]
        assert reports == [ours.language(file) for file in range(ours.files)]
        assert (result.image.row_files[rows] - each.first_file == ours.row_files).all()


def test_a_pack_has_the_arrays_of_its_images_but_those_of_names(stores: Stores) -> None:
    """Names are looked up in each store by itself, and an earlier build wrote no keys of them."""
    result, images = packed(stores), own_images(stores)

    ours = {*next(iter(images.values())).arrays}
    assert {*result.image.arrays} == ours - {"definition_keys"} | {CHUNK_IDS, FILE_RANKS}


def test_a_pack_that_was_opened_takes_no_memory_yet(stores: Stores) -> None:
    """Its checksums touch all of it, questions the words that they ask for."""
    (path,) = pack(stores.home)
    opened = open_pack(path)

    assert opened.image.mapped is not None
    assert resident_bytes(path) == 0


def test_files_are_ranked_by_path_over_all_segments(stores: Stores) -> None:
    """Ties fall to the path, whichever repository comes first in the pack."""
    image = packed(stores).image
    ranks = image.arrays[FILE_RANKS]
    paths = [path.encode() for path in image.paths()]

    assert sorted(paths) == [paths[file] for file in np.argsort(ranks).tolist()]
    assert (image.files_by_path == np.argsort(ranks)).all()


def test_texts_are_known_by_their_chunk_ids(stores: Stores) -> None:
    """Copies are found without reading a table."""
    result = packed(stores)
    reported = dict(zip(range(result.image.rows), result.image.arrays[CHUNK_IDS], strict=True))
    places = {(each.store_id, each.segment): each for each in result.segments}
    for view in stores.views():
        for segment in open_segments(view):
            first = places[view.manifest.store_id, segment.image.name].first_row
            for row, shown in enumerate(rows_of(view, segment)):
                assert reported[first + row].tobytes().hex() == shown[:32]


def rows_of(view: SnapshotView, segment: SearchableSegment) -> list[str]:
    return [row.chunk_id for row in shown_rows(view, segment, range(segment.image.rows))]


def test_a_byte_that_is_another_is_noticed_wherever_it_lies(stores: Stores) -> None:
    """A damaged pack is none: answers come from the segments' own images."""
    (path,) = pack(stores.home)
    whole = path.read_bytes()
    size = len(whole)
    for place in range(0, size, max(1, size // 40)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        other = path.with_name("damaged.pack")
        other.write_bytes(damaged)
        try:
            result = open_pack(other)
        except CorruptStore:
            continue
        intact = open_pack(path)  # then it is one of those that only fill up
        assert result.segments == intact.segments
        for name, values in intact.image.arrays.items():
            assert (result.image.arrays[name] == values).all()


@pytest.mark.parametrize("length", [0, 7, 100, -1])
def test_one_that_was_cut_short_is_none(stores: Stores, length: int) -> None:
    """What is mapped must be there."""
    (path,) = pack(stores.home)
    other = path.with_name("short.pack")
    shutil.copy(path, other)
    with other.open("r+b") as file:
        file.truncate(length if length >= 0 else path.stat().st_size - 64)

    with pytest.raises(CorruptStore):
        open_pack(other)
