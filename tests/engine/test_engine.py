"""One repository as a library."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import (
    BudgetExceeded,
    DeadlineExceeded,
    InvalidRequest,
    NoIndex,
    SnapshotGone,
)
from ggrep.base.fair_queue import Lane
from ggrep.base.identifiers import IdSource, derived_id
from ggrep.base.ids import parse_snapshot_id
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.judging import Judgement, judge
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.filters import Filter
from ggrep.model.request import PoolRequest, SearchRequest, StatisticsRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.repo_index import Hosted
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import held_lease
from tests.fakes.repos import (
    IndexOf,
    LaterClock,
    answer,
    answer_bytes,
    indexed,
    open_engine,
    paths,
    write_tree,
)
from training.encoder.model_file import write_model

TREE = {
    "src/a.py": "def retry(queue):\n    return queue\n",
    "docs/b.md": "# Retry\n\nThe queue.\n",
    "c.json": '{"retry": 1}\n',
}


def test_a_repository_without_an_index_says_so(root: Path, home: Path) -> None:
    """Bytes of a command line that are no text arrive as lone surrogates and are refused."""
    engine = open_engine(root, home)

    with pytest.raises(NoIndex, match="ggrep index"):
        engine.search(SearchRequest("x"))
    assert engine.describe().snapshot_id is None
    assert not home.exists()

    for wrong in (
        SearchRequest("a\udcff"),
        SearchRequest("a", scope="\udcff"),
        SearchRequest("a", filters=(Filter("path", "\udcff"),)),
        SearchRequest("a", timeout_ms=-1),
    ):
        with pytest.raises(InvalidRequest):
            engine.search(wrong)


def test_deterministic_answers_have_the_same_bytes(index_of: IndexOf) -> None:
    """Request id included; nothing in them tells the time."""
    engine = index_of(TREE)
    request = SearchRequest("retry queue", deterministic=True, explain=True)
    first = stable_json.dumps(answer_json(engine.search(request)))

    assert stable_json.dumps(answer_json(index_of(TREE).search(request))) == first
    assert b"timings_ms" not in first
    plain = answer_json(engine.search(SearchRequest("retry queue")))
    assert "timings_ms" in plain


def test_a_request_beyond_the_caps_is_clamped_aloud(index_of: IndexOf) -> None:
    """A caller must know that it got two hundred at most; asking for none is allowed."""
    engine = index_of(TREE)
    output = answer(engine, SearchRequest("retry", limit=1000, per_file=100, deterministic=True))

    assert output["limits"]["max_results"] == 200
    assert [cut["code"] for cut in output["limits_hit"]] == [
        "max_query_per_file",
        "max_query_results",
    ]
    for wrong in ({"limit": -1}, {"per_file": -1}):
        with pytest.raises(InvalidRequest, match="negative"):
            engine.search(SearchRequest("retry", **wrong))  # type: ignore[arg-type] # varied

    assert answer(engine, SearchRequest("retry", limit=0, deterministic=True))["results"] == []


def test_byte_caps_reach_the_answer(index_of: IndexOf) -> None:
    """A client with a small buffer sets them."""
    engine = index_of(TREE, max_total_snippet_bytes=10, max_snippet_bytes_per_result=8)
    output = answer(engine, SearchRequest("retry", deterministic=True))

    assert sum(len(hit["content"]) for hit in output["results"]) <= 10
    assert {cut["code"] for cut in output["limits_hit"]} == {
        "max_snippet_bytes_per_result",
        "max_total_snippet_bytes",
    }


def test_too_many_segments_are_refused_not_dropped(root: Path, home: Path) -> None:
    """An answer over half the files would look like one over all."""
    for name, text in TREE.items():
        indexed(root, home, {name: text})
    engine = open_engine(root, home, max_open_segments_per_query=1)

    with pytest.raises(InvalidRequest, match="max_open_segments_per_query"):
        engine.search(SearchRequest("retry"))
    assert engine.sync().published, "the advice that the message gives must help"
    assert len(engine.search(SearchRequest("retry")).hits) == 3
    assert not engine.sync().published


def test_a_query_sees_what_another_process_published(root: Path, home: Path) -> None:
    write_tree(root, TREE)
    writer, reader = open_engine(root, home), open_engine(root, home)
    writer.sync()
    view = reader.view()

    assert reader.view() is view
    write_tree(root, {"d.py": "exhausted = 1\n"})
    assert paths(reader, "exhausted") == []
    writer.sync()
    assert reader.view() is not view
    assert reader.view().manifest.snapshot_id == writer.view().manifest.snapshot_id
    assert set(paths(reader, "exhausted")) == {"d.py"}


def test_a_pinned_view_stays_whole_under_a_merge(root: Path, home: Path) -> None:
    """A query sees exactly one snapshot, from its first step to its last."""
    engine = open_engine(root, home, max_segments=2)
    request = SearchRequest("retry", deterministic=True)
    write_tree(root, TREE)
    engine.sync()
    reader = open_engine(root, home, max_segments=2)
    before = answer_bytes(reader, request)
    kept = reader.view()
    for number in range(4):
        write_tree(root, {"src/a.py": f"other = {number}\n", f"n{number}.py": "retry = 1\n"})
        engine.sync()
    reader._snapshots.view = lambda *_: kept  # type: ignore[method-assign] # a query that began long ago

    assert answer_bytes(reader, request) == before


def test_a_pool_is_what_an_answer_is_cut_from(index_of: IndexOf) -> None:
    """The coordinator merges lists in the repository's own order and by its own scores."""
    engine = index_of(TREE)
    request = SearchRequest("retry queue", deterministic=True)
    counted = engine.ask(StatisticsRequest(request))
    pool = engine.ask(PoolRequest(request, 10, counted.statistics, counted.snapshot_id))

    assert pool.blended == engine.search(request).hits
    assert tuple(corpus for corpus, _ in pool.corpora) == CORPORA
    by_corpus = {hit.row_id for _, hits in pool.corpora for hit in hits}
    assert by_corpus == {hit.row_id for hit in pool.blended}
    with pytest.raises(SnapshotGone):
        engine.ask(PoolRequest(request, 10, counted.statistics, "01ARZ3NDEKTSV4RRFFQ69G5FAV"))
    with pytest.raises(DeadlineExceeded):
        engine.ask(PoolRequest(request, 10), Deadline.after(engine.clock, 0))


def test_a_description_counts_the_visible_rows(root: Path, home: Path) -> None:
    """A coordinator decides by it whether asking is worth it."""
    engine = open_engine(root, home)
    write_tree(root, TREE)
    engine.sync()
    write_tree(root, {"c.json": None, "docs/b.md": None})
    engine.sync()
    result = engine.describe()
    counts = dict(result.counts)

    assert sum(counts.values()) == engine.view().manifest.counts.chunks_visible
    assert counts[Corpus.PROSE] == counts[Corpus.RECORDS] == 0
    assert result.store_id == engine.identity.store_id
    assert result.embed_key != open_engine(root, home, encoder="none").describe().embed_key


def test_settings_that_shape_the_index_have_a_store_of_their_own(root: Path, home: Path) -> None:
    """Vectors of different encoders never meet; a budget of the query changes nothing."""
    plain = open_engine(root, home).identity.store_id

    assert open_engine(root, home, encoder="none").identity.store_id != plain
    assert open_engine(root, home, max_candidates=5).identity.store_id == plain


def test_a_damaged_pointer_is_recovered_from_under_a_held_view(root: Path, home: Path) -> None:
    """A long-lived process must not fail where a fresh one answers."""
    engine = open_engine(root, home)
    write_tree(root, TREE)
    engine.sync()
    engine.search(SearchRequest("retry"))
    store_files.active_file(engine.identity.store).write_bytes(b"garbage\n")

    answer = engine.search(SearchRequest("retry"))
    assert [notice.code for notice in answer.warnings] == ["snapshot_fallback"]


def test_opening_counts_against_the_deadline(index_of: IndexOf) -> None:
    """A caller that gave half a second does not wait for a store to be hashed."""
    engine = index_of(TREE)
    over = Deadline.after(engine.clock, 0)

    for ask in (
        lambda: engine.search(SearchRequest("retry"), over),
        lambda: engine.ask(StatisticsRequest(SearchRequest("retry")), over),
        lambda: engine.ask(PoolRequest(SearchRequest("retry"), 5), over),
        lambda: engine.describe(over),
    ):
        with pytest.raises(DeadlineExceeded, match="opening"):
            ask()


def test_no_bound_per_file_is_the_bound_of_the_settings(index_of: IndexOf) -> None:
    """Zero is no way around a setting."""
    engine = index_of(
        {"a.md": "".join(f"# T{i}\n\nretry\n\n" for i in range(6))},
        max_query_per_file=2,
    )
    output = answer(engine, SearchRequest("retry", per_file=0, deterministic=True))

    assert len(output["results"]) == 2


def test_a_pool_leaves_cutting_snippets_to_whoever_shows_them(index_of: IndexOf) -> None:
    """A limit on a file that the merged answer does not show would mislead."""
    engine = index_of(TREE, max_snippet_bytes_per_result=8)
    pool = engine.ask(PoolRequest(SearchRequest("retry"), 5))

    assert pool.limits_hit == ()
    assert max(len(hit.content.encode()) for hit in pool.blended) > 8


def test_a_slow_opening_is_dropped(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pointer was read before the publish; whoever asks after that must see what is new."""
    write_tree(root, TREE)
    writer, engine = open_engine(root, home), open_engine(root, home)
    older = writer.sync().snapshot_id
    opened, go_on = Event(), Event()

    def slowly(*arguments: Any, **more: Any) -> Judgement:
        judged = judge(*arguments, **more)
        if not opened.is_set():
            opened.set()
            assert go_on.wait(60)
        return judged

    monkeypatch.setattr("ggrep.search.engine.snapshots.judge", slowly)
    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(engine.view)
        assert opened.wait(60)
        write_tree(root, {"src/new.py": "def retry_anew():\n    return 1\n"})
        newer = writer.sync().snapshot_id
        before = engine.view().manifest.snapshot_id
        go_on.set()
        late = slow.result(20).manifest.snapshot_id
    after = engine.view().manifest.snapshot_id

    assert older != newer
    assert (before, late, after) == (newer, older, newer)


def test_a_replaced_model_is_refused(root: Path, home: Path, tmp_path: Path) -> None:
    """Its vectors in a store of the other would compare with nothing there, for good."""

    def put(figure: float) -> None:
        rows = np.full((1, 4), figure, np.float32)
        rows[0, 0] = 1.0
        write_model(tmp_path / "m", ["retry"], rows, np.ones(1), np.ones(1), {"revision": "1"})

    put(0.5)
    engine = open_engine(root, home, encoder=f"static:{tmp_path / 'm'}")
    put(0.25)

    with pytest.raises(InvalidRequest, match="the model folder was replaced"):
        engine.sync()


class CountedSlots(EncodeSlots):
    """Slots that say which lanes were held."""

    held: list[Lane]

    @contextmanager
    def hold(
        self, deadline: Deadline, *, lane: Lane = Lane.INTERACTIVE
    ) -> Iterator[Callable[[], None]]:
        """Hold a slot."""
        self.held.append(lane)
        with super().hold(deadline, lane=lane) as beat:
            yield beat


@pytest.mark.parametrize(
    ("name", "lanes"), [("static", []), ("hashed", [Lane.BATCH, Lane.INTERACTIVE])]
)
def test_slots_count_what_this_process_encodes_and_no_quick_query(
    root: Path, home: Path, tmp_path: Path, name: str, lanes: list[Lane]
) -> None:
    """Workers encode with the static encoder beside cutting; its queries are sooner encoded."""
    slots = CountedSlots(tmp_path / "slots", 1, SystemClock(), wait=time.sleep)
    slots.held = []
    write_tree(root, TREE)
    flags = {"encoder": name, "parse_workers": 1}
    engine = Engine(root, Home(home), flags=flags, hosted=Hosted(slots=slots))
    engine.sync()
    engine.search(SearchRequest("retry"))

    assert list(dict.fromkeys(slots.held)) == lanes
    assert slots.statistics().in_use == 0


def test_fresh_ids_grow_even_when_the_clock_stands_or_steps_back() -> None:
    """The newest snapshot is the one with the largest id."""
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    source = IdSource(clock)
    made = [source(), source()]
    clock.advance(-60_000)
    made.append(source())

    assert made == sorted(set(made))
    assert all(parse_snapshot_id(text) == text for text in made)


def test_derived_ids_tell_their_parts_apart() -> None:
    """A deterministic answer names its request the same way every time."""
    assert derived_id("a", "b") == derived_id("a", "b")
    assert derived_id("a", "b") != derived_id("ab", "")
    assert parse_snapshot_id(derived_id("x"))


def published(root: Path, home: Path, times: int, **flags: object) -> Engine:
    engine = open_engine(root, home, **({"retain_snapshots_min": 1} | flags))
    for number in range(times):
        write_tree(root, {f"{number}.py": f"def retry_{number}():\n    pass\n"})
        engine.sync()
    return engine


@pytest.mark.slow
def test_an_overdue_compaction_is_done_and_what_is_old_goes(root: Path, home: Path) -> None:
    engine = published(root, home, 4, compaction_overdue_segments=3)
    engine.clock = LaterClock()
    done, again = engine.keep_up(), engine.keep_up()

    assert done.compaction is not None
    assert (done.compaction.segments_before, done.compaction.segments_after) == (4, 1)
    assert again.compaction is None
    assert again.collection is not None
    assert len(again.collection.deleted_segments) == 4


@pytest.mark.slow
def test_upkeep_waits_for_nobody(root: Path, home: Path) -> None:
    """A sync that is done must not hang on another writer."""
    engine = published(root, home, 4, compaction_overdue_segments=3)
    with held_lease(engine.identity.store, engine.clock):
        done = engine.keep_up()

    assert done.compaction is None
    assert len(engine.view().segments) == 4


@pytest.mark.slow
def test_a_store_over_its_budget_is_collected_before_it_refuses(root: Path, home: Path) -> None:
    """Old snapshots are worth less than today's files."""
    engine = published(root, home, 8, max_segments=1)
    used = store_bytes(engine.identity.store)
    write_tree(root, {"new.py": "queue = 1\n"})
    small = open_engine(root, home, max_segments=1, retain_snapshots_min=1, max_store_bytes=used)
    with pytest.raises(BudgetExceeded):
        small.sync()
    small.clock = LaterClock()

    assert small.sync().files.indexed == 1
    assert len(list(store_files.snapshots_dir(small.identity.store).glob("*/manifest.json"))) <= 2
