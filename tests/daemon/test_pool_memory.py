"""Lists that were given once are given again, as long as nothing they depend on has changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import SnapshotGone
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.daemon.joint_members import MOST_BYTES, PoolCache, cached_pool
from ggrep.model.corpus import Corpus
from ggrep.model.request import (
    EncodedQuery,
    EncodeRequest,
    PoolRequest,
    SearchRequest,
    StatisticsRequest,
)
from ggrep.model.response import PoolResponse
from ggrep.protocol.wire.messages import Describe, Fetch, Sync
from ggrep.search.engine.engine import Engine
from tests.fakes.hosts import CLOCK, Served, served
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.searchers import FakeRow, FakeSearcher, figures_of

ROWS = [FakeRow(f"r{n}", f"{n}.py", 1, ("token",), content="x" * 100) for n in range(3)]
FIGURES = figures_of(ROWS, "token")
VECTOR = EncodedQuery((1, 2, 3), 0.5)
PLAIN = PoolRequest(SearchRequest("token"), per_list=10)
FULL = replace(PLAIN, statistics=FIGURES, snapshot_id="S1", vector=VECTOR)

OTHERS = {
    "query": replace(FULL, search=SearchRequest("other")),
    "corpora": replace(FULL, search=replace(FULL.search, corpora=(Corpus.CODE,))),
    "per_file": replace(FULL, search=replace(FULL.search, per_file=1)),
    "per_list": replace(FULL, per_list=11),
    "no statistics": replace(FULL, statistics=None),
    "statistics": replace(FULL, statistics=replace(FIGURES, chunks=99)),
    "no vector": replace(FULL, vector=None),
    "vector": replace(FULL, vector=EncodedQuery((1, 2, 4), 0.5)),
    "scale": replace(FULL, vector=EncodedQuery((1, 2, 3), 0.25)),
}


async def pool_of(*rows: FakeRow, snapshot_id: str = "S1") -> PoolResponse:
    fake = FakeSearcher("a", rows or ROWS, snapshot_id=snapshot_id)
    return await fake.search(PLAIN, Deadline.never(CLOCK))


async def test_what_was_put_in_comes_out_with_its_json() -> None:
    """The JSON is most of the work."""
    memory, pool = PoolCache(), await pool_of()
    put = memory.put(FULL, pool)
    got = memory.get("S1", FULL)

    assert got is put
    assert got == cached_pool(pool)
    assert got.pool is pool
    assert got.document == to_builtins(pool)
    assert memory.statistics().hits == 1


@pytest.mark.parametrize("name", OTHERS)
async def test_another_question_is_not_answered(name: str) -> None:
    """Lists belong to the figures and the vector that they were measured against."""
    memory = PoolCache()
    memory.put(FULL, await pool_of())

    assert memory.get("S1", OTHERS[name]) is None


async def test_time_and_the_active_snapshot_are_no_part_of_the_question() -> None:
    """Each caller has another deadline; a snapshot that is gone must be told as gone."""
    memory = PoolCache()
    memory.put(FULL, await pool_of())
    hurried = replace(FULL, search=replace(FULL.search, timeout_ms=5))

    assert memory.get("S1", hurried) is not None

    assert memory.get("S1", replace(FULL, snapshot_id=None)) is not None

    assert memory.get("S2", FULL) is None
    assert memory.get("S1", replace(FULL, snapshot_id="S2")) is None


async def test_lists_are_of_the_snapshot_that_gave_them() -> None:
    """A publish between looking and searching puts them where they belong."""
    memory = PoolCache()
    memory.put(PLAIN, await pool_of(snapshot_id="S2"))

    assert memory.get("S1", PLAIN) is None
    assert memory.get("S2", PLAIN) is not None


async def test_it_takes_no_more_than_it_may() -> None:
    """Text, hits, vectors and words count; a host serves many stores."""
    memory, pool = PoolCache(200_000), await pool_of()
    for number in range(100):
        memory.put(replace(FULL, per_list=number), pool)
    full = memory.statistics()

    assert 10 < full.entries < 20
    assert full.size_bytes <= 200_000
    assert memory.get("S1", replace(FULL, per_list=99)) is not None
    assert memory.get("S1", replace(FULL, per_list=0)) is None

    assert MOST_BYTES <= 8 * 1024 * 1024


@pytest.mark.parametrize(
    ("larger", "by"),
    [
        (replace(FULL, vector=EncodedQuery((1,) * 768, 1.0)), 20_000),
        (replace(FULL, search=SearchRequest("token " * 1_000)), 5_000),
    ],
)
async def test_a_large_question_takes_more_room(larger: PoolRequest, by: int) -> None:
    sizes, pool = [], await pool_of()
    for request in (FULL, larger):
        memory = PoolCache()
        memory.put(request, pool)
        sizes.append(memory.statistics().size_bytes)

    assert sizes[1] > sizes[0] + by


async def test_lists_larger_than_all_of_it_are_given_and_not_held() -> None:
    """Their caller has them; nothing else is thrown out for them."""
    memory, pool = PoolCache(1_000), await pool_of()

    assert memory.put(FULL, pool).pool is pool
    assert memory.statistics().entries == 0


# In a daemon.


class Counted:
    """How often an engine was asked for lists."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.times = 0
        plain = Engine.ask

        def pool(engine: Engine, *given: Any, **more: Any) -> PoolResponse:
            self.times += 1
            return plain(engine, *given, **more)

        patch.setattr(Engine, "ask", pool)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture
def host(indexed: Path, home: Path) -> Iterator[Served]:
    with served(indexed, home) as result:
        result.settled()
        yield result


def asked(host: Served, request: PoolRequest) -> bytes:
    return stable_json.dumps(host.ask(Fetch(request)).body["pool"])


REQUEST = PoolRequest(SearchRequest("settled invoice"), per_list=10)


@pytest.mark.slow
def test_equal_queries_are_cached(
    host: Served, counted: Counted, indexed: Path, home: Path
) -> None:
    """For any client and deadline, with the engine's lists to the byte."""
    hurried = replace(REQUEST, search=replace(REQUEST.search, timeout_ms=20_000))
    answers = {asked(host, request) for request in (REQUEST, REQUEST, hurried)}

    assert counted.times == 1
    assert len(answers) == 1
    assert host.daemon.pools.statistics().hits == 2

    plain = open_engine(indexed, home).ask(REQUEST, Deadline.after(CLOCK, 20_000))

    assert [asked(host, REQUEST) for _ in range(2)] == [stable_json.dumps(to_builtins(plain))] * 2


@pytest.mark.slow
def test_a_publish_is_searched_anew(host: Served, indexed: Path, counted: Counted) -> None:
    """Lists of the snapshot before are refused although they are still remembered."""
    snapshot_id = host.daemon.engine().view(Deadline.after(CLOCK, 20_000)).manifest.snapshot_id
    old = replace(REQUEST, snapshot_id=snapshot_id)
    before = asked(host, REQUEST)
    assert asked(host, old)
    write_tree(indexed, {"src/new.py": "def settled_invoice():\n    return 1\n"})
    host.ask(Sync())
    searches = counted.times
    after = asked(host, REQUEST)

    assert counted.times == searches + 1
    assert before != after
    assert b"src/new.py" in after
    with pytest.raises(SnapshotGone):
        host.ask(Fetch(old))


@pytest.mark.slow
def test_a_reload_is_searched_anew(host: Served, counted: Counted) -> None:
    asked(host, REQUEST)
    host.reload()
    asked(host, REQUEST)

    assert counted.times == 2


@pytest.mark.slow
def test_other_figures_and_vectors_are_searched_anew(host: Served, counted: Counted) -> None:
    """A workspace's sum moves with every repository's publish."""
    engine, deadline = host.daemon.engine(), Deadline.after(CLOCK, 20_000)
    ours = engine.ask(StatisticsRequest(REQUEST.search), deadline)
    figures, vector = ours.statistics, engine.ask(EncodeRequest("another text"), deadline).vector
    measured = replace(REQUEST, statistics=figures, snapshot_id=ours.snapshot_id)
    moved = replace(measured, statistics=replace(figures, chunks=figures.chunks + 9))
    before = counted.times
    for request in (REQUEST, measured, moved, replace(moved, vector=vector)) * 2:
        asked(host, request)

    assert counted.times - before == 4


@pytest.mark.slow
def test_a_closed_engine_drops_its_lists(host: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle store holds neither lists nor a snapshot nor processes."""
    asked(host, REQUEST)
    assert host.daemon.pools.statistics().entries == 1

    closed: list[Engine] = []

    def close(engine: Engine) -> None:
        closed.append(engine)

    monkeypatch.setattr(Engine, "close", close)
    engine = host.daemon.engine()
    host.call(host.daemon.close_engine)

    assert closed == [engine]

    assert host.daemon.pools.statistics().entries == 0


@pytest.mark.slow
def test_a_fallback_snapshot_is_told_and_not_cached(host: Served, indexed: Path) -> None:
    """In the description as well: who remembers by it must know."""
    asked(host, REQUEST)
    write_tree(indexed, {"src/new.py": "def settled_invoice():\n    return 1\n"})
    host.ask(Sync())
    store = host.daemon.identity.store
    active = store_files.active_file(store).read_text().strip()
    store_files.manifest_file(store, SnapshotId(active)).write_bytes(b"{}")
    host.call(host.daemon.close_engine)
    description = host.ask(Describe()).body["description"]

    assert [notice["code"] for notice in description["notices"]] == ["snapshot_fallback"]
    assert description["snapshot_id"] != active
    assert b"snapshot_fallback" in asked(host, REQUEST)
    assert host.daemon.pools.statistics().entries == 0
