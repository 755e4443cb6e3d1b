"""Order of what reaches the disk."""

from pathlib import Path

import pytest

from ggrep.config import store_files
from tests.crash.faults import recorded
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.slow


def test_segment_files_are_synced_before_the_manifest_names_them(root: Path, home: Path) -> None:
    """The engine of the tables syncs nothing, and nobody else did.

    After a power cut a manifest could name a table of empty files. The test that was to prove
    the contrary synced a file of its own.
    """
    engine = open_engine(root, home)
    for number in range(2):
        write_tree(root, {"a.py": f"retry = {number}\n", f"{number}.py": "queue\n"})
        with recorded() as recorder:
            engine.sync()
        store, manifest = engine.identity.store, engine.view().manifest
        named = recorder.events.index(("replace", "manifest.json"))
        synced = {what for kind, what in recorder.events[:named] if kind == "sync"}
        table = store_files.table_dir(store, manifest.segments[-1].table)
        image = store / manifest.segments[-1].image.path
        parts = [table, *table.rglob("*"), image, image.parent, store]

        assert len([part for part in parts if part.is_file()]) >= 3
        assert [part for part in parts if part.stat().st_ino not in synced] == []
        assert named < recorder.events.index(("replace", "ACTIVE_SNAPSHOT"))
