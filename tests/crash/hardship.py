"""What must hold of a store whatever failed while it was synced or asked."""

import gc
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from lancedb.background_loop import LOOP
from msgspec import Struct

from ggrep.base.errors import CorruptStore, GgrepError, InvalidRequest, NoIndex, StoreError
from ggrep.search.engine.engine import Engine
from tests.crash.io_errors import descriptors
from tests.crash.scenarios import ASK, CHANGE, FIRST
from tests.fakes.repos import answer, answer_bytes, open_engine, write_tree

Pressure = Callable[[Path], AbstractContextManager[object]]
"""Makes the operations below a home fail for the length of a block."""


_TURNS = 100


class Scene(Struct, frozen=True):
    """A tree that changed since it was indexed, if it ever was.

    Attributes:
        kept: the home as it stands before the change; copied, never used.
        old: results and warnings before; None where there is no index.
        new: results and warnings afterwards.
        whole: the whole answer afterwards.
    """

    root: Path
    kept: Path
    most_segments: int
    old: object
    new: object
    whole: bytes

    def engine(self, home: Path) -> Engine:
        return open_engine(self.root, home, max_segments=self.most_segments)

    def copy(self, home: Path) -> Path:
        """Return a home of its own."""
        if self.old is None:
            home.mkdir()
            return home
        return Path(shutil.copytree(self.kept, home))


def prepare(kind: str, base: Path) -> Scene:
    """Return a scene: `first`, `incremental` or `merging` says what the next sync will do."""
    root, kept = base / "repo", base / "kept"
    root.mkdir(parents=True)
    scene = Scene(root, kept, 2 if kind == "merging" else 12, None, None, b"")
    old: object = None
    if kind != "first":
        for files in (FIRST, {"e.py": "retry = 2\n"}):
            write_tree(root, files)
            scene.engine(kept).sync()
        old = said(scene.engine(kept))
    write_tree(root, FIRST)
    write_tree(root, CHANGE)
    fresh = scene.engine(base / "fresh")
    fresh.sync()
    new, whole = said(fresh), answer_bytes(fresh, ASK)
    return Scene(root, kept, scene.most_segments, old, new, whole)


def said(engine: Engine) -> dict[str, Any]:
    document = answer(engine, ASK)
    return {key: document[key] for key in ("results", "warnings")}


def sync_under(scene: Scene, home: Path, pressure: Pressure, *, strict: bool = False) -> str | None:
    """Sync a copy of the scene's store under pressure, and check all that must hold afterwards.

    Returns:
        what the sync said when it failed; None when it went well.
    """
    scene.copy(home)
    before, failure = descriptors(), None
    engine = scene.engine(home)
    with pressure(home):
        try:
            engine.sync(strict=strict)
        except GgrepError as error:
            failure = _plain(error, home)
    del engine
    _leaks_nothing(before)
    _is_old_or_new(scene, home, failure)
    engine = scene.engine(home)
    engine.sync()
    assert answer_bytes(engine, ASK) == scene.whole
    # What lies in a snapshot's directory without a manifest goes with that, as garbage.
    left = [path for path in home.rglob("*.tmp") if path.parents[1].name != "snapshots"]
    assert not left, left
    staging = [path for path in home.rglob("staging/*") if path.is_dir()]
    assert not staging, staging
    shutil.rmtree(home)
    return failure


def ask_under(scene: Scene, home: Path, pressure: Pressure) -> str | None:
    """Ask a store under pressure; it answers from the active snapshot, or says why it cannot."""
    before, failure = descriptors(), None
    engine = scene.engine(home)
    with pressure(home):
        try:
            result = said(engine)
        except GgrepError as error:
            failure = _plain(error, home)
        else:
            assert result == scene.old, result
    del engine
    _leaks_nothing(before)
    assert said(scene.engine(home)) == scene.old
    return failure


def _plain(failure: GgrepError, home: Path) -> str:
    """Return what an error tells an operator; it calls nothing damaged.

    The error itself would hold what its frames hold.
    """
    assert isinstance(failure, StoreError | InvalidRequest), repr(failure)
    assert not isinstance(failure, CorruptStore), repr(failure)
    if "GGREP_HOME" not in str(failure):  # who is to choose another home must see which it is
        assert str(home) not in str(failure), repr(failure)
    return str(failure)


def _is_old_or_new(scene: Scene, home: Path, failure: str | None) -> None:
    try:
        result = said(scene.engine(home))
    except NoIndex:
        assert scene.old is None
        assert failure is not None
        return
    if scene.old is None and failure is not None:
        # A first publish that failed at the pointer leaves a snapshot that no pointer names.
        result["warnings"] = [w for w in result["warnings"] if w["code"] != "snapshot_fallback"]
    assert result in ([scene.new] if failure is None else [scene.old, scene.new]), (failure, result)


async def _nothing() -> None:
    """Let an event loop take a turn."""


def _leaks_nothing(before: dict[str, str]) -> None:
    leaked = before
    for _ in range(_TURNS):
        # A thread of LanceDB's holds the last failure, and the frames behind it, a little longer.
        LOOP.run(_nothing())
        gc.collect()
        leaked = {name: what for name, what in descriptors().items() if name not in before}
        if not leaked:
            return
    raise AssertionError(leaked)
