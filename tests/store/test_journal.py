"""Tombstones and segment map are small deltas that fold to one state."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName
from ggrep.index.store.journal import (
    MAX_DELTAS,
    Tombstone,
    read_segment_map,
    read_tombstones,
    write_segment_map,
    write_tombstones,
)
from tests.fakes.repos import open_engine, write_tree

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


@pytest.mark.slow
def test_many_small_publishes_are_folded(root: Path, home: Path) -> None:
    """A manifest must not grow with every keystroke."""
    engine = open_engine(root, home, max_segments=64)
    write_tree(root, {"keep.py": "x = 1\n"})
    longest = 0
    for number in range(MAX_DELTAS + 4):
        write_tree(root, {f"f{number}.md": f"# T{number}\n", f"f{number - 3}.md": None})
        engine.sync()
        manifest = engine.view().manifest
        longest = max(longest, len(manifest.segment_map), len(manifest.tombstones))
        places = read_segment_map(engine.identity.store, manifest.segment_map)
        live = {
            segment.image.path(int(file)): segment.image.name
            for segment in engine.view().segments
            for file in segment.visible_files.nonzero()[0]
        }
        assert places == live

    assert longest <= MAX_DELTAS
