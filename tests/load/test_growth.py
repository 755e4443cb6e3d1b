"""What lives long stays as large as it was, however much is published and asked."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.serving import ask, load_average, serving, sync
from ggrep.base.ids import SegmentName
from ggrep.config import store_files
from ggrep.index.store.tables import take_rows
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Search
from ggrep.search.engine.engine import Engine
from tests.fakes.places import short_directory
from tests.fakes.repos import indexed, write_tree
from tests.load.memory import anonymous_kb, descriptors, in_use, threads

FILES = 20
TREE = {f"m{n}.py": f"def step_{n}():\n    return {n}\n" for n in range(FILES)}
PUBLISHES = 2_000
SEARCHES = 20_000
KB_PER_PUBLISH = 5.0
KB_PER_SEARCH = 0.06
"""Less than the smallest value that somebody could forget; free memory that `malloc` keeps moves by
some hundred kilobytes over all of the searches."""

MOST_SEGMENTS = 10
"""An image of each is open; how many there are moves with merging."""
SPARE_THREADS = 6
"""They come with work and end when idle."""


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    """Return an engine over a few small files; no other tables are open."""
    return indexed(root, home, TREE)


def question(number: int) -> SearchRequest:
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
            shutil.copytree(
                store_files.table_dir(view.store, segment), store_files.table_dir(view.store, name)
            )
            take_rows(view.store, name, [0])

    return read


@pytest.mark.slow
def test_a_table_that_nobody_reads_any_more_takes_no_memory(engine: Engine) -> None:
    """LanceDB would keep 75 KB of each segment that was ever read."""
    read = read_new_tables(engine)
    read(30)  # threads of lancedb take their first memory
    full = in_use()
    read(60)
    later = in_use()

    assert later.native_bytes - full.native_bytes < 60 * 5_000
    assert later.python_blocks - full.python_blocks < 60 * 10


@pytest.mark.slow
def test_a_search_leaves_nothing_in_memory(engine: Engine) -> None:
    """Caches that fill slowly take one or two small values a search, an answer takes hundreds."""
    for number in range(200):
        engine.search(question(number))
    before = in_use()
    for number in range(200):
        engine.search(question(number))
    after = in_use()

    assert after.python_blocks - before.python_blocks < 200 * 4


@pytest.mark.deep
@pytest.mark.timeout(14_400)
def test_a_host_stays_as_it_was_over_publishes_and_searches() -> None:
    """In memory that is no file's, in descriptors and in threads."""
    with short_directory() as base:
        root, home = base / "repo", base / "home"
        write_tree(root, TREE)
        with serving(home, "--path", str(root), "--no-watch") as host, host.link(root) as link:
            pid, kinds = host.process.pid, (anonymous_kb, descriptors, threads)

            def publish(numbers: range) -> None:
                for number in numbers:
                    write_tree(root, {"m0.py": f"def step_0():\n    return 'edit {number}'\n"})
                    assert sync(link)["published"]
                    ask(link, Search(question(number)))

            sync(link)
            publish(range(PUBLISHES // 10))
            start = [kind(pid) for kind in kinds]
            publish(range(PUBLISHES // 10, PUBLISHES))
            published = [kind(pid) for kind in kinds]
            for number in range(SEARCHES // 10):
                ask(link, Search(question(number)))
            warm = [kind(pid) for kind in kinds]
            for number in range(SEARCHES // 10, SEARCHES):
                ask(link, Search(question(number)))
            searched = [kind(pid) for kind in kinds]
    per_publish = (published[0] - start[0]) / (PUBLISHES * 0.9)
    per_search = (searched[0] - warm[0]) / (SEARCHES * 0.9)
    sys.stdout.write(
        f"growth: {per_publish:.2f} kB a publish, {1024 * per_search:.1f} bytes a search; "
        f"kB, descriptors, threads: {start}, {published}, {warm}, {searched}; {load_average()}\n"
    )

    assert per_publish < KB_PER_PUBLISH
    assert per_search < KB_PER_SEARCH
    assert max(published[1], searched[1]) <= start[1] + MOST_SEGMENTS
    assert max(published[2], searched[2]) <= start[2] + SPARE_THREADS
