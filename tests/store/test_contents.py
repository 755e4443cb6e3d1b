"""Everything in a store is named by a snapshot, or unnamed; nothing is both or neither."""

from pathlib import Path

import pytest

from ggrep.config import store_files
from ggrep.index.store.needed_files import entries, file_refs, named, unnamed
from tests.store.conftest import Kept


def test_what_snapshots_name_lies_there_and_the_rest_is_unnamed(kept: Kept) -> None:
    """A file that is forgotten here would be collected, as would a journal with its directory."""
    found = named(kept.store, kept.second)

    assert all(path.exists() for path in found)
    assert store_files.manifest_file(kept.store, kept.second.snapshot_id) in found
    assert {kept.store / ref.path for ref in file_refs(kept.second)} < found
    assert {kept.store / ref.path for ref in kept.first.segment_map} < found

    both = named(kept.store, kept.first) | named(kept.store, kept.second)
    found = unnamed(kept.store, both)

    assert (found.snapshots, found.segments, found.leftovers) == ((), (), ())

    directory = store_files.snapshot_dir(kept.store, kept.first.snapshot_id)
    found = unnamed(kept.store, named(kept.store, kept.second))

    assert {path.parent for path in found.snapshots} == {directory}
    assert {path.name for path in found.snapshots} == {"manifest.json", store_files.VISIBILITY}


def test_directories_go_whole_and_strange_files_are_no_segments(kept: Kept) -> None:
    """Somebody's notes in the store are not ours to count."""
    (kept.store / "notes.lance").mkdir()
    store_files.staging_dir(kept.store).joinpath("x").mkdir(parents=True)
    found = unnamed(kept.store, ())

    assert set(found.snapshots) == set(entries(store_files.snapshots_dir(kept.store)))
    assert {path.name for path in found.segments} == {
        name
        for ref in kept.second.segments
        for name in (f"{ref.table}.lance", Path(ref.image.path).name)
    }
    assert [path.name for path in found.leftovers] == ["x"]


@pytest.mark.parametrize("make", [Path.touch, None], ids=["file", "nothing"])
def test_where_no_directory_is_nothing_lies(tmp_path: Path, make: object) -> None:
    """A writer may be removing it."""
    path = tmp_path / "x"
    if make is not None:
        path.touch()

    assert entries(path) == []
