"""What lives long stays as large as it was, however much is published and asked."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ggrep.domain.ids import SegmentName
from ggrep.domain.request import SearchRequest
from ggrep.engine.engine import Engine
from ggrep.layout import names
from ggrep.store.open_tables import MOST_TABLES
from ggrep.store.tables import close_tables, take_shown
from ggrep.wire.message_types import Search
from tests.bench.serving import ask, load_average, serving, sync
from tests.fakes.repos import open_engine, write_tree
from tests.load.memory import anonymous_kb, descriptors, in_use, threads

FILES = 20
TREE = {f"m{n}.py": f"def step_{n}():\n    return {n}\n" for n in range(FILES)}
PUBLISHES = 2_000
SEARCHES = 20_000
KB_PER_PUBLISH = 5.0
KB_PER_SEARCH = 0.06
"""Less than the smallest value that somebody could forget; free memory that `malloc` keeps moves by
some hundred kilobytes over all of the searches."""


@pytest.fixture
def engine(root: Path, home: Path, quick_parsing: None) -> Engine:
    """Return an engine over a few small files."""
    write_tree(root, TREE)
    engine = open_engine(root, home)
    engine.sync()
    return engine


def question(number: int) -> SearchRequest:
    """Return one of a hundred questions, each of which has answers."""
    return SearchRequest(f"edit step {number % FILES} return {number % 5}")


def read_new_tables(engine: Engine) -> Callable[[int], None]:
    """Return what makes so many tables, as publishes do, and reads each once."""
    view = engine.view()
    segment, made = view.segments[0].image.name, 0

    def read(count: int) -> None:
        nonlocal made
        for _ in range(count):
            made += 1
            name = SegmentName(f"{segment}x{made}")
            shutil.copytree(names.table_dir(view.store, segment), names.table_dir(view.store, name))
            take_shown(view.store, name, [0])

    return read


@pytest.mark.slow
def test_a_table_that_nobody_reads_any_more_takes_no_memory(engine: Engine) -> None:
    """LanceDB would keep 75 KB of each segment that was ever read."""
    read = read_new_tables(engine)
    read(MOST_TABLES + 4)
    full = in_use()
    read(60)
    later = in_use()

    assert later.native_bytes - full.native_bytes < 60 * 5_000
    assert later.python_blocks - full.python_blocks < 60 * 10


@pytest.mark.slow
def test_a_publish_closes_the_tables_that_it_replaces(root: Path, engine: Engine) -> None:
    """They are not held until others push them out."""
    read = read_new_tables(engine)
    read(4)
    engine.search(question(0))
    before = in_use()
    read(60)
    held = in_use().native_bytes - before.native_bytes
    write_tree(root, {"m0.py": "def step_0():\n    return 'edit'\n"})
    engine.sync()
    engine.search(question(0))
    left = in_use().native_bytes - before.native_bytes

    assert held > 60 * 50_000
    assert left < 60 * 10_000


@pytest.mark.slow
def test_a_search_leaves_nothing_in_memory(engine: Engine) -> None:
    """Not one small value."""
    for number in range(200):
        engine.search(question(number))
    before = in_use()
    for number in range(200):
        engine.search(question(number))
    after = in_use()

    assert after.python_blocks - before.python_blocks < 200
