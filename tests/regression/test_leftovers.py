"""What a collection leaves because it is needed goes once it is not."""

from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.config import store_files
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.store.verify import Verifier
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.slow


def collect(engine: Engine) -> None:
    with engine.target() as target:
        collect_garbage(target, deadline=Deadline.after(target.clock, 0))


def directories(engine: Engine) -> set[str]:
    return {path.name for path in store_files.snapshots_dir(engine.identity.store).iterdir()}


def test_journal_only_directories_are_collected_later(root: Path, home: Path) -> None:
    """A snapshot's directory may be kept for its journal alone, which later snapshots name.

    Only directories with a manifest were once looked at, so these stayed for ever.
    """
    engine = open_engine(
        root,
        home,
        encoder="none",
        retain_snapshots_min=1,
        retain_snapshots_min_age_secs=0,
        gc_safety_margin_ms=0,
        query_timeout_ms=1,
    )
    for number in range(4):
        write_tree(root, {"a.py": f"retry = {number}\n", f"{number}.py": "queue\n"})
        engine.sync()
    collect(engine)
    kept = directories(engine)
    Verifier(engine.identity.store, full=True).manifest(engine.view().manifest)
    with engine.target() as target:
        compact(target, force=True)
    collect(engine)

    assert len(kept) > 1, "journals of snapshots that are gone"
    assert directories(engine) == {engine.view().manifest.snapshot_id}
    Verifier(engine.identity.store, full=True).manifest(engine.view().manifest)
