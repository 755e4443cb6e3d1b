"""What is remembered from one question to the next, and what never is."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError, NoIndex
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator_cache import MOST_BYTES, CoordinatorCache, PoolSet, size_of
from ggrep.federation.fanout_session import RepoDone
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.limits import Notice
from ggrep.model.request import Backend, PoolRequest, SnippetMode
from ggrep.model.response import RepoDescription
from tests.fakes.clocks import ManualClock
from tests.fakes.coordinated import (
    ask,
    calls,
    document,
    files,
    pools,
    request,
    searcher,
    statuses,
)
from tests.fakes.searchers import FakeRow, FakeSearcher, repo, workspace

CHANGES: tuple[dict[str, object], ...] = (
    {"top": 3},
    {"per_repo_top": 7},
    {"merge_strategy": "global"},
    {"fold": True},
    {"max_repos": 1},
    {"strict": True},
    {"only": ("a",)},
    {"select": ("a",)},
)
SEARCH_CHANGES: tuple[dict[str, object], ...] = (
    {"query": "other"},
    {"per_file": 1},
    {"mode": Mode.DEBUG},
    {"corpora": (Corpus.CODE,)},
    {"filters": (Filter("lang", "python"),)},
    {"filters": (Filter("lang", "python", negated=True),)},
    {"snippet": SnippetMode.NONE},
    {"backend": Backend.EXACT},
    {"include_anchors": True},
    {"deterministic": True},
    {"explain": True},
    {"keep_weak": True},
)
SHOWN_CHANGES: tuple[dict[str, object], ...] = (
    {"snippet_bytes": 3},
    {"rrf_k": 7},
    {"include_paths": True},
    {"concurrency": 1},
)


def two() -> list[FakeSearcher]:
    return [searcher("a"), searcher("b", "token third", "other")]


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_an_equal_question_is_answered_without_searching(strategy: str) -> None:
    fakes, memory = two(), CoordinatorCache()
    asked = request(merge_strategy=strategy)
    first = await ask(fakes, asked, memory=memory)
    second = await ask(fakes, asked, memory=memory)

    assert (first.from_memory, second.from_memory) == (False, True)
    for fake in fakes:
        assert calls(fake, "describe") == 2
        assert calls(fake, "search") == 1
        assert calls(fake, "term_stats") == (0 if strategy == "rrf" else 1)
    assert document(first) == document(second)


def stopping_at(wanted: str, stopped: list[str]) -> Callable[[str], Awaitable[object]]:
    """Return a pause that never ends in one kind of call, and notes when it is stopped."""

    async def pause(method: str) -> None:
        if method == wanted:
            try:
                await anyio.sleep_forever()
            finally:
                stopped.append(method)

    return pause


@pytest.mark.parametrize("change", CHANGES)
async def test_another_question_is_asked(change: dict[str, object]) -> None:
    """Everything that decides what repositories give is part of the question."""
    await assert_asked(request(**change))


@pytest.mark.parametrize("change", SEARCH_CHANGES)
async def test_another_search_is_asked(change: dict[str, object]) -> None:
    await assert_asked(replace(request(), search=replace(request().search, **change)))


async def assert_asked(other: FederatedRequest) -> None:
    fakes, memory = two(), CoordinatorCache()
    await ask(fakes, memory=memory)
    answer = await ask(fakes, other, memory=memory)

    assert not answer.from_memory
    assert document(answer) == document(await ask(two(), other))


@pytest.mark.parametrize("change", SHOWN_CHANGES)
async def test_what_is_made_of_the_lists_is_made_anew(change: dict[str, object]) -> None:
    fakes, memory = two(), CoordinatorCache()
    await ask(fakes, memory=memory)
    answer = await ask(fakes, request(**change), memory=memory)

    assert answer.from_memory
    assert document(answer) == document(await ask(two(), request(**change)))


@pytest.mark.parametrize("timeout_ms", [0, 1_000, 99_999])
async def test_time_and_company_are_no_part_of_the_question(timeout_ms: int) -> None:
    """They decide when an answer comes, never what it is."""
    fakes, memory = two(), CoordinatorCache()
    asked = request(merge_strategy="global")
    await ask(fakes, asked, memory=memory)
    hurried = replace(asked, search=replace(asked.search, timeout_ms=timeout_ms), concurrency=9)

    assert (await ask(fakes, hurried, memory=memory)).from_memory


async def test_another_workspace_file_is_another_question() -> None:
    fakes, memory = two(), CoordinatorCache()
    known = workspace(repo("a"), repo("b"))
    await ask(fakes, memory=memory, known=known)
    other = replace(known, workspace_config_hash="wsc1-1")

    assert not (await ask(fakes, memory=memory, known=other)).from_memory
    assert (await ask(fakes, memory=memory, known=known)).from_memory


async def test_a_snapshot_published_elsewhere_evicts_nothing() -> None:
    fakes, memory = [*two(), searcher("c")], CoordinatorCache()
    asked = request(only=("a", "b"))
    await ask(fakes, asked, memory=memory)
    fakes[2].snapshot_id = "S2"

    assert (await ask(fakes, asked, memory=memory)).from_memory


async def test_a_published_snapshot_is_asked_and_only_its_figures_are() -> None:
    fakes, memory = two(), CoordinatorCache()
    asked = request(merge_strategy="global")
    await ask(fakes, asked, memory=memory)
    fakes[1].snapshot_id, fakes[1].rows = "S2", searcher("b", "token new").rows
    answer = await ask(fakes, asked, memory=memory)

    assert not answer.from_memory
    assert [calls(fake, "term_stats") for fake in fakes] == [1, 2]
    assert [calls(fake, "search") for fake in fakes] == [2, 2]
    fresh = [searcher("a"), searcher("b", "token new", snapshot_id="S2")]
    assert document(answer) == document(await ask(fresh, asked))


@pytest.mark.parametrize("field", ["answers_key", "config_fingerprint"])
async def test_settings_that_shape_answers_are_part_of_the_state(
    monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """Snapshot ids are unique within a store, and nothing more is known of them."""
    fakes, memory = two(), CoordinatorCache()
    asked = request(merge_strategy="global")
    await ask(fakes, asked, memory=memory)
    plain = FakeSearcher.describe

    async def describe(self: FakeSearcher, deadline: Deadline) -> RepoDescription:
        known = await plain(self, deadline)
        return replace(known, **{field: "other"}) if self is fakes[0] else known

    monkeypatch.setattr(FakeSearcher, "describe", describe)

    assert not (await ask(fakes, asked, memory=memory)).from_memory
    assert [calls(fake, "term_stats") for fake in fakes] == [2, 1]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("describe", NoIndex("nothing was published")),
        ("describe", DeadlineExceeded("late")),
        ("term_stats", GgrepError("broken")),
        ("search", DeadlineExceeded("late")),
        ("search", GgrepError("broken")),
    ],
)
async def test_a_failure_is_never_remembered(call: str, error: GgrepError) -> None:
    """The next question finds the repository well again, and only then is it remembered."""
    fakes, memory = two(), CoordinatorCache()
    fakes[1].fail[call] = [error]
    asked = request(merge_strategy="global")
    failed = await ask(fakes, asked, memory=memory)
    well = await ask(fakes, asked, memory=memory)
    third = await ask(fakes, asked, memory=memory)

    assert statuses(failed)["b"] != "ok"
    assert statuses(well) == {"a": "ok", "b": "ok"}
    assert not well.from_memory
    assert third.from_memory
    assert document(well) == document(await ask(two(), asked))


async def called_off(
    fakes: list[FakeSearcher], asked: FederatedRequest, memory: CoordinatorCache, told: list[str]
) -> None:
    arrived: list[RepoDone] = []
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(partial(ask, fakes, asked, memory=memory, arrived=arrived.append))
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
    told += [each.status for each in arrived]


@pytest.mark.parametrize(
    ("method", "reported"), [("describe", []), ("term_stats", []), ("search", ["ok"])]
)
async def test_a_question_that_was_called_off_leaves_no_answer(
    method: str, reported: list[str]
) -> None:
    fakes, memory, stopped = [*two(), searcher("c")], CoordinatorCache(), []
    fakes[1].pause = fakes[2].pause = stopping_at(method, stopped)
    asked = request(merge_strategy="global")
    heard: list[str] = []
    await called_off(fakes, asked, memory, heard)
    fakes[1].pause = fakes[2].pause = None
    figures = memory.figures.statistics().entries
    again = await ask(fakes, asked, memory=memory)

    assert calls(fakes[0], method) > 0
    assert stopped == [method, method]
    assert heard == reported
    assert figures == (3 if method == "search" else 0)
    assert not again.from_memory
    assert statuses(again) == {"a": "ok", "b": "ok", "c": "ok"}
    assert document(again) == document(await ask([*two(), searcher("c")], asked))


async def test_a_vector_that_nobody_waits_for_is_not_remembered() -> None:
    fakes = [searcher(name, has_vectors=True) for name in "ab"]
    memory, stopped = CoordinatorCache(), []
    fakes[0].pause = stopping_at("encode", stopped)
    await called_off(fakes, request(), memory, [])

    assert stopped == ["encode"]
    assert memory.vectors.statistics().entries == memory.lists.statistics().entries == 0


@pytest.mark.parametrize("status", ["error", "missing_index"])
async def test_a_failure_after_a_success_is_told(status: str) -> None:
    fakes, memory = two(), CoordinatorCache()
    await ask(fakes, memory=memory)
    if status == "error":
        fakes[1].fail["describe"] = [GgrepError("broken")]
    else:
        fakes[1].snapshot_id = None
    answer = await ask(fakes, memory=memory)

    assert statuses(answer) == {"a": "ok", "b": status}
    assert {path[0] for path in files(answer)} == {"a"}


async def test_strict_takes_only_what_a_strict_question_left() -> None:
    fakes, memory = two(), CoordinatorCache()
    await ask(fakes, memory=memory)
    first = await ask(fakes, request(strict=True), memory=memory)
    second = await ask(fakes, request(strict=True), memory=memory)

    assert (first.from_memory, second.from_memory) == (False, True)


async def test_what_is_of_the_moment_is_of_this_moment() -> None:
    fakes, memory = two(), CoordinatorCache()
    await ask(fakes, memory=memory)
    fakes[1].freshness = "behind"
    answer = await ask(fakes, memory=memory)

    assert answer.from_memory
    assert dict(answer.freshness)[answer.reports[1].repo.repo_id] == "behind"


@pytest.mark.parametrize("code", ["stale_config", "snapshot_fallback"])
async def test_what_a_repository_notices_is_told_and_goes_again(code: str) -> None:
    """It may show in its lists as well; both are of this moment."""
    fakes, memory = two(), CoordinatorCache()
    first = await ask(two())
    for _ in range(2):
        fakes[0].notices = fakes[0].warnings = (Notice(code, "told"),)
        noticed = await ask(fakes, memory=memory)
        fakes[0].notices = fakes[0].warnings = ()
        again = await ask(fakes, memory=memory)

        assert [warning.code for warning in noticed.warnings].count(code) == 1
        assert document(again) == document(first)


async def test_the_same_words_below_other_directories_are_another_question() -> None:
    """They may name other repositories, which routing then keeps."""
    fakes, memory = two(), CoordinatorCache()
    for path in ("/srv/x", "/srv/y"):
        asked = request(base_dirs=(Path(path),))
        assert not (await ask(fakes, asked, memory=memory)).from_memory


@pytest.mark.parametrize("field", ["select", "only"])
async def test_the_order_in_which_repositories_are_named_is_no_part_of_a_question(
    field: str,
) -> None:
    fakes, memory = [*two(), searcher("c")], CoordinatorCache()
    await ask(fakes, request(**{field: ("a", "b")}), memory=memory)
    turned = await ask(fakes, request(**{field: ("b", "a")}), memory=memory)
    other = await ask(fakes, request(**{field: ("b", "c")}), memory=memory)

    assert turned.from_memory
    assert document(turned) == document(await ask(fakes, request(**{field: ("b", "a")})))
    assert not other.from_memory


async def test_lists_that_were_to_be_longer_are_not_remembered() -> None:
    """A repository that could not give longer lists may do so the next time."""
    copies = [FakeRow(f"c{n}", f"c{n}.py", 1, ("token",), chunk="same") for n in range(9)]
    fake = FakeSearcher("a", [*copies, FakeRow("z", "z.py", 1, ("token", "x"))])
    memory = CoordinatorCache()
    asked = request(merge_strategy="global", top=2, search={"per_file": 0})
    seen = []

    async def pause(method: str) -> None:
        seen.append(method)
        if method == "search" and seen.count("search") == 2:
            raise GgrepError("broken")

    fake.pause = pause
    better = FakeRow("b", "b.py", 1, ("token", "token"), chunk="same")
    fakes = [fake, FakeSearcher("b", [better])]
    first = await ask(fakes, asked, memory=memory)
    second = await ask(fakes, asked, memory=memory)
    third = await ask(fakes, asked, memory=memory)

    assert [item.from_memory for item in (first, second, third)] == [False, False, True]
    assert document(second) == document(third)


async def test_a_vector_is_remembered_for_its_encoder_and_its_text() -> None:
    """Encoding is the dearest step of a small search."""
    fakes = [
        searcher(name, keys=(key, "lex", "schema"), has_vectors=True)
        for name, key in (("a", "m1"), ("b", "m1"), ("c", "m2"), ("d", "m2"))
    ]
    memory = CoordinatorCache()
    mixing = {"allow_unsafe_mix": True}
    await ask(fakes, request(**mixing), memory=memory)
    await ask(fakes, request(top=3, **mixing), memory=memory)

    assert [calls(fake, "encode") for fake in fakes] == [1, 0, 1, 0]
    assert all(pool.vector is not None for fake in fakes for pool in pools(fake))

    await ask(fakes, request("other", **mixing), memory=memory)

    assert [calls(fake, "encode") for fake in fakes] == [2, 0, 2, 0]


async def test_memory_is_bounded_by_bytes() -> None:
    text = "token " + "x" * 4_000
    fakes = [searcher("a", *[text] * 5), searcher("b", *[text] * 5)]
    most = 1 << 18
    memory = CoordinatorCache(most)
    for number in range(12):
        await ask(fakes, request(f"token {number}", merge_strategy="global"), memory=memory)
    lists, figures = memory.lists.statistics(), memory.figures.statistics()

    assert 0 < lists.entries < 12
    assert 0 < lists.size_bytes <= most
    assert 0 < figures.size_bytes <= MOST_BYTES
    for number, kept in ((11, True), (0, False)):
        asked = request(f"token {number}", merge_strategy="global")
        assert (await ask(fakes, asked, memory=memory)).from_memory is kept


async def test_repositories_without_hits_take_room_too() -> None:
    """In a large workspace they are most of what is remembered."""
    sizes = []
    for number in (2, 20):
        memory = CoordinatorCache()
        fakes = [searcher(f"r{n:02}", "other") for n in range(number)]
        await ask(fakes, request(merge_strategy="global"), memory=memory)
        sizes.append(memory.lists.statistics().size_bytes)

    assert sizes[1] > 8 * sizes[0]


async def test_a_memory_without_room_holds_nothing() -> None:
    fakes, memory = [searcher(n, has_vectors=True) for n in "ab"], CoordinatorCache(0)
    for _ in range(2):
        await ask(fakes, request(merge_strategy="global"), memory=memory)

    kept = (memory.lists, memory.figures, memory.vectors)
    assert [each.statistics().entries for each in kept] == [0, 0, 0]
    assert [calls(fake, "term_stats") for fake in fakes] == [2, 2]


async def test_for_which_corpora_a_repository_is_asked_is_part_of_the_question() -> None:
    fakes, memory = [*two(), searcher("c", keys=("other", "lex", "schema"))], CoordinatorCache()
    key = (await ask([fakes[2]])).to_json()["repos"][0]["compatibilityKey"]
    await ask(fakes, request(cohort=(f"code:{key}",)), memory=memory)
    answer = await ask(fakes, request(cohort=(f"prose:{key}",)), memory=memory)

    assert not answer.from_memory


async def test_figures_are_of_the_snapshot_that_gave_them() -> None:
    """A publish between two questions to a repository must not pass them off as the old one's."""
    fakes, memory = two(), CoordinatorCache()

    async def publish(method: str) -> None:
        if method == "term_stats":
            fakes[0].snapshot_id = "S2"

    fakes[0].pause = publish
    asked = request(merge_strategy="global")
    await ask(fakes, asked, memory=memory)
    await ask(fakes, asked, memory=memory)

    assert calls(fakes[0], "term_stats") == 1


async def test_hits_of_corpora_take_room() -> None:
    clock = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))
    whole = await searcher("a").search(PoolRequest(request().search, 5), Deadline.never(clock))
    sizes = [
        size_of(PoolSet("rrf", pools={RepoId("a"): pool}))
        for pool in (whole, replace(whole, corpora=()))
    ]
    text = sum(len(hit.content) for _, hits in whole.corpora for hit in hits)

    assert sizes[0] - sizes[1] > text > 0


async def test_a_request_for_short_lists_shapes_no_other_answer() -> None:
    def fakes() -> list[FakeSearcher]:
        copies = [FakeRow(f"a{n}", f"a{n}.py", 1, ("token",) * 3, chunk="same") for n in range(30)]
        others = [FakeRow(f"x{n}", f"x{n}.py", 1, ("token", "other")) for n in range(10)]
        better = FakeRow("0", "0.py", 1, ("token",) * 3, chunk="same")
        return [FakeSearcher("a", [*copies, *others]), FakeSearcher("b", [better])]

    memory, asked = CoordinatorCache(), fakes()
    plain = request("token", merge_strategy="global", top=10)
    await ask(asked, replace(plain, per_repo_top=20), memory=memory)

    assert document(await ask(asked, plain, memory=memory)) == document(await ask(fakes(), plain))
