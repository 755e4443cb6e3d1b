"""Merging: both strategies, every tie, folded or not, and filled up again."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan, CorpusCohort
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.merge import (
    Lists,
    Merged,
    MergedHit,
    RankedList,
    Rules,
    lists_of,
    merge_global,
    merge_lists,
    merge_rrf,
    rrf_score,
    unfinished,
)
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.workspace_draft import GLOBAL, STRATEGIES, MergeDefaults
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.limits import LimitHit
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.model.response import Hit, PoolResponse
from tests.fakes.coordinated import ask, calls, files, pools, request, searcher, statuses
from tests.fakes.searchers import (
    FakeRow,
    FakeSearcher,
    figures_of,
    hit,
    repo,
    score_rows,
    workspace,
)


def short_ranked(name: str, *hits: Hit, priority: int = 0) -> RankedList:
    return RankedList(RepoId(name), name.upper(), priority, hits)


def rrf(*lists: RankedList, per_repo_top: int = 20) -> list[str]:
    return row_ids(merge_rrf(lists, rrf_k=60, per_repo_top=per_repo_top))


def row_ids(merged: tuple[MergedHit, ...]) -> list[str]:
    return [item.hit.row_id for item in merged]


def test_rrf_scores_by_place_alone() -> None:
    (first, second) = merge_rrf([short_ranked("a", hit("x"), hit("y"))], rrf_k=60, per_repo_top=9)

    assert (first.score, second.score) == (round(1 / 61, 12), round(1 / 62, 12))
    assert (first.local_score, first.local_rank, second.local_rank) == (0.5, 0, 1)
    assert (first.global_id, first.repo_alias) == ("a:x", "A")
    assert rrf_score(0, 1) == 0.5


@pytest.mark.parametrize(
    ("lists", "order"),
    [
        # The workspace author's will beats the alphabet.
        ((short_ranked("a", hit("a0")), short_ranked("z", hit("z0"), priority=5)), ["z0", "a0"]),
        ((short_ranked("b", hit("x")), short_ranked("a", hit("y"))), ["y", "x"]),
        ((short_ranked("a", hit("z"), hit("m"), hit("a")),), ["z", "m", "a"]),
    ],
)
def test_equal_ranks_fall_to_priority_and_then_to_repo_id(
    lists: tuple[RankedList, ...], order: list[str]
) -> None:
    assert rrf(*lists) == order


def test_hit_id_file_and_start_break_ties_of_one_repository_fed_twice() -> None:
    """The end of the contract's chain, which only odd feeds reach."""
    same = [short_ranked("a", hit(i, path, start)) for i, path, start in TIED]

    assert [(m.hit.row_id, m.hit.path, m.hit.start_line) for m in merged_all(same)] == sorted(TIED)


TIED = [("2", "a.py", 1), ("1", "b.py", 1), ("1", "a.py", 10), ("1", "a.py", 9)]


def merged_all(lists: list[RankedList]) -> tuple[MergedHit, ...]:
    return merge_rrf(lists, rrf_k=60, per_repo_top=99)


def test_lists_are_cut_before_the_merge() -> None:
    lists = [
        short_ranked("a", hit("a0"), hit("a1"), hit("a2")),
        short_ranked("b", hit("b0"), hit("b1")),
    ]

    assert rrf(*lists, per_repo_top=1) == ["a0", "b0"]
    assert rrf(*lists) == ["a0", "b0", "a1", "b1", "a2"]
    assert rrf(*lists, per_repo_top=0) == []


def test_global_breaks_ties_as_one_store_does_and_the_repository_comes_last() -> None:
    """Secondary score, path by bytes, line, row; then the repository. Priority never counts."""
    hits = [
        ("a", hit("9", "b.py", 1, lexical_score=0.0)),
        ("b", hit("9", "b.py", 1, lexical_score=0.0)),
        ("a", hit("8", "b.py", 1, lexical_score=0.0)),
        ("a", hit("0", "b.py", 2, lexical_score=0.0)),
        ("a", hit("0", "\uffff.py", 1, lexical_score=0.0)),
        ("a", hit("0", "\U00010000.py", 1, lexical_score=0.0)),
        ("z", hit("0", "zzz.py", 1, lexical_score=0.5)),
    ]
    lists = [short_ranked(name, item, priority=ord(name)) for name, item in hits]

    merged = merge_global(lists, per_repo_top=99)

    assert [(m.repo_id, m.hit.row_id, m.hit.path) for m in merged] == [
        ("z", "0", "zzz.py"),
        ("a", "8", "b.py"),
        ("a", "9", "b.py"),
        ("b", "9", "b.py"),
        ("a", "0", "b.py"),
        ("a", "0", "\uffff.py"),
        ("a", "0", "\U00010000.py"),
    ]


HITS = st.builds(
    hit,
    st.sampled_from("0123"),
    st.sampled_from(["a.py", "b.py"]),
    st.integers(1, 3),
    score=st.sampled_from([0.1, 0.2]),
    lexical_score=st.sampled_from([0.0, 0.1]),
)


@st.composite
def some_lists(draw: st.DrawFn) -> list[RankedList]:
    names = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=4))
    lists = []
    for name in names:
        hits = draw(st.lists(HITS, max_size=4, unique_by=lambda h: h.row_id))
        lists.append(short_ranked(name, *hits, priority=draw(st.integers(0, 1))))
    return lists


@pytest.mark.slow
@given(some_lists(), st.randoms(use_true_random=False), st.integers(0, 4))
def test_the_order_of_arrival_never_shows(
    lists: list[RankedList], chance: object, per_repo_top: int
) -> None:
    shuffled = list(lists)
    chance.shuffle(shuffled)
    bounds = {"per_repo_top": per_repo_top}

    assert merge_rrf(lists, rrf_k=60, **bounds) == merge_rrf(shuffled, rrf_k=60, **bounds)
    assert merge_global(lists, **bounds) == merge_global(shuffled, **bounds)


@pytest.mark.slow
@given(some_lists())
def test_both_orders_are_total(lists: list[RankedList]) -> None:
    """All hits are there, best first; none comes twice."""
    total = sum(len(item.hits) for item in lists)
    whole = {
        "rrf": merge_rrf(lists, rrf_k=60, per_repo_top=99),
        "global": merge_global(lists, per_repo_top=99),
    }

    for name, merged in whole.items():
        assert len({item.global_id for item in merged}) == total, name
        assert all(each.score >= two.score for each, two in pairwise(merged)), name


@pytest.mark.slow
@given(some_lists())
def test_the_value_of_k_never_changes_the_order_of_rrf(lists: list[RankedList]) -> None:
    """Known limit of the contract's formula: k only scales the score."""
    orders = {
        tuple(m.global_id for m in merge_rrf(lists, rrf_k=k, per_repo_top=99))
        for k in (1, 60, 1000)
    }

    assert len(orders) == 1


A, B = RepoId("a-000000000000"), RepoId("b-000000000000")


def rules(strategy: str = "global", **fields: object) -> Rules:
    given: dict[str, object] = {
        "strategy": strategy,
        "mode": Mode.BALANCED,
        "top": 10,
        "per_file": 3,
        "rrf_k": 60,
        "per_repo_top": 20,
        "folds": False,
    }
    return Rules(**(given | fields))  # type: ignore[arg-type]  # named by each test


def ranked(repo_id: RepoId, *hits: Hit, priority: int = 0) -> RankedList:
    return RankedList(repo_id, repo_id[0], priority, hits)


def lists(*of: RankedList) -> Lists:
    return Lists(((Corpus.CODE, of),), of)


def scored(name: str, score: float, **fields: object) -> Hit:
    return hit(name, f"{name}.py", score=score, **fields)


def names(merged: Merged) -> list[str]:
    return [item.hit.row_id for item in merged.hits]


GIVEN = lists(
    ranked(A, scored("a0", 9.0, lexical_score=1.0), scored("a1", 8.0, lexical_score=5.0)),
    ranked(B, scored("b0", 3.0, lexical_score=9.0), scored("b1", 2.0)),
)


def test_the_blended_list_deals_quotas_over_all_repositories() -> None:
    code = [ranked(name, *(scored(f"{name[0]}{i}", 0.9) for i in range(4))) for name in (A, B)]
    prose = ranked(A, scored("p", 0.1, corpus=Corpus.PROSE))
    given = Lists(((Corpus.CODE, tuple(code)), (Corpus.PROSE, (prose,))), ())
    merged = merge_lists(given, rules("global", mode=Mode.IMPLEMENTATION, top=5))

    assert "p" in names(merged)
    assert len(merged.hits) == 5


@pytest.mark.parametrize(
    ("strategy", "merge", "order"),
    [
        ("global", merge_global, ["a0", "a1", "b0", "b1"]),
        ("rrf", partial(merge_rrf, rrf_k=60), ["a0", "b0", "a1", "b1"]),
    ],
)
def test_global_goes_by_score_and_rrf_by_rank_alone(
    strategy: str, merge: Callable[..., tuple[MergedHit, ...]], order: list[str]
) -> None:
    merged = merge_lists(GIVEN, rules(strategy))

    assert names(merged) == order
    assert merged.hits == merge(GIVEN.blended, per_repo_top=20)[:10]
    assert merged.corpora == ((Corpus.CODE, merged.hits),)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_more_than_wanted_is_returned_and_of_a_repository_no_more_than_allowed(
    strategy: str,
) -> None:
    merged = merge_lists(GIVEN, rules(strategy, top=3))

    assert len(merged.hits) == 3
    assert [len(hits) for _, hits in merged.corpora] == [3]
    assert sorted(names(merge_lists(GIVEN, rules(strategy, per_repo_top=1)))) == ["a0", "b0"]


def test_blended_lists_of_one_scale_are_dealt_anew_and_those_of_ranks_are_not() -> None:
    files = tuple(hit(f"a{n}", "same.py", start=n * 9, score=9.0 - n) for n in range(5))
    of = ranked(A, *files)
    dealt = merge_lists(Lists(((Corpus.CODE, (of,)),), ()), rules("global", per_file=2))

    assert names(dealt) == ["a0", "a1"]

    of = ranked(A, *(hit(f"a{n}", "same.py", start=n * 9) for n in range(5)))
    merged = merge_lists(Lists((), (of,)), rules("rrf", per_file=2))

    assert names(merged) == ["a0", "a1", "a2", "a3", "a4"]

    of = [ranked(r, *(hit(f"{r[0]}{n}", "same.py", n * 9) for n in range(2))) for r in (A, B)]
    merged = merge_lists(lists(*of), rules("global", per_file=1))

    assert names(merged) == ["a0", "b0"]


COPIES = lists(
    ranked(A, scored("a0", 9.0, chunk_id="same"), scored("a1", 5.0)),
    ranked(B, scored("b0", 8.0, chunk_id="same"), scored("b1", 4.0)),
)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_copies_are_folded_where_that_is_wanted(strategy: str) -> None:
    merged = merge_lists(COPIES, rules(strategy, folds=True))

    for hits in (merged.hits, merged.corpora[0][1]):
        assert sorted(item.hit.row_id for item in hits) == ["a0", "a1", "b1"]
        (kept,) = (item for item in hits if item.hit.row_id == "a0")
        assert [copy.row_id for copy in kept.also_in] == ["b0"]


def test_places_that_folding_frees_are_taken_by_others_in_every_list() -> None:
    merged = merge_lists(COPIES, rules(folds=True, top=2))

    assert names(merged) == ["a0", "a1"]
    assert [item.hit.row_id for item in merged.corpora[0][1]] == ["a0", "a1"]


def test_folding_comes_before_the_limit_of_a_file() -> None:
    """A folded copy takes no place of its file."""
    a = ranked(A, scored("a0", 9.0, chunk_id="same"))
    b = ranked(
        B,
        hit("b0", "b.py", 1, score=8.0, chunk_id="same"),
        hit("b1", "b.py", 9, score=7.0),
    )

    assert names(merge_lists(lists(a, b), rules(folds=True, per_file=1))) == ["a0", "b1"]


@pytest.mark.parametrize(
    ("change", "asked", "named"),
    [
        ({"folds": True}, 4, (B,)),
        ({"folds": False}, 4, ()),
        ({"folds": True, "strategy": "rrf"}, 4, ()),
        ({"folds": True, "top": 1}, 4, ()),
        ({"folds": True}, 5, ()),
    ],
)
def test_lists_that_folding_used_up_and_no_others_are_named(
    change: dict[str, object], asked: int, named: tuple[RepoId, ...]
) -> None:
    """Their repositories may hold more that would be shown."""
    a = ranked(A, scored("a0", 9.0, chunk_id="same"))
    b = ranked(B, *(scored(f"b{n}", 8.0 - n, chunk_id="same") for n in range(4)))

    assert unfinished(lists(a, b), rules(**({"top": 2} | change)), {A: 4, B: asked}) == named


async def pools_of(*searchers: FakeSearcher, query: str = "token") -> dict[RepoId, object]:
    never = Deadline.never(SystemClock())
    return {
        repo(fake.name).repo_id: await fake.search(PoolRequest(SearchRequest(query), 9), never)
        for fake in searchers
    }


def plan(**admitted: Sequence[RepoId]) -> CohortPlan:
    named = {corpus: admitted.get(corpus.name.lower(), ()) for corpus in CORPORA}
    cohorts = [CorpusCohort(corpus, "k", tuple(ids), ()) for corpus, ids in named.items() if ids]
    return CohortPlan("default", tuple(cohorts), ())


async def test_only_the_admitted_take_part_in_a_corpus() -> None:
    """A repository may be admitted to one and not to the other."""
    fakes = [
        FakeSearcher(
            name,
            [
                FakeRow(f"{name}c", "c.py", 1, ("token",)),
                FakeRow(f"{name}p", "p.md", 1, ("token",), Corpus.PROSE),
            ],
        )
        for name in "ab"
    ]
    result = lists_of(
        plan(code=(A, B), prose=(A,)),
        {A: repo("a"), B: repo("b")},
        await pools_of(*fakes),  # type: ignore[arg-type]  # pools they are
    )

    assert [[r.repo_id for r in of] for _, of in result.corpora] == [[A, B], [A]]
    assert [[h.row_id for h in r.hits] for r in result.blended] == [["ac", "ap"], ["bc"]]
    assert result.longest == 2


async def test_who_gave_nothing_takes_no_part() -> None:
    result = lists_of(
        plan(code=(A, B)),
        {A: repo("a"), B: repo("b")},
        await pools_of(searcher("b")),  # type: ignore[arg-type]  # pools they are
    )

    assert [r.repo_id for _, of in result.corpora for r in of] == [B]
    assert [r.repo_id for r in result.blended] == [B]


def test_the_longest_list_may_be_that_of_a_corpus() -> None:
    assert Lists((), ()).longest == 0
    assert Lists(GIVEN.corpora, ()).longest == 2


def copies(name: str, number: int, *words: str, chunk: str = "same") -> list[FakeRow]:
    return [
        FakeRow(f"{name}{n}", f"{name}{n}.py", 1, words or ("token",), chunk=chunk)
        for n in range(number)
    ]


def vendoring(number: int) -> list[FakeSearcher]:
    ours = [FakeRow(f"z{n}", f"z{n}.py", 1, ("token", *"xyz")) for n in range(3)]
    return [
        FakeSearcher("a", [FakeRow("a", "a.py", 1, ("token", "token"), chunk="same")]),
        FakeSearcher("b", [*copies("b", number), *ours]),
    ]


async def test_a_list_that_was_used_up_is_asked_for_twice_the_length() -> None:
    fakes = vendoring(9)
    answer = await ask(fakes, request(merge_strategy="global", top=3, search={"per_file": 0}))

    assert [pool.per_list for pool in pools(fakes[1])] == [6, 12]
    assert [pool.per_list for pool in pools(fakes[0])] == [6]
    assert files(answer) == ["a.py", "z0.py", "z1.py"]
    assert len(answer.hits[0].also_in) == 9
    assert "fold_refill" not in [entry.limit.code for entry in answer.limits_hit]


async def test_longer_lists_are_of_the_same_snapshot_and_figures() -> None:
    """Otherwise they would not fit those that are there."""
    fakes = vendoring(9)
    await ask(fakes, request(merge_strategy="global", top=3))
    first, second = pools(fakes[1])

    assert (second.snapshot_id, second.statistics) == (first.snapshot_id, first.statistics)
    assert second.search == first.search


@pytest.mark.parametrize(
    ("strategy", "fold", "shown"),
    [("rrf", True, ["a.py"]), ("global", False, ["a.py", "b0.py", "b1.py"])],
)
async def test_rrf_and_global_without_folding_ask_once(
    strategy: str, fold: bool, shown: list[str]
) -> None:
    fakes = vendoring(9)
    answer = await ask(fakes, request(merge_strategy=strategy, top=3, fold=fold))

    assert [calls(fake, "search") for fake in fakes] == [1, 1]
    assert files(answer) == shown


@pytest.mark.parametrize(
    ("length", "code"), [(2, "per_repo_top"), *((n, "fold_refill") for n in (3, 4))]
)
async def test_a_length_that_the_request_names_is_kept_and_the_cut_told(
    length: int, code: str
) -> None:
    fakes = vendoring(9)
    answer = await ask(fakes, request(merge_strategy="global", top=3, per_repo_top=length))

    assert [pool.per_list for pool in pools(fakes[1])] == [length]
    assert files(answer) == ["a.py"]
    assert [entry.limit.code for entry in answer.limits_hit] == [code]
    assert code == "per_repo_top" or answer.limits_hit == (RepoLimit(LimitHit(code, length), B),)


@pytest.mark.parametrize("failure", ["error", "published"])
async def test_who_cannot_give_longer_lists_has_not_failed(failure: str) -> None:
    fakes = vendoring(9)

    async def pause(method: str) -> None:
        if method == "search" and calls(fakes[1], "search") == 2:
            fakes[1].snapshot_id = "S2"
            if failure == "error":
                raise GgrepError("broken")

    fakes[1].pause = pause
    answer = await ask(fakes, request(merge_strategy="global", top=3))

    assert statuses(answer) == {"a": "ok", "b": "ok"}
    assert files(answer) == ["a.py"]
    assert answer.limits_hit == (RepoLimit(LimitHit("fold_refill", 6), B),)


async def test_the_longest_list_there_is_ends_the_asking() -> None:
    fakes = vendoring(1_100)
    answer = await ask(fakes, request(merge_strategy="global", top=3))
    lengths = [pool.per_list for pool in pools(fakes[1])]

    assert lengths == [min(6 * 2**n, 1_000) for n in range(len(lengths))]
    assert lengths[-1] == 1_000
    assert answer.limits_hit == (RepoLimit(LimitHit("fold_refill", 1_000), B),)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_what_is_in_force_is_said(strategy: str) -> None:
    answer = await ask([searcher("a"), searcher("b")], request(merge_strategy=strategy, top=4))
    meta = answer.to_json()["meta"]

    assert meta["merge"] == {"strategy": strategy, "rrfK": 60, "fold": strategy == GLOBAL}
    assert meta["limits"] == {"top": 4, "perRepoTop": 8, "concurrency": 4, "maxRepos": 0}


@pytest.mark.parametrize("name", ["", "evidence"])
async def test_an_answer_warns_of_a_removed_strategy_in_the_file(name: str) -> None:
    known = workspace(repo("a"), merge=MergeDefaults("global"))

    answer = await ask([searcher("a")], known=replace(known, removed_strategy=name))

    codes = [warning.code for warning in answer.warnings]
    assert ("WARN_WORKSPACE_MERGE_STRATEGY_REMOVED" in codes) is bool(name)
    assert answer.strategy == "global"


async def test_copies_inside_one_repository_stay_apart() -> None:
    fake = FakeSearcher("a", copies("a", 3))
    answer = await ask([fake, searcher("b", "other")], request(merge_strategy="global", top=9))

    assert files(answer) == ["a0.py", "a1.py", "a2.py"]
    assert calls(fake, "search") == 1

    rows = copies("a", 2)

    assert len({score for score, _ in score_rows(rows, "token", figures_of(rows, "token"))}) == 1


class Unpinned(FakeSearcher):
    """Publishes after each search, and looks at no snapshot that is named."""

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        answer = await FakeSearcher.search(self, replace(request, snapshot_id=None), deadline)
        self.snapshot_id = f"{self.snapshot_id}+"
        return answer


async def test_longer_lists_of_another_snapshot_are_left_out() -> None:
    plain, moving = vendoring(9)
    fakes = [plain, Unpinned("b", moving.rows)]
    answer = await ask(fakes, request(merge_strategy="global", top=3, search={"per_file": 0}))

    assert len(answer.hits[0].also_in) == 6
    assert "fold_refill" in [entry.limit.code for entry in answer.limits_hit]


async def unsaid(
    *names: str, merge: MergeDefaults | None = None, asked: FederatedRequest | None = None
) -> bool:
    known = workspace(*map(repo, names), merge=merge)
    response = await ask([searcher(name) for name in names], asked or request(), known=known)
    return response.merge_unsaid


async def test_a_strategy_is_unset_where_neither_file_nor_request_sets_it() -> None:
    assert await unsaid("a", "b")
    assert not await unsaid("a")
    for choice in ({"strategy": "rrf"}, {"strategy": "global"}, {"rrf_k": 9}):
        assert not await unsaid("a", "b", merge=MergeDefaults(**choice))
    for choice in ({"merge_strategy": "rrf"}, {"rrf_k": 9}):
        assert not await unsaid("a", "b", asked=request(**choice))
