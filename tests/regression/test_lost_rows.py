"""Rows that are there and are not found: after a compaction, or behind rows that are dead."""

import hashlib
from pathlib import Path

import pytest

from ggrep.index.maintenance.compaction import compact
from ggrep.model.request import SearchRequest
from tests.fakes.repos import answer_bytes, open_engine, paths, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
FIRST = {
    "kept.py": "def retry_kept():\n    pass\n",
    "modified.py": "def retry_modified():\n    pass\n",
    "readded.py": "def retry_readded():\n    pass\n",
    "renamed.py": "def queue_renamed():\n    pass\n",
    "deleted.py": "def queue_deleted():\n    pass\n",
}
THEN: tuple[dict[str, str | None], ...] = (
    {"modified.py": "def retry_modified_again():\n    pass\n"},
    {"readded.py": None, "deleted.py": None},
    {"readded.py": FIRST["readded.py"]},
    {"renamed.py": None, "new_name.py": FIRST["renamed.py"]},
)


def hashes(root: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in root.iterdir()}


def test_compaction_keeps_modified_and_readded_files(root: Path, home: Path) -> None:
    """A merge once dropped every row whose path had a tombstone, whatever segment it was in.

    So a file that was ever modified, or deleted and put back, was gone from the merged snapshot;
    and as the records called it unchanged, it never came back.
    """
    engine = open_engine(root, home)
    for edit in (FIRST, *THEN):
        write_tree(root, edit)
        engine.sync()
    assert engine.view().manifest.counts.tombstones_added > 0
    before = answer_bytes(engine, ASK)
    fresh = open_engine(root, home.with_name("fresh"))
    fresh.sync()
    with engine.target() as target:
        report = compact(target, force=True)

    assert (report.performed, report.segments_after, report.tombstones_after) == (True, 1, 0)
    assert engine.view().live_files() == hashes(root)
    assert answer_bytes(engine, ASK) == before == answer_bytes(fresh, ASK)
    assert not engine.sync().published


def test_candidates_are_cut_after_sorting_and_without_dead_rows(root: Path, home: Path) -> None:
    """Lists of segments were once joined oldest first and cut unsorted, with dead rows in them.

    Then the oldest segment filled the list, and after many edits what is shown no longer existed.
    """
    flags = {"encoder": "none", "max_candidates": 2}
    engine = open_engine(root, home, **flags)
    write_tree(root, {f"old{n}.py": f"# {'filler ' * 9}\nvalue = 'retry {n}'\n" for n in range(8)})
    engine.sync()
    for number in range(4):
        edited = f"def retry_queue():\n    retry_queue_{number}()\n"
        write_tree(root, {"edited.py": edited, f"beside{number}.py": "x = 1\n"})
        engine.sync()
    write_tree(root, {"edited.py": "nothing = 1\n", "best.py": "def retry_queue():\n    pass\n"})
    engine.sync()
    counts = engine.view().manifest.counts
    fresh = open_engine(root, home.with_name("fresh"), **flags)
    fresh.sync()

    assert counts.chunks_indexed - counts.chunks_visible >= 4, "dead rows that match better"
    assert paths(engine, "retry queue", limit=5)[0] == "best.py"
    assert "edited.py" not in paths(engine, "retry queue", limit=5)
    assert answer_bytes(engine, ASK) == answer_bytes(fresh, ASK)
