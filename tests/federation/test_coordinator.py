"""The coordinator: the contract's minimum tests, and one collection of many repositories."""

from collections.abc import Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import (
    DeadlineExceeded,
    GgrepError,
    Incompatible,
    InvalidRequest,
    NoIndex,
    WorkspaceError,
)
from ggrep.federation import answer_assembly as assembly
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.workspace_draft import MergeDefaults
from ggrep.interfaces.cli.queries.workspace_query import notices_of
from ggrep.model.confidence import Confidence
from ggrep.model.corpus import CORPORA, Corpus, Mode, bucket_of, select
from ggrep.model.files import GUESSED
from ggrep.model.limits import UNSEEN, LimitHit, Notice, Unseen
from ggrep.model.request import RepoStatistics, StatisticsRequest
from tests.fakes.coordinated import ask, files, hanging_at, pools, request, rows, searcher, statuses
from tests.fakes.searchers import (
    FakeRow,
    FakeSearcher,
    checkpoints,
    figures_of,
    for_ever,
    repo,
    score_rows,
    workspace,
)


def codes(response: FederatedResponse) -> list[str]:
    return [item.code for item in (*response.warnings, *response.errors)]


async def test_words_that_no_repository_contains_are_named_once() -> None:
    """A word that one of them has is not missing; a failed one, or one left out, may have it."""
    first = searcher("a", lacking=("aB", "cD"))
    whole = await ask([first, searcher("b", lacking=("cD",))])
    partly = await ask([first, searcher("b", fail={"search": [NoIndex("gone")]})])
    chosen = await ask([first, searcher("b")], request(only=("a",)))

    messages = [
        [item.message for item in answer.warnings if item.code == "unknown_words"]
        for answer in (whole, partly, chosen)
    ]
    assert messages == [
        ["no repository contains `cD`"],
        ["no repository among those searched contains `aB`, `cD`"],
        ["no repository among those searched contains `aB`, `cD`"],
    ]


async def test_two_repositories_both_answer_and_every_hit_says_whose_it_is() -> None:
    """Minimum test 1."""
    response = await ask([searcher("a"), searcher("b")])

    document = response.to_json()
    assert {hit["repoId"] for hit in document["code"]} == {"a-000000000000", "b-000000000000"}
    for hit in [*document["code"], *document["results"]]:
        assert hit["globalId"] == f"{hit['repoId']}:{hit['id']}"
        assert hit["repoAlias"] in {"a", "b"}
    assert statuses(response) == {"a": "ok", "b": "ok"}


async def test_selection_reaches_disabled_tags_and_globs() -> None:
    """Minimum test 2, through the coordinator."""
    repos = [repo("a", tags=("x",)), repo("b", enabled=False, tags=("y",)), repo("c")]
    fakes = [searcher("a"), searcher("b"), searcher("c")]

    by_select = await ask(fakes, request(select=("b",)), known=workspace(*repos))
    by_tag = await ask(fakes, request(tags=("x", "y")), known=workspace(*repos))
    by_glob = await ask(fakes, request(repo_filter=("c*",)), known=workspace(*repos))

    assert statuses(by_select) == {"a": "ok", "b": "ok", "c": "ok"}
    assert statuses(by_tag) == {"a": "ok"}
    assert statuses(by_glob) == {"c": "ok"}


async def test_a_guess_about_a_shown_file_is_told_with_its_repository() -> None:
    old = FakeRow("a0", "a0.c", 1, ("token",), content="token", traits=GUESSED)

    response = await ask([FakeSearcher("a", [old]), searcher("b")])

    [reports] = [each for each in response.warnings if each.code == "guessed_encoding"]
    assert reports.repo_id == "a-000000000000"
    assert reports.message.startswith("encoding was guessed for a0.c (utf-8);")


async def test_repositories_are_asked_for_more_than_is_shown() -> None:
    """Minimum test 3: top 10, perRepoTop 20."""
    fake = searcher("a", *["token"] * 30)
    response = await ask([fake], request(top=10))

    assert [pool.per_list for pool in pools(fake)] == [20]
    assert len(response.hits) == 10
    limits = {"top": 10, "perRepoTop": 20, "concurrency": 4, "maxRepos": 0}
    assert response.to_json()["meta"]["limits"] == limits


@pytest.mark.slow
@given(
    st.permutations(["a", "b", "c", "d"]),
    st.lists(st.integers(0, 6), min_size=4, max_size=4),
    st.integers(1, 4),
    st.sampled_from(["rrf", "global"]),
)
def test_json_is_byte_identical_whatever_the_order_of_arrival_and_of_the_file(
    order: list[str], steps: list[int], concurrency: int, strategy: str
) -> None:
    """Minimum test 4 and promise P5."""

    async def run(names: Sequence[str], pauses: Sequence[int], places: int) -> bytes:
        fakes = [
            searcher(n, pause=checkpoints(pause)) for n, pause in zip("abcd", pauses, strict=True)
        ]
        fakes[3].fail = {"search": [InvalidRequest("no")]}
        asked = request(merge_strategy=strategy, concurrency=places)
        response = await ask(
            fakes, asked, known=workspace(*(repo(n, i) for i, n in enumerate(names)))
        )
        document = response.to_json()
        document["meta"]["limits"]["concurrency"] = 0
        return stable_json.dumps(document)

    plain = anyio.run(run, list("abcd"), [0, 0, 0, 0], 4)
    shuffled = anyio.run(run, order, steps, concurrency)

    assert shuffled == plain


async def test_a_missing_index_fails_nothing_but_itself() -> None:
    """Minimum test 5."""
    response = await ask([searcher("a"), searcher("b", snapshot_id=None)])

    document = response.to_json()
    assert response.ok
    assert statuses(response) == {"a": "ok", "b": "missing_index"}
    assert document["repos"][1]["error"]["code"] == "NO_INDEX"
    assert document["repos"][1]["perMode"]["code"]["status"] == "missing_index"
    assert document["diagnostics"]["errors"][0]["repoId"] == "b-000000000000"


async def test_repositories_that_do_not_compare_are_gated_and_recorded() -> None:
    """Minimum test 6."""
    other = searcher("c", keys=("other", "lex", "schema"))

    response = await ask([searcher("a"), searcher("b"), other])

    document = response.to_json()
    by_mode = document["meta"]["cohort"]["byMode"]["code"]
    assert by_mode["excludedRepoIds"] == ["c-000000000000"]
    assert by_mode["cohortKey"]
    assert statuses(response)["c"] == "incompatible"
    assert "WARN_FEDERATED_MULTI_COHORT" in codes(response)
    assert document["repos"][2]["perMode"]["code"]["error"]["code"] == "incompatible"
    assert response.warnings[-1].repo_id == "c-000000000000"
    assert not [m for m, _ in other.asked if m == "search"]


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)
ROW = st.tuples(st.sampled_from(["x", "y", "z"]), WORDS, st.sampled_from(CORPORA))
STORE = st.lists(ROW, max_size=8)


@given(
    st.lists(STORE, min_size=1, max_size=4),
    st.sampled_from(list(Mode)),
    st.integers(0, 6),
    st.integers(0, 3),
    st.sampled_from([CORPORA, (Corpus.CODE,), (Corpus.PROSE, Corpus.RECORDS)]),
)
@pytest.mark.slow
def test_global_answers_as_one_store_over_all_files_would(
    stores: list[list[tuple[str, tuple[str, ...], Corpus]]],
    mode: Mode,
    top: int,
    per_file: int,
    corpora: tuple[Corpus, ...],
) -> None:
    """Promise P4: same hits, same order, same scores."""
    made = [
        [FakeRow(f"{n:02}", path, n, words, corpus) for n, (path, words, corpus) in enumerate(s)]
        for s in stores
    ]
    names = "abcd"[: len(made)]
    fakes = [FakeSearcher(name, item) for name, item in zip(names, made, strict=True)]
    search = {"mode": mode, "per_file": per_file, "corpora": corpora}

    response = anyio.run(
        ask, fakes, request("a b", search=search, top=top, merge_strategy="global", fold=False)
    )

    union = [row for item in made for row in item]
    owner = {id(row): name for name, item in zip(names, made, strict=True) for row in item}
    ranked = [
        (score, row)
        for score, row in score_rows(union, "a b", figures_of(union, "a b"))
        if row.corpus in corpora
    ]
    ranked.sort(key=lambda p: (-p[0], p[1].path, p[1].start, p[1].row_id, owner[id(p[1])]))
    expected = select(
        ranked,
        mode=mode,
        limit=top,
        per_file=per_file,
        bucket=lambda p: bucket_of(p[1].corpus),
        file=lambda p: (owner[id(p[1])], p[1].path),
    )
    assert [(m.repo_alias, m.hit.row_id, m.score) for m in response.hits] == [
        (owner[id(row)], row.row_id, score) for score, row in expected
    ]
    assert response.limits_hit == ()


async def test_global_scores_by_the_sum_of_all_figures() -> None:
    """A word that is rare in one repository and common in another has one weight."""
    fakes = [searcher("a", "token rare"), searcher("b", *["token"] * 5)]

    response = await ask(fakes, request("token rare", merge_strategy="global"))

    searched = [asked for fake in fakes for method, asked in fake.asked if method == "search"]
    assert {asked.statistics.chunks for asked in searched} == {6}
    assert {asked.snapshot_id for asked in searched} == {"S1"}
    assert files(response)[0] == "a0.py"
    meta = response.to_json()["meta"]
    assert meta["merge"] == {"strategy": "global", "rrfK": 60, "fold": True}
    assert meta["statistics"] == {"repoIds": ["a-000000000000", "b-000000000000"]}


async def test_the_workspace_file_chooses_the_strategy_unless_the_request_does() -> None:
    known = workspace(repo("a"), merge=MergeDefaults("global", 7))
    by_file = await ask([searcher("a")], known=known)
    by_request = await ask([searcher("a")], request(merge_strategy="rrf", rrf_k=9), known=known)
    plain = await ask([searcher("a")])

    assert (by_file.strategy, by_file.in_force.rrf_k) == ("global", 7)
    assert (by_request.strategy, by_request.in_force.rrf_k) == ("rrf", 9)
    assert (plain.strategy, plain.in_force.rrf_k) == ("rrf", 60)


class Publishing(FakeSearcher):
    """Publishes between being counted and being asked."""

    times = 1

    async def term_stats(self, asked: StatisticsRequest, deadline: Deadline) -> RepoStatistics:
        counted = await FakeSearcher.term_stats(self, asked, deadline)
        if self.times:
            self.times -= 1
            self.snapshot_id = f"{self.snapshot_id}+"
            self.rows = [*self.rows, *rows("new", "token new")]
        return counted


async def test_a_snapshot_that_went_is_counted_once_more_and_all_are_asked_again() -> None:
    """Lists measured against two collections must not be merged."""
    moving, still = Publishing("a", rows("a", "token")), searcher("b", "token")

    response = await ask([moving, still], request(merge_strategy="global"))

    assert "new0.py" in files(response)
    sums = [asked.statistics.chunks for m, asked in still.asked if m == "search"]
    assert sums == [2, 3]
    assert len({hit.score for hit in response.hits if hit.hit.path != "new0.py"}) == 1


async def test_a_snapshot_that_goes_twice_is_an_error_of_its_repository() -> None:
    """One retry is the bound; a repository under heavy writing must not hold up the rest."""
    moving = Publishing("a", rows("a", "token"))
    moving.times = 9

    response = await ask([moving, searcher("b")], request(merge_strategy="global"))

    assert statuses(response) == {"a": "error", "b": "ok"}
    assert response.errors[0].code == "snapshot_gone"


async def test_mixed_indexes_fall_back_to_ranks_and_say_so() -> None:
    """Ruling: the weaker rule, never silently."""
    fakes = [searcher("a"), searcher("b", keys=("other", "lex", "schema"))]
    response = await ask(fakes, request(merge_strategy="global", allow_unsafe_mix=True))

    merge = {"strategy": "rrf", "rrfK": 60, "fold": True, "requested": "global"}
    assert response.to_json()["meta"]["merge"] == merge
    assert response.strategy == "rrf"
    assert {"WARN_FEDERATED_MERGE_FALLBACK", "WARN_FEDERATED_UNSAFE_MIXING"} <= set(codes(response))
    assert statuses(response) == {"a": "ok", "b": "ok"}
    assert [pool.statistics for fake in fakes for pool in pools(fake)] == [None, None]


async def test_a_per_repo_top_too_small_to_be_exact_is_said() -> None:
    """Promise P4's last sentence."""
    fake = searcher("a", *["token"] * 9)
    asked = request(merge_strategy="global", per_repo_top=3, top=5)

    cut = await ask([fake], asked)
    whole = await ask([searcher("a", "token")], asked)

    assert [item.limit for item in cut.limits_hit] == [LimitHit("per_repo_top", 3, 5)]
    assert len(cut.hits) == 3
    assert whole.limits_hit == ()


async def test_by_default_global_asks_for_at_least_top() -> None:
    """The contract's formula gives 50 for a top of 200; top 0 runs and returns empty lists."""
    fake = searcher("a")

    await ask([fake], request(merge_strategy="global", top=200))
    await ask([fake], request(merge_strategy="rrf", top=200))

    assert [asked.per_list for m, asked in fake.asked if m == "search"] == [200, 50]

    nothing = await ask([searcher("a")], request(top=0))
    none_each = await ask([searcher("a")], request(per_repo_top=0))

    assert nothing.ok
    assert nothing.hits == none_each.hits == ()
    assert [item.limit.code for item in none_each.limits_hit] == ["per_repo_top"]


async def test_arrived_lists_survive_a_late_one() -> None:
    """Promise P7: partial answers say who is missing."""
    fakes = [searcher("a"), searcher("b", pause=hanging_at("search"))]
    response = await ask(fakes, request(search={"timeout_ms": 60}))

    assert statuses(response) == {"a": "ok", "b": "timeout"}
    assert {hit.repo_alias for hit in response.hits} == {"a"}
    assert [item.code for item in response.errors] == ["timeout"]
    assert response.ok


async def test_failures_have_their_words() -> None:
    """The contract's statuses, and `timeout` beside them."""
    fakes = [
        searcher("a"),
        searcher("b", fail={"search": [DeadlineExceeded("late")]}),
        searcher("c", fail={"describe": [Incompatible("old")]}),
        searcher("d", fail={"search": [NoIndex("gone")]}),
        searcher("e", fail={"search": [GgrepError("odd")]}),
    ]

    response = await ask(fakes, known=workspace(*(repo(n) for n in "abcdef")))

    assert statuses(response) == {
        "a": "ok",
        "b": "timeout",
        "c": "incompatible",
        "d": "missing_index",
        "e": "error",
        "f": "error",  # the factory itself failed
    }
    assert list(dict(response.repo_elapsed_ms)) == sorted(f"{n}-000000000000" for n in "abcdef")


async def test_all_missing_is_a_failure_with_rows() -> None:
    response = await ask([searcher("a", snapshot_id=None), searcher("b", snapshot_id=None)])

    document = response.to_json()
    assert (document["ok"], document["code"], response.exit_status) == (False, "NO_INDEX", 1)
    assert [row["status"] for row in document["repos"]] == ["missing_index"] * 2
    assert "code" in document["error"]
    assert "results" not in document


async def test_all_failed_names_the_first_hard_error_by_id() -> None:
    fakes = [
        searcher("a", snapshot_id=None),
        searcher("b", fail={"search": [DeadlineExceeded("late")]}, pause=checkpoints(9)),
        searcher("c", fail={"search": [InvalidRequest("bad")]}),
    ]

    response = await ask(fakes)

    assert response.to_json()["code"] == "timeout"
    assert response.exit_status == 11


async def test_strict_fails_with_the_first_failure() -> None:
    fakes = [
        searcher("a"),
        searcher("b", fail={"search": [InvalidRequest("bad")]}),
        searcher("c", pause=checkpoints(3)),
    ]

    response = await ask(fakes, request(strict=True))

    assert not response.ok
    assert response.to_json()["code"] == "invalid_request"
    assert statuses(response) == {"a": "skipped", "b": "error", "c": "skipped"}
    assert response.hits == ()


async def test_strict_counts_a_missing_index_and_not_an_excluded_cohort() -> None:
    missing = await ask([searcher("a"), searcher("b", snapshot_id=None)], request(strict=True))
    gated = await ask(
        [searcher("a"), searcher("b"), searcher("c", keys=("o", "lex", "schema"))],
        request(strict=True),
    )

    assert missing.to_json()["code"] == "NO_INDEX"
    assert gated.ok


async def test_only_the_corpora_asked_for_are_reported() -> None:
    response = await ask([searcher("a")], request(search={"corpora": (Corpus.PROSE,)}))

    document = response.to_json()
    assert list(document["repos"][0]["perMode"]) == ["prose"]
    assert document["code"] == []

    response = await ask([searcher("a")], request(tags=("nothing",)))
    document = response.to_json()
    assert document["ok"] is True
    assert all(document[corpus.value] == [] for corpus in CORPORA)
    assert "WARN_FEDERATED_EMPTY_SELECTION" in codes(response)


@pytest.mark.parametrize(
    ("text", "fields", "cut"),
    [
        ("other", {}, [RepoLimit(LimitHit("disabled_repos", 1, 2))]),
        ("other", {"only": ("b",)}, [RepoLimit(LimitHit("disabled_repos", 0, 1))]),
        ("token", {}, []),
    ],
)
async def test_an_empty_answer_reports_that_disabled_repositories_were_not_searched(
    text: str, fields: dict[str, tuple[str, ...]], cut: list[RepoLimit]
) -> None:
    repos = workspace(repo("a"), repo("b", enabled=False))
    response = await ask([searcher("a", text)], request(**fields), known=repos)

    limits = [item for item in response.limits_hit if item.limit.code == "disabled_repos"]
    assert limits == cut


async def test_a_repository_answers_only_for_corpora_it_is_admitted_to() -> None:
    """Different cohorts for different corpora make a repository partial."""
    odd = searcher("c", keys=("o", "lex", "schema"))
    probe = await ask([odd])
    key = probe.plan.corpora[1].key

    response = await ask([searcher("a"), searcher("b"), odd], request(cohort=(f"prose:{key}",)))

    assert statuses(response) == {"a": "partial", "b": "partial", "c": "partial"}
    first, second = pools(odd)
    assert first.search.corpora == CORPORA
    assert second.search.corpora == (Corpus.PROSE,)
    assert "c" not in {hit.repo_alias for hit in dict(response.corpora)[Corpus.CODE]}


async def test_cuts_and_notices_of_repositories_are_passed_on() -> None:
    """Promise P6: nothing partial is silent; equal answers are equal to the byte."""
    fake = searcher(
        "a",
        degraded=True,
        partial=True,
        limits=(LimitHit("max_candidates", 5, 9),),
        warnings=(Notice("degraded_snapshot", "2 files are not fully indexed"),),
    )

    document = (await ask([fake])).to_json()

    assert document["limits_hit"] == [
        {"code": "max_candidates", "limit": 5, "observed": 9, "repoId": "a-000000000000"}
    ]
    assert document["diagnostics"]["warnings"][0]["repoId"] == "a-000000000000"
    assert document["repos"][0]["degraded"] is True
    assert document["repos"][0]["partialIndex"] is True
    assert document["meta"]["snapshots"] == {"a-000000000000": "S1"}

    cut = searcher("a", limits=(LimitHit("z", 1), LimitHit("a", 1)))

    response = await ask([cut])

    assert [entry.limit.code for entry in response.limits_hit] == ["a", "z"]


@pytest.mark.parametrize("deterministic", [False, True])
async def test_what_is_true_of_the_moment_is_told_of_each_repository(deterministic: bool) -> None:
    """Why the sync of one failed; answers that have to be the same again cannot hold it."""
    failed = Notice("sync_failed", "the last sync failed: no room")
    fakes = [searcher("a", moment=(failed,)), searcher("b")]
    response = await ask(fakes, request(search={"deterministic": deterministic}))

    reports = [item.repo_id for item in response.warnings if item.code == "sync_failed"]
    assert reports == ([] if deterministic else ["a-000000000000"])


@pytest.mark.parametrize(
    ("query", "deterministic", "reported"),
    [
        ("absent", False, "not searched: 1 file too large; searched in part: 2 files short"),
        ("absent", True, "searched in part: 2 files short"),
        ("token", False, None),
    ],
)
async def test_an_answer_that_finds_nothing_says_what_each_repository_could_not_see(
    query: str, deterministic: bool, reported: str | None
) -> None:
    """Skipped files change without a new snapshot, so answers that must repeat are silent."""
    unseen = Unseen((("too large", 1),), (("short", 2),))
    fakes = [searcher("a", "token one", unseen=unseen), searcher("b", "token two")]

    asked = request(query, search={"deterministic": deterministic})
    response = await ask(fakes, asked)

    shown = [(item.repo_id, item.message) for item in response.warnings if item.code == UNSEEN]
    lists = "; `ggrep health` in the repository lists them"
    assert shown == ([("a-000000000000", reported + lists)] if reported else [])


async def test_text_has_one_line_about_the_unsearched_files_of_several_repositories() -> None:
    """The document has the counts of each."""
    fakes = [
        searcher(name, "token", unseen=Unseen((("too large", n),)))
        for n, name in enumerate("abc", 1)
    ]

    response = await ask(fakes, request("absent"))

    assert len({item.message for item in response.warnings if item.code == UNSEEN}) == 3
    shown = [notice.message for notice in notices_of(response, "/") if notice.code == UNSEEN]
    assert len(shown) == 1
    assert "some files were not searched" in shown[0]


async def test_snippets_are_bounded_over_the_whole_answer() -> None:
    """Ten repositories must not answer ten times the bound."""
    fakes = [searcher("a", "token ä one"), searcher("b", "token two")]

    response = await ask(fakes, request(snippet_bytes=16))

    shown = [merged.hit.content for merged in response.hits]
    assert shown == ["token ä one", "toke"]
    assert [m.hit.content for m in dict(response.corpora)[Corpus.CODE]] == shown
    (cut,) = response.limits_hit
    assert cut.limit == LimitHit("max_total_snippet_bytes", 16, 21)


async def test_a_request_that_cannot_be_answered_is_refused_before_anyone_is_asked() -> None:
    fake = searcher("a")
    wrong = request(
        " ",
        search={"scope": "src", "corpora": ()},
        merge_strategy="best",
        cohort=("x:",),
        cohort_policy="any",
        top=-1,
        per_repo_top=1001,
        concurrency=0,
        rrf_k=0,
        select=("x",) * 300,
    )

    with pytest.raises(WorkspaceError) as caught:
        await ask([fake], wrong)

    assert fake.asked == []
    assert {issue.code for issue in caught.value.issues} == {
        "ERR_FEDERATED_INVALID_QUERY",
        "ERR_FEDERATED_INVALID_MODE",
        "ERR_FEDERATED_SCOPE_NOT_ALLOWED",
        "ERR_FEDERATED_INVALID_LIMIT",
        "ERR_FEDERATED_INVALID_MERGE_STRATEGY",
        "ERR_FEDERATED_INVALID_COHORT_POLICY",
        "ERR_FEDERATED_INVALID_COHORT_SELECTOR",
    }


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"merge_strategy": "best"}, "ERR_FEDERATED_INVALID_MERGE_STRATEGY"),
        ({"merge_strategy": "evidence"}, "ERR_FEDERATED_INVALID_MERGE_STRATEGY"),
        ({"cohort_policy": "explicit"}, "ERR_FEDERATED_INVALID_COHORT_POLICY"),
        ({"cohort_policy": "strict"}, "ERR_FEDERATED_MULTI_COHORT"),
        ({"cohort": ("nope:k",)}, "ERR_FEDERATED_INVALID_COHORT_SELECTOR"),
    ],
)
async def test_unknown_words_are_refused(fields: dict[str, object], code: str) -> None:
    with pytest.raises(WorkspaceError, check=lambda error: error.code == code):
        await ask([searcher("a"), searcher("b", keys=("o", "l", "s"))], request(**fields))


async def test_cancellation_is_no_answer() -> None:
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, [searcher("a", pause=for_ever)])
            await anyio.wait_all_tasks_blocked()
            scope.cancel()

    assert scope.cancelled_caught


async def test_who_is_selected_by_name_is_searched_however_few_are() -> None:
    fakes = [*(searcher(name) for name in "abcdefg"), searcher("h", "other")]

    response = await ask(fakes, request(max_repos=1, select=("h",)))

    assert statuses(response)["h"] == "ok"
    assert list(statuses(response).values()).count("skipped") == 7
    assert response.errors == ()


@pytest.mark.parametrize(
    ("confidence", "number", "lengths"),
    [(Confidence.WEAK, 4, [8, 8]), (Confidence.NONE, 8, [3, 3])],
)
async def test_a_doubtful_answer_shows_fewer_hits_in_all_lists_alike(
    monkeypatch: pytest.MonkeyPatch, confidence: Confidence, number: int, lengths: list[int]
) -> None:
    monkeypatch.setattr(assembly, "confidence_of", lambda _: confidence)
    same = [FakeRow(f"r{n}", f"f{n}.py", 1, ("token",)) for n in range(number)]
    response = await ask([FakeSearcher("a", same), FakeSearcher("b", same)])

    lists = [response.hits, *(hits for _, hits in response.corpora if hits)]
    assert [len(hits) for hits in lists] == lengths
    assert len({(hit.repo_alias, hit.hit.path) for hit in response.hits}) == lengths[0]
    cuts = [item.limit.code for item in response.limits_hit]
    assert cuts.count("low_confidence") == (confidence is Confidence.NONE)
