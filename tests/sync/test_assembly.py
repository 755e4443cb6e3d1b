"""What a publish writes beside its segments: a journal that stays short, figures that are true."""

from pathlib import Path

import pytest

from ggrep.store.journal import read_segment_map, read_tombstones
from ggrep.sync import assembly
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.usefixtures("quick_parsing")


def journals(root: Path, home: Path, *, edits: int, **bounds: int) -> list[tuple[int, int, int]]:
    """Edit one file of two again and again; return tombstones told, their files, and maps."""
    write_tree(root, {"a.md": "# A\n", "b.md": "# B\n"})
    engine = open_engine(root, home, encoder="none", **bounds)
    found = []
    for number in range(edits + 1):
        write_tree(root, {"a.md": f"# A\n\n{number}\n"})
        engine.sync()
        manifest = engine.view().manifest
        told = manifest.counts.tombstones_added
        found.append((told, len(manifest.tombstones), len(manifest.segment_map)))
    return found


def test_tombstones_are_counted_and_written_anew_beyond_their_bound(root: Path, home: Path) -> None:
    """Every opening reads them all: their number is bounded however small each publish is."""
    found = journals(root, home, edits=5, max_tombstones_per_snapshot=3)

    assert found == [(0, 0, 1), (1, 1, 2), (2, 2, 3), (3, 3, 4), (1, 1, 1), (2, 2, 2)]


def test_a_journal_of_many_files_is_written_anew(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is opened and verified, so there may be no more of them than the bound says."""
    monkeypatch.setattr(assembly, "MAX_DELTAS", 3)
    found = journals(root, home, edits=4)

    assert found == [(0, 0, 1), (1, 1, 2), (2, 2, 3), (1, 1, 1), (2, 2, 2)]


def test_a_manifest_and_its_journal_say_what_the_view_shows(root: Path, home: Path) -> None:
    """Audits, statistics and the next publish go by what is written."""
    engine = open_engine(root, home, encoder="none", max_segments=4)
    steps: tuple[dict[str, str | None], ...] = (
        {f"{name}.md": f"# {name}\n" for name in ("a1", "a2", "a3", "a4", "b", "c")},
        {"b.md": "# B\n\nmore\n"},
        {"c.md": None, "d.md": "# D\n"},
        {"e.md": "# E\n"},
        {"f.md": "# F\n"},
    )
    parent, hidden, kinds = None, [], []
    for step in steps:
        write_tree(root, step)
        engine.sync()
        store, view = engine.identity.store, engine.view()
        manifest, counts = view.manifest, view.manifest.counts
        live = {
            segment.image.path(int(file)): segment.image.name
            for segment in view.segments
            for file in segment.visible_files.nonzero()[0]
        }

        assert manifest.parent_snapshot_id == parent
        assert read_segment_map(store, manifest.segment_map) == live
        assert counts.files_indexed == len(live)
        assert counts.chunks_visible == sum(int(s.visible_rows().sum()) for s in view.segments)
        assert counts.chunks_indexed == sum(segment.image.rows for segment in view.segments)
        parent = manifest.snapshot_id
        hidden.append(
            "".join(sorted(key[0] for key in read_tombstones(store, manifest.tombstones)))
        )
        kinds.append([ref.kind for ref in manifest.segments])

    assert hidden == ["", "b", "bc", "bc", "bcde"]
    assert kinds[3:] == [["delta"] * 4, ["delta", "compacted"]]
