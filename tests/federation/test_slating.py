"""A slate over repositories: who is asked for what, and what becomes of those who fail."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import GgrepError, InvalidRequest, NoIndex, SnapshotGone
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.federated_request import MERGE_RESERVE_MS, FederatedRequest
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.confidence import Confidence, TopFile, TopFiles, Wording
from ggrep.model.corpus import Corpus
from ggrep.model.limits import LimitHit
from ggrep.model.request import EncodedQuery, PoolRequest, SnippetMode, sum_statistics
from ggrep.model.response import PoolResponse
from ggrep.model.slate import Budgets, SlateRequest
from tests.fakes.clocks import ManualClock
from tests.fakes.coordinated import calls, document, hanging_at, request, rows, searcher, statuses
from tests.fakes.searchers import FakeSearcher, checkpoints, factory, figures_of, repo, workspace
from tests.fakes.virtual_time import VirtualClock, run_virtually

TIMEOUT_MS = 10_000
USUAL = SlateShape()


async def ask(
    fakes: Sequence[FakeSearcher],
    asked: FederatedRequest | None = None,
    shape: SlateShape = USUAL,
    *,
    memory: CoordinatorCache | None = None,
    clock: Clock | None = None,
) -> FederatedSlate:
    return await federated_slate(
        workspace(*(repo(fake.name) for fake in fakes)),
        asked or request(),
        shape,
        factory(*fakes),
        clock or ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
        memory=memory,
    )


def timed(work: Callable[[], Awaitable[FederatedSlate]]) -> tuple[FederatedSlate, float]:
    """Return an answer, and how many milliseconds it took in virtual time."""

    async def run() -> tuple[FederatedSlate, float]:
        return await work(), VirtualClock().monotonic_ms()

    return run_virtually(run)


def asked_of(fake: FakeSearcher) -> list[SlateRequest]:
    return [asked for _, asked in fake.asked if isinstance(asked, SlateRequest)]


def shown(found: FederatedSlate) -> list[str]:
    assert found.slate is not None
    return [f"{each.repo}:{each.path}" for _, packs in found.slate.sections for each in packs]


def errors(found: FederatedSlate) -> list[tuple[str, str]]:
    return [(item.code, item.repo_id or "") for item in found.errors]


class Doubtful(FakeSearcher):
    """A repository whose hits fit the question badly."""

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return the lists with evidence of next to nothing."""
        pool = await FakeSearcher.search(self, request, deadline)
        leader = TopFile(score=1.0, evidence=0.01, row=0.0, topic=0.0, found=0.0, spelt=False)
        return replace(pool, leading=TopFiles((leader,) * 5, 1.0, 0.5, Wording.PLAIN))


async def test_a_slate_has_the_files_of_all_that_match() -> None:
    fakes = [searcher("a"), searcher("b", "nothing of it"), searcher("c", "token")]
    answer = await ask(fakes)

    assert sorted(shown(answer)) == ["a:a0.py", "a:a1.py", "c:c0.py"]
    assert statuses(answer) == dict.fromkeys("abc", "ok")
    assert answer.exit_status == 0
    assert [calls(fake, "search") for fake in fakes] == [1, 1, 1]
    assert [calls(fake, "slate") for fake in fakes] == [1, 0, 1]


async def test_every_repository_gets_the_shape_that_was_asked_for() -> None:
    """Budgets of one are those of all: any of them may be the only one that matches."""
    fake = searcher("a")
    shape = SlateShape(2, Budgets(9_000, 800, 7, 2), anchors=False, graph=False)
    await ask([fake, searcher("b")], shape=shape)
    (asked,) = asked_of(fake)

    assert (asked.level, asked.budgets) == (2, Budgets(9_000, 800, 7, 2))
    assert (asked.anchors, asked.graph, asked.facts) == (False, False, False)
    assert asked.search.snippet is SnippetMode.NONE


async def test_facts_are_asked_for_where_a_graph_is_wanted_and_of_compared_corpora() -> None:
    fake = searcher("a")
    await ask([fake], request(search={"corpora": (Corpus.PROSE, Corpus.CODE)}))
    (asked,) = asked_of(fake)

    assert (asked.graph, asked.facts) == (True, True)
    assert asked.search.corpora == (Corpus.CODE, Corpus.PROSE)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_the_statistics_of_all_are_handed_on_where_scores_compare(strategy: str) -> None:
    fakes = [searcher("a", "token token", "other"), searcher("b", "token")]
    await ask(fakes, request(merge_strategy=strategy))
    total = sum_statistics(figures_of(fake.rows, "token") for fake in fakes)

    for fake in fakes:
        (asked,) = asked_of(fake)
        assert asked.statistics == (None if strategy == "rrf" else total)


async def test_the_snapshot_that_gave_the_hits_is_asked_with_the_vector_of_the_search() -> None:
    """A file that was published meanwhile was not measured with the others."""
    fakes = [searcher("a", snapshot_id="S7"), searcher("b", snapshot_id="S9")]
    await ask(fakes)

    assert [asked_of(fake)[0].snapshot_id for fake in fakes] == ["S7", "S9"]

    fakes = [searcher(name, has_vectors=True) for name in "abcd"]
    await ask(fakes)

    assert sum(calls(fake, "encode") for fake in fakes) == 1
    assert [asked_of(fake)[0].vector for fake in fakes] == [EncodedQuery((5,), 1.0)] * 4


async def test_repositories_are_selected_as_for_a_search_and_no_more_than_files() -> None:
    fakes = [searcher(name) for name in "abc"]
    answer = await ask(fakes, request(only=("c", "a")))

    assert {name.partition(":")[0] for name in shown(answer)} == {"a", "c"}
    assert calls(fakes[1], "describe") == 0

    fakes = [searcher(name) for name in "abcd"]
    answer = await ask(fakes, shape=SlateShape(budgets=Budgets(files=2)))

    assert sum(calls(fake, "slate") for fake in fakes) == 2
    assert len(shown(answer)) == 2


async def test_so_many_repositories_are_searched_as_were_asked_for() -> None:
    fakes = [searcher(name, "token" if name < "e" else "x token") for name in "abcdefgh"]
    fakes += [searcher(name, "x") for name in "ijkl"]
    answer = await ask(fakes, request(max_repos=5))
    searched = {fake.name for fake in fakes if calls(fake, "search")}

    assert len(searched) < 8
    assert {fake.name for fake in fakes if calls(fake, "slate")} <= searched
    assert {name.partition(":")[0] for name in shown(answer)} <= searched
    assert "max_repos" in {item.limit.code for item in answer.limits_hit}


async def test_the_answer_is_a_searchs_with_a_slate_in_the_place_of_its_lists() -> None:
    """Readers of the one find their way in the other."""
    result = (await ask([searcher("a")])).to_json()

    assert result["format"] == "slate"
    assert result["slate"]["level"] == 1
    assert not {"results", "code", "prose", "extractedProse", "records"} & set(result)
    assert {"meta", "repos", "diagnostics", "limits_hit", "confidence"} <= set(result)


async def test_cuts_that_repositories_made_are_told_with_their_names() -> None:
    many = searcher("a", *(f"token {n}" for n in range(9)))
    answer = await ask([many, searcher("b")], shape=SlateShape(budgets=Budgets(files=3)))
    ours, (theirs,) = (
        [item.limit for item in answer.limits_hit if bool(item.repo_id) is named]
        for named in (False, True)
    )

    assert theirs == LimitHit("max_slate_files", 3, 9)
    assert ours == [LimitHit("max_slate_files", 3, 5)]


async def test_a_named_budget_is_kept_and_one_beyond_its_cap_is_told_once() -> None:
    shape = SlateShape(budgets=Budgets(total_bytes=50_000, files=10_000))
    answer = await ask([searcher("a"), searcher("b")], shape=shape)

    assert answer.limits_hit == (RepoLimit(LimitHit("max_slate_files", 100, 10_000)),)
    assert answer.slate is not None
    assert answer.slate.limits.total_bytes == 50_000


async def test_an_impossible_shape_is_refused_before_anybody_is_asked() -> None:
    fake = searcher("a")
    for shape in (SlateShape(4), SlateShape(budgets=Budgets(total_bytes=9))):
        with pytest.raises(InvalidRequest):
            await ask([fake], shape=shape)

    assert fake.asked == []


async def test_many_repositories_leave_room_for_what_is_said_of_them() -> None:
    text = "token " * 600
    fakes = [searcher(f"r{n:02}", *[text] * 3) for n in range(30)]
    answer = await ask(fakes)
    assert answer.slate is not None

    assert answer.slate.limits.total_bytes < 60_416
    assert len(document(answer)) <= 65_536


def test_how_long_it_took_changes_no_byte_of_the_slate() -> None:
    async def slow(_: str) -> None:
        await anyio.sleep(1.2345)

    def slate(pause: Callable[[str], Awaitable[object]] | None) -> object:
        fakes = [searcher(f"r{n:02}", *["token " * 600] * 3, pause=pause) for n in range(20)]
        result, _ = timed(lambda: ask(fakes, request(stats=True), clock=VirtualClock()))
        return result.to_json()["slate"]

    assert slate(None) == slate(slow)


async def test_no_match_gives_an_empty_slate_that_says_how_the_question_was_read() -> None:
    fakes = [searcher("b", "words"), searcher("a", "other")]
    answer = await ask(fakes)
    assert answer.slate is not None

    assert answer.slate.sections == ()
    assert (answer.slate.overview.terms, answer.slate.overview.kind) == (("token",), "words")
    assert answer.confidence is Confidence.NONE
    assert answer.exit_status == 0
    assert [calls(fake, "slate") for fake in fakes] == [0, 1]


@pytest.mark.parametrize(("keep_weak", "number"), [(False, 0), (True, 8)])
async def test_an_answer_that_nobody_believes_shows_nothing_unless_asked_to(
    keep_weak: bool, number: int
) -> None:
    texts = [f"token {n}" for n in range(4)]
    fakes = [Doubtful(name, rows(name, *texts)) for name in "ab"]
    answer = await ask(fakes, request(search={"keep_weak": keep_weak}))

    assert answer.confidence is Confidence.NONE
    assert len(shown(answer)) == number
    cut = (RepoLimit(LimitHit("low_confidence", 0, 8)),)
    assert keep_weak or answer.limits_hit == cut


async def test_a_repository_without_an_index_is_named_and_the_others_stay() -> None:
    """If no other stays, the answer has the shape of a failed search."""
    answer = await ask([searcher("a"), searcher("b", snapshot_id=None)])
    failed = (await ask([searcher("b", snapshot_id=None)])).to_json()

    assert statuses(answer) == {"a": "ok", "b": "missing_index"}
    assert errors(answer) == [("NO_INDEX", repo("b").repo_id)]
    assert sorted(shown(answer)) == ["a:a0.py", "a:a1.py"]
    assert (failed["ok"], failed["code"]) == (False, "NO_INDEX")
    assert not {"slate", "format"} & set(failed)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GgrepError("cannot read /srv/b/secret.db"), "internal"),
        (SnapshotGone("it is gone"), "snapshot_gone"),
        (NoIndex("removed"), "NO_INDEX"),
        (ZeroDivisionError("a bug"), "internal"),
    ],
)
async def test_a_repository_that_fails_with_its_slate_is_named_and_the_others_stay(
    error: Exception, code: str
) -> None:
    """Its hits are known, but nothing may be shown of them, nor of the paths of its machine."""
    ill = searcher("b", fail={"slate": [error]})
    answer = await ask([searcher("a"), ill, searcher("c")])

    assert errors(answer) == [(code, repo("b").repo_id)]
    assert answer.errors[0].message.startswith("no slate: ")
    assert {name.partition(":")[0] for name in shown(answer)} == {"a", "c"}
    assert answer.ok
    assert b"/srv" not in document(answer)


async def test_if_all_slates_fail_the_request_fails_as_a_search_does() -> None:
    failures = {"a": NoIndex("removed"), "b": GgrepError("broken"), "c": GgrepError("late")}
    fakes = [searcher(name, fail={"slate": [each]}) for name, each in failures.items()]
    answer = await ask([*fakes, searcher("d", "nothing of it")])
    document = answer.to_json()

    assert (answer.ok, answer.exit_status, str(answer.error)) == (False, 1, "broken")
    assert answer.confidence is Confidence.NONE
    assert sorted(item.message for item in answer.errors) == [
        "no slate: broken",
        "no slate: late",
        "no slate: removed",
    ]
    assert not {"slate", "format", "confidence"} & set(document)


async def test_a_failed_interpretation_of_a_query_without_hits_is_no_failure() -> None:
    """The search has answered: nothing matches."""
    fake = searcher("a", "other", fail={"slate": [GgrepError("broken")]})
    answer = await ask([fake])

    assert answer.ok
    assert shown(answer) == []


@pytest.mark.parametrize("step", ["describe", "search", "slate"])
async def test_a_strict_request_fails_with_the_first_failure(step: str) -> None:
    ill = searcher("b", fail={step: [GgrepError("broken pipe")]})
    answer = await ask([searcher("a"), ill], request(strict=True))

    assert (answer.ok, answer.slate) == (False, None)
    assert answer.exit_status == 1
    assert "broken pipe" in str(answer.error)


def test_a_repository_that_never_gives_its_slate_costs_no_more_than_the_deadline() -> None:
    ill = searcher("b", pause=hanging_at("slate"))
    asked = request(search={"timeout_ms": TIMEOUT_MS})

    result, elapsed_ms = timed(
        lambda: ask([searcher("a"), ill, searcher("c")], asked, clock=VirtualClock())
    )

    assert TIMEOUT_MS - 2 * MERGE_RESERVE_MS <= elapsed_ms <= TIMEOUT_MS
    assert errors(result) == [("timeout", repo("b").repo_id)]
    assert {name.partition(":")[0] for name in shown(result)} == {"a", "c"}


def test_a_repository_that_never_gives_its_hits_leaves_time_for_slates() -> None:
    ill = searcher("b", pause=hanging_at("search"))
    asked = request(search={"timeout_ms": TIMEOUT_MS})

    result, elapsed_ms = timed(lambda: ask([searcher("a"), ill], asked, clock=VirtualClock()))

    assert elapsed_ms < 0.7 * TIMEOUT_MS
    assert statuses(result) == {"a": "ok", "b": "timeout"}
    assert sorted(shown(result)) == ["a:a0.py", "a:a1.py"]


def test_times_are_those_of_search_and_slates_together() -> None:
    async def slow(method: str) -> None:
        await anyio.sleep(1.0 if method == "slate" else 0.0)

    asked = request(stats=True)
    result, elapsed_ms = timed(
        lambda: ask([searcher("a", pause=slow), searcher("b")], asked, clock=VirtualClock())
    )
    stats = result.to_json()["stats"]
    repos = {name[0]: row["elapsedMs"] for name, row in stats["repos"].items()}

    assert stats["elapsedMs"] == elapsed_ms == 1_000
    assert repos == {"a": 1_000, "b": 0}


def test_a_deadline_beats_the_timeout() -> None:
    ill = searcher("b", pause=hanging_at("slate"))

    async def work() -> FederatedSlate:
        deadline = Deadline.after(VirtualClock(), 2_000)
        asked = request(search={"timeout_ms": TIMEOUT_MS}, deadline=deadline)
        return await ask([searcher("a"), ill], asked, clock=VirtualClock())

    result, elapsed_ms = timed(work)

    assert 1_800 <= elapsed_ms <= 2_000
    assert sorted(shown(result)) == ["a:a0.py", "a:a1.py"]


@given(
    st.lists(st.integers(0, 5), min_size=4, max_size=4),
    st.permutations("abcd"),
    st.sampled_from(STRATEGIES),
    st.sampled_from([0, 1, 2, 3]),
)
def test_the_order_in_which_repositories_answer_changes_no_byte(
    waits: list[int], order: list[str], strategy: str, level: int
) -> None:
    asked = request(merge_strategy=strategy, search={"deterministic": True})
    shape = SlateShape(level, Budgets(files=5))

    def fakes(pauses: Sequence[int]) -> list[FakeSearcher]:
        return [
            searcher(name, "token", f"token {name}", "token other", pause=checkpoints(number))
            for name, number in zip("abcd", pauses, strict=True)
        ]

    async def work() -> tuple[bytes, bytes]:
        plain, late = fakes([0] * 4), fakes(waits)
        late.sort(key=lambda fake: order.index(fake.name))
        return document(await ask(plain, asked, shape)), document(await ask(late, asked, shape))

    first, other = run_virtually(work)

    assert first == other


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_what_is_remembered_changes_no_byte_and_asks_nobody_twice(strategy: str) -> None:
    """A second slate of the same question costs its slates alone."""
    memory = CoordinatorCache()
    fakes = [searcher(name, has_vectors=True) for name in "ab"]
    asked = request(merge_strategy=strategy, search={"deterministic": True})
    first = await ask(fakes, asked, memory=memory)
    counts = {name: calls(fakes[0], name) for name in ("term_stats", "encode", "search")}
    second = await ask(fakes, asked, memory=memory)

    assert second.from_memory
    assert document(first) == document(second)
    assert {name: calls(fakes[0], name) for name in counts} == counts
    assert asked_of(fakes[0])[0] == asked_of(fakes[0])[1]


async def test_another_level_of_the_same_slate_asks_for_slates_alone() -> None:
    memory = CoordinatorCache()
    fakes = [searcher(name, has_vectors=True) for name in "ab"]
    await ask(fakes, request(merge_strategy="global"), memory=memory)
    counts = [[calls(fake, name) for name in ("encode", "search")] for fake in fakes]
    await ask(fakes, request(merge_strategy="global"), SlateShape(2), memory=memory)

    assert [[calls(fake, name) for name in ("encode", "search")] for fake in fakes] == counts
    assert [calls(fake, "slate") for fake in fakes] == [2, 2]
