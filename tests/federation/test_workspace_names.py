"""Names over repositories: which rule decides, who fails, how usages are tied, where pages end."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError, InvalidRequest, NoIndex, SnapshotGone, WorkspaceError
from ggrep.federation.envelope import Envelope
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_expand import FederatedExpansion, federated_expand
from ggrep.federation.workspace_names import (
    FederatedReferences,
    FederatedSymbol,
    federated_references,
    federated_symbol,
)
from ggrep.model.filters import Filter
from ggrep.model.name_pools import Importer, NearName
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from tests.fakes.clocks import ManualClock
from tests.fakes.coordinated import hanging_at, statuses
from tests.fakes.named_searchers import NamedSearcher, defined, used
from tests.fakes.searchers import checkpoints, factory, repo, workspace
from tests.fakes.virtual_time import VirtualClock, run_virtually

TIMEOUT_MS = 10_000
ASKED = SymbolRequest("retry", deterministic=True, timeout_ms=TIMEOUT_MS)
USES = ReferencesRequest("retry", deterministic=True, timeout_ms=TIMEOUT_MS)


def members(**fields: object) -> FederatedRequest:
    return FederatedRequest(SearchRequest("", timeout_ms=0), **fields)  # type: ignore[arg-type]


async def symbol(
    fakes: Sequence[NamedSearcher],
    asked: SymbolRequest = ASKED,
    *,
    clock: Clock | None = None,
    **fields: object,
) -> FederatedSymbol:
    """Return where the repositories define the name."""
    return await federated_symbol(
        workspace(*(repo(fake.name) for fake in fakes)),
        members(**fields),
        asked,
        factory(*fakes),
        clock or ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
    )


async def references(
    fakes: Sequence[NamedSearcher], asked: ReferencesRequest = USES, **fields: object
) -> FederatedReferences:
    """Return where the repositories use the name."""
    return await federated_references(
        workspace(*(repo(fake.name) for fake in fakes)),
        members(**fields),
        asked,
        factory(*fakes),
        ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
    )


@pytest.mark.parametrize("ask", [federated_symbol, federated_references])
@pytest.mark.parametrize(
    ("name", "failure", "counts"),
    [("other", None, [(1, 2)]), ("retry", None, []), ("other", GgrepError("broken"), [])],
)
async def test_an_empty_answer_reports_that_disabled_repositories_were_not_searched(
    ask: Callable[..., Awaitable[Envelope]],
    name: str,
    failure: Exception | None,
    counts: list[tuple[int, int]],
) -> None:
    """The name may be there. A failure is no empty answer."""
    fake = NamedSearcher(
        "a", defines={"spelled": [defined("a.py")]}, uses={"spelled": [used("a.py")]}
    )
    if name == "other":
        fake = NamedSearcher("a", fail={"describe": [failure]} if failure else {})
    asked = ASKED if ask is federated_symbol else USES
    clock = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))
    repos = workspace(repo("a"), repo("b", enabled=False))
    answer = await ask(repos, members(), asked, factory(fake), clock)

    limits = [item.limit for item in answer.limits_hit if item.limit.code == "disabled_repos"]
    assert [(limit.limit, limit.observed) for limit in limits] == counts


def shown(found: FederatedSymbol) -> list[str]:
    return [f"{each.repo_id[0]}:{each.place.path}:{each.place.line}" for each in found.definitions]


def steps(fake: NamedSearcher) -> list[str]:
    return [method for method, _ in fake.asked if method != "describe"]


def spelled(name: str, *paths: str, **fields: object) -> NamedSearcher:
    """Return a repository that defines the name as it is spelled."""
    return NamedSearcher(name, defines={"spelled": [defined(path) for path in paths]}, **fields)  # type: ignore[arg-type]


async def test_other_letter_cases_count_only_where_nothing_in_the_workspace_is_spelled_so() -> None:
    """One repository alone would have shown them."""
    other = NamedSearcher("b", defines={"other_case": [defined("b.py", name="Retry")]})
    result = await symbol([spelled("a", "a.py"), other])

    assert shown(result) == ["a:a.py:1"]
    assert steps(other) == ["symbol spelled"]
    assert result.warnings == ()


async def test_another_spelling_is_told_once_for_all() -> None:
    first = NamedSearcher("a", defines={"other_case": [defined("a.py", name="RETRY")]})
    two = NamedSearcher("b", defines={"other_case": [defined("b.py", name="Retry")]})
    result = await symbol([first, two])

    assert shown(result) == ["a:a.py:1", "b:b.py:1"]
    assert [(item.code, item.message, item.repo_id) for item in result.warnings] == [
        (
            "other_case",
            "no name is spelled retry; names in other letter case are shown: RETRY, Retry",
            None,
        )
    ]


async def test_a_path_counts_only_where_nothing_is_enclosed_so_in_any_repository() -> None:
    by_path = spelled("a", "a.py", fits={"spelled": "path"})

    assert shown(await symbol([by_path, spelled("b", "b.py")])) == ["b:b.py:1"]
    assert shown(await symbol([by_path])) == ["a:a.py:1"]


async def test_definitions_are_ordered_as_in_one_store_and_by_repository_last() -> None:
    """Sources before tests, modules last, then path and line, whatever repository they are of."""
    first = NamedSearcher(
        "a", defines={"spelled": [defined("c.py"), defined("same.py"), defined("test_a.py")]}
    )
    two = NamedSearcher(
        "b",
        defines={"spelled": [defined("a.py"), defined("same.py"), defined("a.py", kind="module")]},
    )
    result = await symbol([two, first])

    assert shown(result) == [
        *("b:a.py:1", "a:c.py:1", "a:same.py:1", "b:same.py:1", "b:a.py:1", "a:test_a.py:1")
    ]


async def test_a_cut_counts_all_repositories() -> None:
    result = await symbol(
        [spelled("a", "a.py", "c.py"), spelled("b", "b.py")], replace(ASKED, limit=2)
    )

    assert (shown(result), result.total) == (["a:a.py:1", "b:b.py:1"], 3)
    assert [
        (each.limit.code, each.limit.limit, each.limit.observed, each.repo_id)
        for each in result.limits_hit
    ] == [("max_symbols", 2, 3, None)]


async def test_suggestions_are_the_nearest_of_all_repositories() -> None:
    """A near name of the first repository must not hide a nearer one of the second."""
    far = NearName("retry_all", (4, 9), "retry_all", "a.py")
    close = NearName("retri", (1, 5), "retri", "b.py")
    copy = replace(far, name="Retry_All", path="0.py")
    first = NamedSearcher("a", near={"near": [far]})
    two = NamedSearcher("b", near={"near": [close, copy]})
    result = await symbol([first, two])

    # Spelled as in the file that comes first.
    assert result.suggestions == ("retri", "Retry_All")


async def test_a_definition_beside_is_suggested_before_names_that_look_alike() -> None:
    beside = NearName("Queue.retry", (0, 0), "", "a.py")
    first = NamedSearcher("a", fits={"spelled": "beside"}, near={"spelled": [beside]})
    two = NamedSearcher("b", near={"near": [NearName("retri", (1, 5), "retri", "b.py")]})
    result = await symbol([first, two], replace(ASKED, name="Nothing.retry"))

    assert result.suggestions == ("Queue.retry",)
    assert "symbol near" not in steps(two)


async def test_who_fails_has_a_row_and_a_word_and_takes_nothing_from_others() -> None:
    broken = spelled("b", "b.py", fail={"symbol spelled": [GgrepError("no luck")]})
    unindexed = NamedSearcher("c", snapshot_id=None)
    result = await symbol([spelled("a", "a.py"), broken, unindexed])

    assert shown(result) == ["a:a.py:1"]
    assert statuses(result) == {"a": "ok", "b": "error", "c": "missing_index"}
    assert [(item.code, item.repo_id) for item in result.errors] == [
        ("internal", "b-000000000000"),
        ("NO_INDEX", "c-000000000000"),
    ]
    document = result.to_json()
    assert [row.get("couldChange", {}).get("verdict") for row in document["repos"]] == [
        *(None, "unknown", "unknown")
    ]


async def test_without_any_answer_the_failure_tells_of_every_repository() -> None:
    """An agent must see what to mend."""
    result = await symbol(
        [NamedSearcher("a", snapshot_id=None), NamedSearcher("b", snapshot_id=None)]
    )
    document = result.to_json()

    assert isinstance(result.error, NoIndex)
    assert (document["ok"], document["code"], len(document["repos"])) == (False, "NO_INDEX", 2)


async def test_strict_ends_with_the_failure_of_the_lowest_id() -> None:
    fail = {"symbol spelled": [GgrepError("no luck")]}
    result = await symbol([spelled("b", "b.py", fail=fail), spelled("a", "a.py")], strict=True)

    assert str(result.error) == "no luck"


def test_who_hangs_is_late_and_the_deadline_holds() -> None:
    """One deadline, from end to end; the next rule has time as well."""
    late = spelled("b", "b.py", pause=hanging_at("symbol spelled"))
    other = NamedSearcher("a", defines={"other_case": [defined("a.py", name="Retry")]})

    async def run() -> tuple[FederatedSymbol, float]:
        result = await symbol([other, late], clock=VirtualClock())
        return result, VirtualClock().monotonic_ms()

    result, took_ms = run_virtually(run)

    assert (shown(result), statuses(result)) == (["a:a.py:1"], {"a": "ok", "b": "timeout"})
    assert took_ms <= TIMEOUT_MS


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scope": "src"}, WorkspaceError, "cannot have a path"),
        ({"name": "two\nwords"}, InvalidRequest, "line ends or control characters"),
    ],
)
async def test_a_wrong_request_is_refused_before_a_repository_is_asked(
    change: dict[str, str], error: type[Exception], message: str
) -> None:
    fake = spelled("a", "a.py")

    with pytest.raises(error, match=message):
        await symbol([fake], replace(ASKED, **change))
    assert fake.asked == []


async def test_a_snapshot_that_goes_between_two_rules_is_asked_anew_once() -> None:
    moving = NamedSearcher("a", defines={"other_case": [defined("a.py", name="Retry")]})

    async def publish(method: str) -> None:
        if method == "symbol other_case" and moving.snapshot_id == "S1":
            moving.snapshot_id = "S2"
            moving.defines = {"spelled": [defined("new.py")]}

    moving.pause = publish
    result = await symbol([moving, NamedSearcher("b")])
    gone = [SnapshotGone("gone"), SnapshotGone("gone")]
    again = await symbol([NamedSearcher("a", fail={"symbol other_case": gone}), NamedSearcher("b")])

    assert shown(result) == ["a:new.py:1"]
    assert result.reports[0].snapshot_id == "S2"
    assert statuses(again) == {"a": "error", "b": "ok"}


@given(st.permutations([0, 3, 9]))
def test_equal_bytes_in_whatever_order_repositories_answer(waits: list[int]) -> None:
    """Promise P5."""

    def fakes(delays: Sequence[int]) -> list[NamedSearcher]:
        return [
            spelled(name, "same.py", f"{name}.py", pause=checkpoints(delay))
            for name, delay in zip("abc", delays, strict=True)
        ]

    def run(delays: Sequence[int]) -> bytes:
        async def answer() -> bytes:
            return stable_json.dumps((await symbol(fakes(delays))).to_json())

        return run_virtually(answer)

    assert run(waits) == run([0, 0, 0])


def ties(found: FederatedReferences) -> list[tuple[str, str | None]]:
    return [(f"{each.repo_id[0]}:{each.place.path}", each.tie) for each in found.references]


def lib(**fields: object) -> NamedSearcher:
    """Return the repository that defines the name and uses it too."""
    return NamedSearcher(
        "a",
        defines={"spelled": [defined("lib.py")]},
        uses={"spelled": [used("lib.py", 9)]},
        provides=frozenset({"lib.retry"}),
        **fields,  # type: ignore[arg-type]
    )


def user(name: str = "b", *imports: str) -> NamedSearcher:
    """Return a repository that uses the name, in a file that imports so."""
    importers = [Importer("app.py", "python", imports)] if imports else []
    return NamedSearcher(name, uses={"spelled": [used("app.py")]}, importers=importers)


async def test_a_usage_elsewhere_is_tied_by_an_import_or_a_guess() -> None:
    """The same name of another library would else be taken for this one's."""
    result = await references([lib(), user("b", "lib.retry"), user("c", "tenacity"), user("d")])

    assert ties(result) == [
        *(("b:app.py", "import"), ("c:app.py", "guess"), ("d:app.py", "guess"), ("a:lib.py", None))
    ]
    assert result.defining == ("a-000000000000",)

    first = user("b", "lib.retry")
    result = await references([first, user("c")])

    assert {tie for _, tie in ties(result)} == {None}
    assert "imports" not in steps(first)


async def test_who_does_not_say_what_it_provides_is_named() -> None:
    silent = lib(fail={"imports": [GgrepError("no luck")]})
    result = await references([silent, user("b", "lib.retry")])

    assert ties(result)[0] == ("b:app.py", "guess")
    assert [(item.code, item.repo_id) for item in result.warnings] == [
        ("WARN_FEDERATED_TIES_UNKNOWN", "a-000000000000")
    ]
    assert statuses(result) == {"a": "ok", "b": "ok"}


async def test_files_of_equal_paths_stay_together() -> None:
    first = NamedSearcher("a", uses={"spelled": [used("x.py", 1), used("x.py", 9)]})
    two = NamedSearcher("b", uses={"spelled": [used("x.py", 5), used("a.py", 7)]})
    result = await references([two, first])

    assert [(first.repo_id[0], first.place.line) for first in result.references] == [
        *(("b", 7), ("a", 1), ("a", 9), ("b", 5))
    ]


PAGED = (("a", ("a.py", "d.py", "e.py")), ("b", ("b.py", "c.py", "f.py")))


def paged() -> list[NamedSearcher]:
    return [spelled(name, *paths) for name, paths in PAGED]


@pytest.mark.parametrize("size", [1, 2, 4, 5, 6])
async def test_pages_together_are_the_whole_answer(size: int) -> None:
    fakes, result, asked = paged(), [], replace(ASKED, limit=size)
    page = await symbol(fakes, asked)
    result += shown(page)
    while page.next_cursor:
        page = await symbol(fakes, replace(asked, cursor=page.next_cursor))
        result += shown(page)

    assert result == shown(await symbol(fakes, replace(ASKED, limit=0)))
    assert page.limits_hit == ()


@pytest.mark.parametrize(
    "other",
    [{"name": "queue"}, {"filters": ()}, {"cursor": "nonsense"}, {"cursor": "e30"}],
    ids=["name", "filter", "nonsense", "empty"],
)
async def test_a_cursor_of_another_question_is_refused(other: dict[str, object]) -> None:
    asked = replace(ASKED, limit=2, filters=(Filter("lang", "python"),))
    page = await symbol(paged(), asked)
    again = replace(asked, **{"cursor": page.next_cursor, **other})  # type: ignore[arg-type]

    with pytest.raises(InvalidRequest, match="cursor: "):
        await symbol(paged(), again)


async def test_a_cursor_goes_on_with_the_repositories_of_its_first_page() -> None:
    """One more would put places where pages have passed; the selection is part of the question."""
    page = await symbol(paged(), replace(ASKED, limit=2))

    with pytest.raises(InvalidRequest, match="another request"):
        await symbol(paged(), replace(ASKED, limit=2, cursor=page.next_cursor), only=("a",))


async def test_who_had_no_part_in_the_first_page_is_skipped_on_the_next() -> None:
    first = [*paged(), spelled("c", "0.py", fail={"symbol spelled": [GgrepError("no luck")]})]
    page = await symbol(first, replace(ASKED, limit=2))
    after = await symbol(first, replace(ASKED, limit=9, cursor=page.next_cursor))

    assert statuses(after) == {"a": "ok", "b": "ok", "c": "skipped"}
    assert shown(page) + shown(after) == shown(await symbol(paged()))


async def test_a_page_of_a_snapshot_that_is_gone_is_refused() -> None:
    """The rest of it cannot be had, and nothing else may pass for it."""
    fakes = paged()
    page = await symbol(fakes, replace(ASKED, limit=2))
    fakes[1].snapshot_id = "S2"
    after = await symbol(fakes, replace(ASKED, limit=2, cursor=page.next_cursor))

    assert after.error is not None
    assert (after.ok, after.error.code) == (False, "snapshot_gone")


def of_box(name: str, container: str, **fields: object) -> NamedSearcher:
    """Return a repository that defines the name in a container, and uses it."""
    method = replace(defined("a.py", kind="method"), container=container)
    uses = {"spelled": [used("use.py")]}
    return NamedSearcher(name, defines={"spelled": [method]}, uses=uses, **fields)  # type: ignore[arg-type]


def families(fake: NamedSearcher) -> list[tuple[str, ...] | None]:
    asked = [request for method, request in fake.asked if method == "references spelled"]
    return [
        request.family and (*request.family.own, "not", *request.family.others) for request in asked
    ]  # type: ignore[attr-defined] # as its method says


BOXED = replace(USES, name="Box.retry")


async def test_definitions_of_all_repositories_judge_usages() -> None:
    fakes = (of_box("a", "Box"), of_box("b", "Lid"), NamedSearcher("c"))
    result = await references(fakes, BOXED)

    assert [families(fake) for fake in fakes] == [
        [None, ("box", "not", "lid")],
        [None, ("box", "not", "lid")],
        [None],
    ]
    assert result.defining == (repo("a").repo_id,)
    alone = of_box("a", "Box")
    await references([alone, NamedSearcher("c")], BOXED)
    assert families(alone) == [None]


async def test_who_fails_while_judging_has_no_say_in_it() -> None:
    """The answer is that of one store over the files of those that answered."""
    lost, whole = of_box("b", "Lid"), of_box("a", "Box")

    async def fail_later(method: str) -> None:
        if steps(lost).count(method) == 2:
            raise NoIndex("b: nothing")

    lost.pause = fail_later
    result = await references([whole, lost], BOXED)

    assert families(whole) == [None, ("box", "not", "lid"), ("box", "not")]
    assert statuses(result) == {"a": "ok", "b": "missing_index"}


@pytest.mark.parametrize(("changes", "status"), [(4, "ok"), (1_000, "error")])
async def test_a_repository_whose_definitions_change_without_end_fails_alone(
    changes: int, status: str
) -> None:
    """A few changes are new snapshots. Without a deadline, nothing else would end the rounds."""
    changing, whole = of_box("b", "Lid"), of_box("a", "Box")

    async def change(_: str) -> None:
        number = steps(changing).count("references spelled") - 1
        if number > 50:
            raise RuntimeError("queried without end")
        changing.defines = of_box("b", f"Lid{min(number, changes)}").defines

    changing.pause = change
    result = await references([whole, changing], replace(BOXED, timeout_ms=0))

    assert statuses(result) == {"a": "ok", "b": status}
    last = ("box", "not", "lid4") if status == "ok" else ("box", "not")
    assert (families(whole)[-1], len(families(whole))) == (last, 6 if status == "ok" else 7)


@pytest.mark.parametrize(
    ("matches", "reported"), [(False, ["no indexed file matches lang:go"]), (True, [])]
)
async def test_filters_that_match_nothing_anywhere_are_named(
    matches: bool, reported: list[str]
) -> None:
    nothing, whole = (False, True, False), (matches, True, matches)
    fakes = (NamedSearcher("a", selects=nothing), NamedSearcher("b", selects=whole))
    go = (Filter("lang", "go"),)

    for each in (
        await symbol(fakes, replace(ASKED, filters=go)),
        await references(fakes, replace(USES, filters=go)),
    ):
        messages = [item.message for item in each.warnings]
        assert messages == reported


async def test_a_container_that_does_not_define_the_name_is_told_with_those_that_do() -> None:
    near = {"spelled": [NearName("Lid.retry", (0, 0), "", "a.py")]}
    fits: dict[str, str] = {"spelled": "beside"}
    output = "no definition of Box.retry; similar: Lid.retry"
    result = await symbol(
        [NamedSearcher("a", near=near, fits=fits)], replace(ASKED, name="Box.retry")
    )  # type: ignore[arg-type] # words of a Fit

    assert [(each.code, each.message) for each in result.warnings] == [("other_container", output)]


PLACE = "src/a.py:4"


async def expand(
    fakes: Sequence[NamedSearcher], target: str, **fields: object
) -> FederatedExpansion:
    return await federated_expand(
        workspace(*(repo(fake.name) for fake in fakes)),
        FederatedRequest(SearchRequest("", timeout_ms=0), **fields),  # type: ignore[arg-type]
        ExpandRequest(target, deterministic=True),
        factory(*fakes),
        ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
    )


def holding(name: str, *places: str, **fields: object) -> NamedSearcher:
    return NamedSearcher(name, places=frozenset(places), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "target", [f"b:{PLACE}", f"B:{PLACE}", f"[b] {PLACE}", f"b-{'0' * 12}:{PLACE}"]
)
async def test_the_repository_that_is_named_answers_alone(target: str) -> None:
    other = holding("a", PLACE)
    result = await expand([other, holding("b", PLACE)], target)

    assert result.repo is not None
    assert (result.ok, result.repo.alias, other.asked) == (True, "b", [])
    document = result.to_json()
    assert (document["target"], document["repoAlias"]) == (target, "b")


async def test_a_place_that_one_repository_alone_has_needs_no_name() -> None:
    result = await expand([holding("a"), holding("b", PLACE)], PLACE)

    assert result.repo is not None
    assert result.repo.alias == "b"
    assert [report.status for report in result.reports] == ["ok", "ok"]

    result = await expand([holding("a", PLACE), holding("b", PLACE)], PLACE)

    assert str(result.error) == (
        f"target: {PLACE} is in several repositories, a, b; choose one: a:{PLACE}"
    )
    assert result.to_json()["code"] == "invalid_request"

    result = await expand([holding("a"), holding("b")], PLACE)

    assert str(result.error) == f"target: no file {PLACE} in this index"

    with pytest.raises(InvalidRequest, match="b is not selected"):
        await expand([holding("a", PLACE), holding("b", PLACE)], f"b:{PLACE}", only=("a",))


async def test_who_fails_has_a_row_beside_the_place_that_was_found() -> None:
    broken = holding("b", PLACE, fail={"expand": [GgrepError("no luck")]})
    result = await expand([holding("a", PLACE), broken], PLACE)

    assert result.ok
    assert [report.status for report in result.reports] == ["ok", "error"]
