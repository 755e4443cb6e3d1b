"""What a publish writes beside its segments: a journal that stays short, figures that are true."""

from pathlib import Path

import pytest

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


def test_tombstones_are_counted_over_all_files_and_written_anew_beyond_their_bound(
    root: Path, home: Path
) -> None:
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
