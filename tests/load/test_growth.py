"""What lives long stays as large as it was, however much is published and asked."""

from functools import lru_cache
from pathlib import Path

import pytest

from ggrep.domain.request import SearchRequest
from ggrep.engine.engine import Engine
from ggrep.store import tables
from tests.fakes.repos import open_engine, write_tree
from tests.load.memory import in_use

FILES = 8
FEW_TABLES = 4


@pytest.fixture
def engine(root: Path, home: Path, quick_parsing: None) -> Engine:
    """Return an engine over a few small files."""
    write_tree(root, {f"m{n}.py": f"def step_{n}():\n    return {n}\n" for n in range(FILES)})
    engine = open_engine(root, home)
    engine.sync()
    return engine


def ask(engine: Engine, number: int) -> None:
    assert engine.search(SearchRequest(f"edit step {number % FILES} return {number % 5}")).hits


@pytest.mark.slow
def test_a_publish_leaves_nothing_in_memory(
    root: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LanceDB kept 60 KB of every segment that was ever read.

    Few tables are held open here, so that few publishes do.
    """
    monkeypatch.setattr(tables, "_open", lru_cache(FEW_TABLES)(tables._open.__wrapped__))

    def publish(number: int) -> None:
        write_tree(root, {"m0.py": f"def step_0():\n    return 'edit {number}'\n"})
        assert engine.sync().published
        engine.keep_up()
        ask(engine, number)

    for number in range(12):
        publish(number)
    before = in_use()
    for number in range(12, 36):
        publish(number)
    after = in_use()
    print(before, after)

    assert after.native_bytes - before.native_bytes < 24 * 5_000
    assert after.python_blocks - before.python_blocks < 24 * 10


@pytest.mark.slow
def test_a_search_leaves_nothing_in_memory(engine: Engine) -> None:
    """Not even one small value."""
    for number in range(100):
        ask(engine, number)
    before = in_use()
    for number in range(200):
        ask(engine, number)
    after = in_use()
    print(before, after)

    assert after.native_bytes - before.native_bytes < 200 * 50
    assert after.python_blocks - before.python_blocks < 200
