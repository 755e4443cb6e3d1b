"""Pointer, manifest and journal are read whole or refused, and name all that a store holds."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import CorruptStore, Incompatible
from ggrep.base.ids import PathKey, SegmentName, SnapshotId
from ggrep.config import store_files
from ggrep.index.store.active import read_active, swap_active
from ggrep.index.store.journal import (
    Tombstone,
    read_segment_map,
    read_tombstones,
    write_segment_map,
    write_tombstones,
)
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.needed_files import entries, file_refs, named, unnamed
from ggrep.index.store.transaction import publish
from tests.fakes.leases import held_lease
from tests.store.conftest import Kept


def rewrite(kept: Kept, **changes: object) -> None:
    path = store_files.manifest_file(kept.store, kept.second.snapshot_id)
    path.write_bytes(stable_json.dumps(stable_json.loads(path.read_bytes()) | changes))


def test_it_is_read_back_as_it_was_published(kept: Kept) -> None:
    """All of it; stores of an earlier build, which lack fields, do not look damaged."""
    result = read_manifest(kept.store, kept.second.snapshot_id)

    assert result == kept.second or result.lease_epoch == 2
    assert result.parent_snapshot_id == kept.first.snapshot_id
    assert result.segments == kept.second.segments

    path = store_files.manifest_file(kept.store, kept.second.snapshot_id)
    values = stable_json.loads(path.read_bytes())
    del values["errors_total"], values["sha256"]
    values["schema_version"] = 1
    path.write_bytes(stable_json.dumps(values))

    assert read_manifest(kept.store, kept.second.snapshot_id).problems == 0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"segments": None}, CorruptStore, r"manifest\.json"),
        ({"counts": {}}, CorruptStore, r"manifest\.json"),
        ({"snapshot_id": "x"}, CorruptStore, r"manifest\.json"),
        ({"degraded": 1}, CorruptStore, r"manifest\.json"),
        ({"sha256": None}, CorruptStore, "does not match the content"),
        ({"schema_version": 99}, Incompatible, "schema_version is 99"),
    ],
)
def test_a_wrong_field_is_damage_and_a_newer_schema_is_not_read(
    kept: Kept, changes: dict[str, object], error: type[Exception], message: str
) -> None:
    """Only stores of an earlier build have no digest."""
    rewrite(kept, **changes)

    with pytest.raises(error, match=message):
        read_manifest(kept.store, kept.second.snapshot_id)


def test_a_changed_figure_is_damage(kept: Kept) -> None:
    """Scores hang on sums that nothing else vouches for."""
    lengths = [length + 1 for length in kept.second.counts.lengths]
    path = store_files.manifest_file(kept.store, kept.second.snapshot_id)
    counts = stable_json.loads(path.read_bytes())["counts"]
    rewrite(kept, counts=counts | {"lengths": lengths})

    with pytest.raises(CorruptStore, match="does not match the content"):
        read_manifest(kept.store, kept.second.snapshot_id)


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"null"])
def test_what_is_no_manifest_is_damage(kept: Kept, data: bytes) -> None:
    """A power cut may leave anything under another system's hands."""
    store_files.manifest_file(kept.store, kept.second.snapshot_id).write_bytes(data)

    with pytest.raises(CorruptStore):
        read_manifest(kept.store, kept.second.snapshot_id)


def test_a_manifest_of_another_snapshot_is_damage(kept: Kept, tmp_path: Path) -> None:
    """A copied directory is not the snapshot its name says."""
    wrong = store_files.manifest_file(kept.store, kept.first.snapshot_id)
    wrong.write_bytes(store_files.manifest_file(kept.store, kept.second.snapshot_id).read_bytes())

    with pytest.raises(CorruptStore, match="describes"):
        read_manifest(kept.store, kept.first.snapshot_id)


def test_an_unreadable_manifest_stays_off(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pointer to it would cost the whole index."""
    monkeypatch.setattr("ggrep.index.store.manifest._MAX_BYTES", 10)
    with (
        held_lease(kept.store, kept.engine.clock) as lease,
        pytest.raises(CorruptStore, match="larger than 10"),
    ):
        publish(kept.store, kept.first, lease)

    assert read_active(kept.store) == kept.second.snapshot_id


ID = SnapshotId("01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_a_swap_is_read_back(tmp_path: Path) -> None:
    """Nothing else stays beside it."""
    assert read_active(tmp_path) is None
    swap_active(tmp_path, ID)

    assert read_active(tmp_path) == ID
    assert [path.name for path in tmp_path.iterdir()] == ["ACTIVE_SNAPSHOT"]
    assert store_files.active_file(tmp_path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\xff\xfe", b"../../etc\n", ID.encode()[:20], ID.encode() + b"x\n", b"0" * 9999],
)
def test_anything_else_is_damage(tmp_path: Path, content: bytes) -> None:
    """A path made from it would lead anywhere."""
    store_files.active_file(tmp_path).write_bytes(content)

    with pytest.raises(CorruptStore, match="ACTIVE_SNAPSHOT"):
        read_active(tmp_path)


def test_a_swap_moves_a_directory_out_of_its_place(tmp_path: Path) -> None:
    """A rename cannot replace one: the store would publish nothing from then on."""
    (store_files.active_file(tmp_path) / "within").mkdir(parents=True)
    swap_active(tmp_path, ID)

    assert read_active(tmp_path) == ID
    assert (store_files.store_trash_dir(tmp_path) / "ACTIVE_SNAPSHOT.0" / "within").is_dir()


keys = st.sampled_from([PathKey(name) for name in ("a", "b/c", "é\u2028x", "d\r")])
names = st.one_of(st.none(), st.sampled_from([SegmentName("s1"), SegmentName("s2")]))


@given(st.lists(st.dictionaries(keys, names), max_size=5))
def test_later_files_override_earlier_ones(
    tmp_path: Path, deltas: list[dict[PathKey, SegmentName | None]]
) -> None:
    """A path that is gone is gone, one that came back is back."""
    refs = [write_segment_map(tmp_path / str(i), str(i), delta) for i, delta in enumerate(deltas)]
    wanted: dict[PathKey, SegmentName | None] = {}
    for delta in deltas:
        wanted |= delta

    assert read_segment_map(tmp_path, refs) == {k: v for k, v in wanted.items() if v}


def test_tombstones_are_written_by_path(tmp_path: Path) -> None:
    """Equal publishes write equal bytes."""
    first = write_tombstones(
        tmp_path / "1", "1", [Tombstone(PathKey("b"), "delete"), Tombstone(PathKey("a"), "replace")]
    )
    second = write_tombstones(
        tmp_path / "2", "2", [Tombstone(PathKey("a"), "replace"), Tombstone(PathKey("b"), "delete")]
    )

    assert first.sha256 == second.sha256
    assert read_tombstones(tmp_path, [first, second]) == {"a", "b"}


@pytest.mark.parametrize("data", [b"", b"{\n", b'{"path_key":"a"}\n' * 2])
def test_a_file_with_other_lines_is_damage(tmp_path: Path, data: bytes) -> None:
    """A torn file must not pass for a shorter one."""
    ref = write_tombstones(tmp_path / "1", "1", [Tombstone(PathKey("a"), "delete")])
    (tmp_path / "1").write_bytes(data)

    with pytest.raises(CorruptStore, match="1"):
        read_tombstones(tmp_path, [ref])


def test_what_snapshots_name_lies_there_and_the_rest_is_unnamed(kept: Kept) -> None:
    """A file that is forgotten here would be collected, as would a journal with its directory."""
    result = named(kept.store, kept.second)

    assert all(path.exists() for path in result)
    assert store_files.manifest_file(kept.store, kept.second.snapshot_id) in result
    assert {kept.store / ref.path for ref in file_refs(kept.second)} < result
    assert {kept.store / ref.path for ref in kept.first.segment_map} < result

    both = named(kept.store, kept.first) | named(kept.store, kept.second)
    result = unnamed(kept.store, both)

    assert (result.snapshots, result.segments, result.leftovers) == ((), (), ())

    directory = store_files.snapshot_dir(kept.store, kept.first.snapshot_id)
    result = unnamed(kept.store, named(kept.store, kept.second))

    assert {path.parent for path in result.snapshots} == {directory}
    assert {path.name for path in result.snapshots} == {"manifest.json", store_files.VISIBILITY}


def test_directories_go_whole_and_strange_files_are_no_segments(kept: Kept) -> None:
    (kept.store / "notes.lance").mkdir()
    store_files.staging_dir(kept.store).joinpath("x").mkdir(parents=True)
    result = unnamed(kept.store, ())

    assert set(result.snapshots) == set(entries(store_files.snapshots_dir(kept.store)))
    assert {path.name for path in result.segments} == {
        name
        for ref in kept.second.segments
        for name in (f"{ref.table}.lance", Path(ref.image.path).name)
    }
    assert [path.name for path in result.leftovers] == ["x"]


@pytest.mark.parametrize("make", [Path.touch, None], ids=["file", "nothing"])
def test_where_no_directory_is_nothing_lies(tmp_path: Path, make: object) -> None:
    """A writer may be removing it."""
    path = tmp_path / "x"
    if make is not None:
        path.touch()

    assert entries(path) == []
