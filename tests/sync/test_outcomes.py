"""Why the last sync failed is said by whoever reads the index, until one succeeds."""

import errno
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import BudgetExceeded, StoreError, SyncRefused
from ggrep.index.maintenance.checks import check_health
from ggrep.index.maintenance.status import read_status
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed, open_engine, write_tree


def warnings(engine: Engine, *, deterministic: bool = False) -> list[dict[str, str]]:
    """Return what each kind of answer warns of, by code."""
    fixed = {"deterministic": deterministic}
    asked = SearchRequest("retry queue", keep_weak=True, **fixed)
    answers: list[Any] = [
        engine.search(asked),
        engine.ask(SlateRequest(asked)),
        engine.ask(SymbolRequest("retry", **fixed)),
        engine.ask(ReferencesRequest("retry", **fixed)),
        engine.ask(ExpandRequest("a.py:1", **fixed)),
    ]
    return [{notice.code: notice.message for notice in each.warnings} for each in answers]


def told(engine: Engine) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return what status and health say of the syncs, and what a coordinator is told."""
    identity = engine.identity
    status = read_status(engine.settings, engine.inspect, engine.home, engine.identity)
    health = check_health(identity.store, identity.store_id, engine.settings, deep=False)
    checks = [check.message for check in health.checks if check.code == "index_state"]
    return status.to_dict(), checks, [notice.message for notice in engine.describe().moment]


def test_a_root_where_nothing_is_left_to_index_says_why(root: Path, home: Path) -> None:
    """An empty index without a word looks like a broken one."""
    write_tree(root, {".ggignore": "*\n", "a.py": "x = 1\n"})
    engine = open_engine(root, home)
    (notice,) = engine.sync().warnings

    assert notice.code == "nothing_to_index"
    assert notice.message.endswith("are left out (2 ignored)")
    write_tree(root, {".ggignore": ""})
    assert engine.sync().warnings == ()


def test_every_answer_says_why_the_last_sync_failed(root: Path, home: Path) -> None:
    """Status, health and every kind of answer; nothing once a sync has succeeded."""
    engine = indexed(
        root, home, {"a.py": "def retry():\n    return queue()\n"}, portable_paths=True
    )
    write_tree(root, {"A.py": "def other():\n    return 1\n"})
    with pytest.raises(SyncRefused):
        engine.sync()
    result = warnings(engine)
    status, health, moment = told(engine)

    why = "A.py, a.py: these paths differ only by case, and portable_paths is on"
    assert all(why in each["sync_failed"] for each in result)
    assert all(each["sync_failed"].endswith("to try again: ggrep index") for each in result)
    assert not any("sync_failed" in each for each in warnings(engine, deterministic=True))
    assert why in status["sync"]["last_error"]
    assert [each["code"] for each in status["warnings"]] == ["sync_failed"]
    assert why in health[0]
    assert why in moment[0]
    (root / "A.py").unlink()
    engine.sync()
    status, health, moment = told(engine)
    assert not any("sync_failed" in each for each in warnings(engine))
    assert (status["sync"]["last_error"], status["warnings"], moment) == (None, [], [])
    assert "failed" not in health[0]


def test_a_full_store_is_told_with_its_figures(root: Path, home: Path) -> None:
    indexed(root, home, {"a.py": "def retry():\n    return queue()\n"})
    engine = open_engine(root, home, max_store_bytes=1)
    with pytest.raises(BudgetExceeded):
        engine.sync()

    assert all("but max_store_bytes is 1" in each["sync_failed"] for each in warnings(engine))


def test_a_full_disk_is_told(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not by the place of the home, which is nobody else's business."""
    engine = indexed(root, home, {"a.py": "def retry():\n    return queue()\n"})
    write_tree(root, {"a.py": "def retry():\n    return queue(2)\n"})

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(home / "data" / "x"))

    with monkeypatch.context() as patch:
        patch.setattr("ggrep.index.sync.syncer.publish_changes", full)
        with pytest.raises(StoreError):
            engine.sync()

    (message,) = {each["sync_failed"] for each in warnings(engine)}
    assert (
        ": data/x: No space left on device; to see unused indexes: ggrep gc --stores; " in message
    )
    assert str(home) not in message
