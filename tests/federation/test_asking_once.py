"""What is asked once, who is told once, and what those who hang leave of the time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import anyio
import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.config.declarations import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.fanout_session import RepoDone, repo_search
from ggrep.federation.federated_request import MERGE_RESERVE_MS, FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.searcher import RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.model.limits import LimitHit
from ggrep.model.request import MAX_TOP, EncodedQuery, EncodeRequest, replace
from ggrep.service.searchers import ReadySearchers
from tests.fakes.clocks import ManualClock
from tests.fakes.coordinated import (
    ask,
    calls,
    files,
    hanging_at,
    pools,
    request,
    searcher,
    statuses,
)
from tests.fakes.joint import JointFakes
from tests.fakes.searchers import FakeSearcher, checkpoints, factory, repo, workspace
from tests.fakes.virtual_time import VirtualClock, run_virtually

NAMES = "abcdefghij"
HUNG = 6
TIMEOUT_MS = 10_000


def encoders(*names: str, **fields: object) -> list[FakeSearcher]:
    return [searcher(name, has_vectors=True, **fields) for name in names]


def timed(work: Callable[[], Awaitable[FederatedResponse]]) -> tuple[FederatedResponse, float]:
    """Return an answer, and how many milliseconds it took in virtual time."""

    async def run() -> tuple[FederatedResponse, float]:
        result = await work()
        return result, VirtualClock().monotonic_ms()

    return run_virtually(run)


def timed_ask(
    fakes: Sequence[FakeSearcher], timeout_ms: int = TIMEOUT_MS, **fields: object
) -> tuple[FederatedResponse, float]:
    asked = request(search={"timeout_ms": timeout_ms}, **fields)
    return timed(lambda: ask(fakes, asked, clock=VirtualClock()))


def slow_at(wanted: str, seconds: float) -> Callable[[str], Awaitable[None]]:
    """Return a pause of one kind of call."""

    async def pause(method: str) -> None:
        if method == wanted:
            await anyio.sleep(seconds)

    return pause


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_one_repository_encodes_for_all_of_its_encoder(strategy: str) -> None:
    """The first by id; the vector is sent along with the question."""
    fakes = encoders("c", "a", "b")
    await ask(fakes, request("token other", merge_strategy=strategy))

    assert {fake.name: calls(fake, "encode") for fake in fakes} == {"a": 1, "b": 0, "c": 0}
    for fake in fakes:
        assert [pool.vector for pool in pools(fake)] == [EncodedQuery((11,), 1.0)]


async def test_the_text_that_is_encoded_is_the_query() -> None:
    fakes = encoders("a", "b")
    await ask(fakes, request("how is  a token made?"))

    assert ("encode", EncodeRequest("how is  a token made?")) in [
        (method, replace(asked, timeout_ms=0))
        for method, asked in fakes[0].asked
        if isinstance(asked, EncodeRequest)
    ]


@pytest.mark.parametrize(
    ("members", "counts", "vectors"),
    [
        # A round more would gain nothing.
        ({"a": (True, "embed"), "b": (False, "embed")}, [0, 0], [False, False]),
        (
            {"a": (True, "m1"), "b": (True, "m1"), "c": (False, ""), "d": (False, "")},
            [1, 0, 0, 0],
            [True, True, False, False],
        ),
    ],
)
async def test_a_vector_is_made_where_several_can_use_it(
    members: dict[str, tuple[bool, str]], counts: list[int], vectors: list[bool]
) -> None:
    fakes = [
        searcher(name, has_vectors=has_vectors, keys=(key, "lex", "schema"))
        for name, (has_vectors, key) in members.items()
    ]
    await ask(fakes, request(allow_unsafe_mix=True))

    assert [calls(fake, "encode") for fake in fakes] == counts
    assert [pool.vector is not None for fake in fakes for pool in pools(fake)] == vectors


async def test_repositories_that_are_not_admitted_encode_nothing() -> None:
    fakes = [
        *encoders("a", "b", keys=("m2", "lex", "schema")),
        *encoders("c", "d", "e", keys=("m1", "lex", "schema")),
    ]
    await ask(fakes)

    assert [calls(fake, "encode") for fake in fakes] == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("error", [GgrepError("broken"), RuntimeError("a bug")])
async def test_the_next_encodes_when_the_first_fails(error: Exception) -> None:
    fakes = encoders("a", "b", "c")
    fakes[0].fail["encode"] = [error]
    answer = await ask(fakes)

    assert [calls(fake, "encode") for fake in fakes] == [1, 1, 0]
    assert statuses(answer) == dict.fromkeys("abc", "ok")
    assert all(pool.vector is not None for fake in fakes for pool in pools(fake))


@pytest.mark.parametrize("strategy", ["rrf", "global"])
def test_an_encoder_that_hangs_leaves_most_of_the_time(strategy: str) -> None:
    fakes = encoders("a", "b")
    fakes[0].pause = hanging_at("encode")
    answer, spent_ms = timed_ask(fakes, merge_strategy=strategy)

    assert statuses(answer) == dict.fromkeys("ab", "ok")
    assert 0 < spent_ms <= TIMEOUT_MS / 4
    assert [calls(fake, "encode") for fake in fakes] == [1, 0]
    assert [pool.vector for fake in fakes for pool in pools(fake)] == [None, None]


async def test_a_vector_that_came_late_in_a_session_is_kept() -> None:
    fakes, memory = encoders("a", "b"), CoordinatorCache()
    for fake in fakes:
        fake.fail["encode"] = [GgrepError("broken")]
    await ask(fakes, memory=memory)
    await ask(fakes, request(top=3), memory=memory)
    await ask(fakes, request(top=4), memory=memory)

    assert [calls(fake, "encode") for fake in fakes] == [2, 1]
    assert [pool.vector is None for pool in pools(fakes[1])] == [True, False, False]


async def told(
    fakes: Sequence[FakeSearcher], asked: FederatedRequest, memory: CoordinatorCache | None = None
) -> tuple[list[RepoDone], FederatedResponse]:
    seen: list[RepoDone] = []
    answer = await ask(fakes, asked, memory=memory, arrived=seen.append)
    return seen, answer


def assert_each_once(seen: Sequence[RepoDone], found: FederatedResponse) -> None:
    total = len(found.reports)
    assert [arrival.done for arrival in seen] == list(range(1, total + 1))
    assert {arrival.total for arrival in seen} == {total}
    assert sorted(arrival.repo_id for arrival in seen) == [r.repo.repo_id for r in found.reports]
    assert {a.alias: a.status for a in seen} == statuses(found)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_each_repository_is_told_of_once(strategy: str) -> None:
    fakes = [
        searcher("a"),
        searcher("b", fail={"search": [DeadlineExceeded("late")]}),
        searcher("c", fail={"describe": [GgrepError("broken")]}),
        searcher("d", snapshot_id=None),
        searcher("e", "token"),
    ]
    seen, result = await told(fakes, request(merge_strategy=strategy))

    assert_each_once(seen, result)
    assert {a.alias: (a.status, a.count) for a in seen} == {
        "a": ("ok", 2),
        "b": ("timeout", 0),
        "c": ("error", 0),
        "d": ("missing_index", 0),
        "e": ("ok", 1),
    }


@pytest.mark.parametrize(
    ("others", "order"),
    [
        (lambda: [searcher("b"), searcher("c", snapshot_id=None)], ["c", "b", "a"]),
        # Not when the slowest of its round has answered.
        (lambda: [searcher("b", fail={"search": [GgrepError("broken")]})], ["b", "a"]),
    ],
)
async def test_word_comes_in_the_order_of_arrival(
    others: Callable[[], list[FakeSearcher]], order: list[str]
) -> None:
    seen, result = await told([searcher("a", pause=checkpoints(9)), *others()], request())

    assert [arrival.alias for arrival in seen] == order
    assert_each_once(seen, result)


async def test_who_is_not_asked_is_told_of_too() -> None:
    """Otherwise progress would never be complete."""
    fakes = [searcher("a"), searcher("b"), searcher("c", keys=("embed", "old", "schema"))]
    seen, result = await told(fakes, request())
    routed = [searcher(name) for name in NAMES]
    few, answer = await told(routed, request(max_repos=5, merge_strategy="global"))

    assert_each_once(seen, result)
    assert {a.alias: a.status for a in seen} == {"a": "ok", "b": "ok", "c": "incompatible"}
    assert_each_once(few, answer)
    assert [a.status for a in few].count("skipped") == 5


async def test_an_answer_from_memory_tells_of_all() -> None:
    fakes, memory = [searcher("a"), searcher("b", "token")], CoordinatorCache()
    first, result = await told(fakes, request(), memory)
    second, again = await told(fakes, request(), memory)

    assert again.from_memory
    assert_each_once(first, result)
    assert_each_once(second, again)
    assert [(a.alias, a.count) for a in second] == [("a", 2), ("b", 1)]


async def test_a_strict_failure_tells_of_all() -> None:
    fakes = [searcher("a"), searcher("b", fail={"search": [GgrepError("x")]}), searcher("c")]
    seen, result = await told(fakes, request(strict=True, concurrency=1))

    assert sorted(a.alias or "" for a in seen) == ["a", "b", "c"]
    assert [a.done for a in seen] == [1, 2, 3]
    assert not result.ok


async def test_a_repository_that_is_asked_again_is_told_of_once() -> None:
    """A published snapshot makes for a second round, not for a second word."""
    fakes = [searcher("a"), searcher("b", fail={"search": [SnapshotGone("published")]})]
    seen, result = await told(fakes, request(merge_strategy="global"))

    assert calls(fakes[1], "search") == 2
    assert_each_once(seen, result)


@pytest.mark.parametrize(
    ("at", "strategy"),
    [
        *((step, "rrf") for step in ("describe", "search")),
        *((step, "global") for step in ("describe", "term_stats", "search")),
    ],
)
@pytest.mark.parametrize("hung", [NAMES[:HUNG], NAMES[-HUNG:], "abcefi"])
def test_more_that_hang_than_there_are_places_starve_nobody(
    at: str, strategy: str, hung: str
) -> None:
    fakes = [searcher(n, pause=hanging_at(at) if n in hung else None) for n in NAMES]
    answer, spent_ms = timed_ask(fakes, merge_strategy=strategy, concurrency=4, top=50)

    assert statuses(answer) == {n: "timeout" if n in hung else "ok" for n in NAMES}
    assert {path[0] for path in files(answer)} == set(NAMES) - set(hung)
    assert spent_ms < TIMEOUT_MS


def test_a_slow_description_may_take_its_share_however_long_that_is() -> None:
    answer, _ = timed_ask([searcher("a", pause=slow_at("describe", 19)), searcher("b")], 60_000)

    assert statuses(answer) == {"a": "ok", "b": "ok"}
    assert answer.limits_hit == ()


@pytest.mark.parametrize("timeout_ms", [3_000, 600_000])
def test_whose_share_ends_before_the_deadline_is_said(timeout_ms: int) -> None:
    fakes = [searcher("a", pause=hanging_at("describe")), searcher("b")]
    answer, spent_ms = timed_ask(fakes, timeout_ms)

    assert statuses(answer) == {"a": "timeout", "b": "ok"}
    assert spent_ms <= timeout_ms / 3
    hit = RepoLimit(LimitHit("deadline_share", 33), RepoId("a-000000000000"))
    assert answer.limits_hit == (hit,)
    reported = next(item.message for item in answer.errors)
    assert reported == "no answer within its share (33 %) of the timeout; use a longer timeout"


def test_who_waits_its_turn_has_the_share_of_a_turn() -> None:
    """Six searches, two at once: the first two may take a third of what is left."""
    hung = [searcher(name, pause=hanging_at("search")) for name in "ab"]
    answer, _ = timed_ask([*hung, *(searcher(name) for name in "cdef")], concurrency=2)

    late = {item.repo_id: item.limit.limit for item in answer.limits_hit}
    assert late == {"a-000000000000": 33, "b-000000000000": 33}


def test_a_search_may_last_to_the_deadline_less_the_time_for_merging() -> None:
    """It had all that there was, and no share is named."""
    answer, spent_ms = timed_ask([searcher("a", pause=hanging_at("search")), searcher("b")])

    assert statuses(answer) == {"a": "timeout", "b": "ok"}
    assert [item.message for item in answer.errors] == ["no answer within the timeout"]
    assert answer.limits_hit == ()
    assert TIMEOUT_MS - spent_ms == MERGE_RESERVE_MS


@dataclass(slots=True)
class Readied:
    """Repositories that note what was done about them, in order, or are never ready."""

    inner: ReadySearchers
    notes: list[tuple[str, ...]] = field(default_factory=list)
    never: bool = False

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        self.notes.append(("prepare", *(item.alias or "" for item in repos)))
        if self.never:
            await anyio.sleep_forever()

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        self.notes.append(("open", repo.alias or ""))
        return self.inner.open(repo)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> None:
        return None


async def test_all_that_are_selected_are_made_ready_before_any_is_asked() -> None:
    """One host is started for all that are missing, and each is opened once."""
    door = Readied(factory(*(searcher(name) for name in "abc")))
    known = workspace(*(repo(name) for name in "abc"))
    asked = request(only=("a", "c"), merge_strategy="global")
    await federated_search(known, asked, door, ManualClock(datetime(2025, 1, 1, tzinfo=UTC)))

    assert door.notes == [("prepare", "a", "c"), ("open", "a"), ("open", "c")]


def test_making_ready_takes_half_of_the_time_at_most() -> None:
    clock, door = VirtualClock(), Readied(factory(searcher("a"), searcher("b")), never=True)
    asked = request(search={"timeout_ms": TIMEOUT_MS})
    known = workspace(repo("a"), repo("b"))
    result, spent_ms = timed(lambda: federated_search(known, asked, door, clock))

    assert statuses(result) == {"a": "ok", "b": "ok"}
    assert spent_ms <= TIMEOUT_MS / 2


@pytest.mark.parametrize("at", ["describe", "term_stats"])
def test_what_takes_them_little_is_asked_of_many_at_once(at: str) -> None:
    fakes = [searcher(n, pause=slow_at(at, 1)) for n in NAMES]
    _, spent_ms = timed_ask(fakes, merge_strategy="global", concurrency=1)

    assert spent_ms == 1_000


def test_nobody_is_asked_for_more_than_a_repository_gives() -> None:
    wanted = request(top=MAX_TOP, search={"per_file": 9_999})
    answer = repo_search(wanted)

    assert (answer.limit, answer.per_file) == (MAX_QUERY_RESULTS, MAX_QUERY_PER_FILE)


def test_those_who_follow_one_another_each_have_their_turn() -> None:
    fakes = [searcher(n, pause=slow_at("describe", 9)) for n in "abcdefghijklmnopq"]
    answer, spent_ms = timed_ask(fakes, timeout_ms=0)

    assert set(statuses(answer).values()) == {"ok"}
    assert spent_ms == 18_000


def test_a_strict_failure_is_not_kept_waiting() -> None:
    fakes = [
        searcher("a", fail={"search": [GgrepError("x")]}),
        searcher("b", pause=slow_at("search", 9)),
    ]
    answer, spent_ms = timed_ask(fakes, strict=True)

    assert not answer.ok
    assert spent_ms == 0


def together(fakes: Sequence[FakeSearcher], members: str, *failures: GgrepError) -> JointFakes:
    """Return fakes of which these members are searched together; so many of the searches fail."""
    joint = JointFakes(fakes, members)
    joint.failures += failures
    return joint


def four(**last: object) -> list[FakeSearcher]:
    """Return four repositories that compare; the last has these fields."""
    return [searcher(name, answers_key="k", **(last if name == "d" else {})) for name in "abcd"]


def test_a_repository_beside_a_batch_that_hangs_leaves_the_members_their_time() -> None:
    """It is searched first, and may take half of the time."""
    joint = together(four(pause=hanging_at("search")), "abc")
    names = workspace(*(repo(name) for name in "abcd"))
    asked = request(merge_strategy="global", search={"timeout_ms": TIMEOUT_MS})
    result, spent_ms = timed(lambda: federated_search(names, asked, joint, VirtualClock()))

    assert statuses(result) == {"a": "ok", "b": "ok", "c": "ok", "d": "timeout"}
    assert result.hits
    assert spent_ms <= 0.6 * TIMEOUT_MS


async def test_a_failed_repository_stays_out_when_a_batch_is_searched_again() -> None:
    """Its statistics would move all scores, and its hits would not be shown."""
    joint = together(four(fail={"term_stats": [GgrepError("x")]}), "abc", GgrepError("copies"))
    names = workspace(*(repo(name) for name in "abcd"))
    clock = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))
    answer = await federated_search(names, request(merge_strategy="global"), joint, clock)

    assert statuses(answer) == {"a": "ok", "b": "ok", "c": "ok", "d": "error"}
    assert answer.statistics_repos == tuple(repo(name).repo_id for name in "abc")
