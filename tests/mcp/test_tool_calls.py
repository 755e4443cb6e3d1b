"""Calls of tools: what they ask for, and what comes of it."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest, NoIndex
from ggrep.config.profiles import Profile, QueryDefaults, apply_to_request, unusual_fields
from ggrep.config.root import canonical_root
from ggrep.federation.workspace import load_workspace
from ggrep.federation.workspace_slates import SlateShape
from ggrep.interfaces.mcp import tool_calls as subject
from ggrep.interfaces.mcp.access import Access
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tool_calls import Calls, placed_for
from ggrep.interfaces.mcp.tools import BY_NAME, SEVERAL, TOOLS, Tool
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import Find, SearchRequest, SnippetMode
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from ggrep.render.agent_text import MERGED_BY_RANK
from tests.fakes.federators import FakeAnswer, FakeFederator

LEAST: dict[str, dict[str, object]] = {
    "search": {"query": "q"},
    "good_search": {"query": "q"},
    "context": {"query": "q"},
    "search_workspace": {"query": "q"},
    "symbol": {"name": "pay"},
    "references": {"name": "pay"},
    "expand": {"target": "src/pay.py:1"},
    "outline": {"path": ["src/pay.py"]},
}
_ENOUGH_BYTES = 32 * 1024


@pytest.fixture
def calls(federator: FakeFederator, own: Path, workspace_file: Path) -> Calls:
    """Return calls of a server that knows one workspace."""
    start = StartOptions(directory=own, workspaces=(workspace_file,))
    return Calls(federator, Access(start), shows_paths=True)


async def test_arguments_of_a_search_reach_the_request(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """Whatever is accepted must have an effect."""
    given = {
        "query": "q",
        "top": 3,
        "per_file": 0,
        "mode": "planning",
        "corpus": ["prose", "code"],
        "filter": ["lang:python", "-path:tests/**"],
        "snippet": "none",
        "anchors": True,
        "keep_weak": True,
        "find": "usage",
        "ignore_case": True,
        "list_files": True,
        "options": [
            *("whole_words=true", "lines_before=1", "lines_after=2"),
            *["vectors=false", "explain=true", "deterministic=true", "timeout_ms=1234"],
        ],
    }

    outcome = await calls.call("search", given)

    assert not outcome.failed
    wanted = SearchRequest(
        query="q",
        limit=3,
        per_file=0,
        mode=Mode.PLANNING,
        corpora=(Corpus.CODE, Corpus.PROSE),
        filters=(Filter("lang", "python"), Filter("path", "tests/**", negated=True)),
        snippet=SnippetMode.NONE,
        include_anchors=True,
        keep_weak=True,
        find=Find.USAGE,
        ignore_case=True,
        whole_words=True,
        lines_before=1,
        lines_after=2,
        list_files=True,
        vectors=False,
        explain=True,
        deterministic=True,
        timeout_ms=1234,
    )
    assert federator.asked[0] == ("search_repo", (own, wanted))


async def test_a_search_shows_short_snippets_unless_told(
    calls: Calls, federator: FakeFederator
) -> None:
    """A repository's file, which anybody may have written, does not lengthen them by a profile."""
    await calls.call("search", {"query": "q"})
    asked = federator.asked[0][1][1]
    greedy = Profile("p", query=QueryDefaults(snippet=SnippetMode.LONG))

    assert asked.snippet is SnippetMode.SHORT
    assert apply_to_request(asked, unusual_fields(asked), greedy).snippet is SnippetMode.SHORT


async def test_no_tool_returns_whole_content_unless_told(
    calls: Calls, federator: FakeFederator
) -> None:
    """An agent that calls every tool with the least it takes must not drown."""
    for name, given in LEAST.items():
        assert not (await calls.call(name, given)).failed
    slated = await calls.call("search_workspace", {"query": "q", "format": "slate"})

    searches = [what[1] for name, what in federator.asked if name == "search_repo"]
    assert {request.snippet for request in searches} == {SnippetMode.SHORT}
    assert {request.search.snippet for request in federator.requests} == {SnippetMode.SHORT}
    asked = {name: what[1] for name, what in federator.asked if isinstance(what, tuple)}
    slate = asked["slate_repo"]
    assert (slate.level, slate.budgets, slate.session) == (1, Budgets().for_agents(), None)
    assert slated.document["slate"]["level"] == 1
    assert federator.shapes == [SlateShape(budgets=Budgets().for_agents())]
    assert 0 < asked["symbol_repo"].limit <= 20
    used = asked["references_repo"]
    assert 0 < used.limit <= 100
    assert (used.strings, used.comments) == (False, False)
    # 0 stands for 16,384 bytes where no range of lines is named.
    assert asked["expand_repo"].max_bytes <= _ENOUGH_BYTES


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_every_tool_refuses_an_argument_that_it_does_not_know(
    calls: Calls, federator: FakeFederator, tool: Tool
) -> None:
    """A model that makes one up must not take the answer for one about it."""
    outcome = await calls.call(tool.name, {**LEAST.get(tool.name, {}), "nonsense": 1})

    assert outcome.failed
    output = str(outcome.document["message"])
    assert output.startswith(f"{tool.name}: unknown argument 'nonsense'; known arguments: ")
    assert all(argument.name in output for argument in tool.arguments)
    assert federator.asked == []


@pytest.mark.parametrize("tool", [one for one in TOOLS if one.rare], ids=lambda tool: tool.name)
async def test_every_tool_refuses_an_option_that_it_does_not_know(
    calls: Calls, federator: FakeFederator, tool: Tool
) -> None:
    """No schema lists them, so the message has to."""
    given = {**LEAST.get(tool.name, {}), "options": ["nonsense=1"]}

    outcome = await calls.call(tool.name, given)

    assert outcome.failed
    output = str(outcome.document["message"])
    assert "unknown option 'nonsense=1'" in output
    assert all(f"{argument.name}=" in output for argument in tool.rare)
    assert federator.asked == []


async def test_a_status_syncs_first_where_that_is_wanted(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """What changed a moment ago is in the index once it is said to be fresh."""
    await calls.call("ggrep_status", {})
    await calls.call("ggrep_status", {"sync": False})
    await calls.call("ggrep_status", {"sync": True})
    await calls.call("ggrep_status", {"sync": True, "timeout_ms": 7})

    asked = [(name, what) for name, what in federator.asked if name == "sync_repo"]
    assert asked == [("sync_repo", (own, subject.SYNC_MS)), ("sync_repo", (own, 7))]
    assert [name for name, _ in federator.asked][-2:] == ["sync_repo", "status"]


async def test_a_sync_that_is_not_done_in_time_is_told_by_the_status(
    calls: Calls, federator: FakeFederator
) -> None:
    """It goes on; one that failed fails the call."""
    federator.sync_fails = DeadlineExceeded("not done")
    late = await calls.call("ggrep_status", {"sync": True})
    federator.sync_fails = NoIndex("refused")
    failed = await calls.call("ggrep_status", {"sync": True})

    assert not late.failed
    assert "running" in late.document
    assert failed.document["code"] == "no_index"


@pytest.mark.parametrize("name", ["search", "context", "symbol", "references"])
async def test_a_path_within_a_repository_narrows_the_search(
    calls: Calls, federator: FakeFederator, own: Path, name: str
) -> None:
    """An agent that names a directory means that directory."""
    await calls.call(name, {**LEAST[name], "root": str(own / "src")})

    root, request = federator.asked[0][1]
    scoped = request.search if isinstance(request, SlateRequest) else request
    assert (root, scoped.scope) == (own, "src")


async def test_arguments_of_context_reach_the_request(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """Whatever is accepted must have an effect."""
    given = {
        "query": "q",
        "level": 2,
        "max_bytes": 9_000,
        "max_file_bytes": 900,
        "max_files": 7,
        "evidence": 2,
        "graph": False,
        "anchors": False,
        "mode": "debug",
        "corpus": ["code"],
        "filter": ["lang:python"],
        "find": "concept",
        "keep_weak": True,
        "options": ["vectors=false", "deterministic=true", "timeout_ms=1234"],
    }

    outcome = await calls.call("context", given)

    assert not outcome.failed, outcome.document
    search = SearchRequest(
        query="q",
        mode=Mode.DEBUG,
        corpora=(Corpus.CODE,),
        filters=(Filter("lang", "python"),),
        find=Find.CONCEPT,
        keep_weak=True,
        vectors=False,
        deterministic=True,
        timeout_ms=1234,
    )
    wanted = SlateRequest(
        search, 2, Budgets(9_000, 900, 7, 2, of_text=True), anchors=False, graph=False
    )
    assert federator.asked == [("slate_repo", (own, wanted))]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, None),
        ({"session": "new"}, SessionRequest()),
        ({"session": "new", "op": "start"}, SessionRequest()),
        ({"session": "T"}, SessionRequest("T", "refine")),
        ({"session": "T", "delta_only": True}, SessionRequest("T", "refine", delta_only=True)),
        (
            {"session": "T", "op": "expand", "targets": ["src/pay.py:1", "src/a.py"]},
            SessionRequest("T", "expand", ("src/pay.py:1", "src/a.py")),
        ),
    ],
)
async def test_a_session_is_started_and_gone_on_with(
    calls: Calls, federator: FakeFederator, given: dict[str, object], wanted: SessionRequest | None
) -> None:
    """`new` stands for the token that there is not yet; what came back is handed on as it is."""
    await calls.call("context", {"query": "q", **given})

    assert federator.asked[0][1][1].session == wanted


async def test_places_may_be_named_by_absolute_paths(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """Agents have them from their editors; a repository knows only its own."""
    expand = {"session": "T", "op": "expand", "targets": [f"{own}/src/pay.py", "src/a.py"]}

    await calls.call("expand", {"target": f"{own}/src/pay.py:1"})
    await calls.call("context", {"query": "q", **expand})

    around, slate = (request for _, (_, request) in federator.asked)
    assert around.target == "src/pay.py:1"
    assert slate.session.targets == ("src/pay.py", "src/a.py")


async def test_an_outline_without_a_path_is_a_tour(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """Of the repository; where the root lies below its top, the outline of that folder."""
    below = own / "src"
    below.mkdir(exist_ok=True)
    await calls.call("outline", {"options": ["max_bytes=900", "deterministic=true"]})
    await calls.call("outline", {"root": str(below)})
    await calls.call("outline", {"path": str(own), "options": ["depth=2"]})
    await calls.call("outline", {"path": [f"{own}/src/pay.py:3", "docs"]})

    tour, folder, whole, several = (request for _, (_, request) in federator.asked)
    assert tour == TourRequest(900, deterministic=True, timeout_ms=60_000)
    assert folder == OutlineRequest(("src",), timeout_ms=60_000)
    assert whole == OutlineRequest(("",), 2, timeout_ms=60_000)
    assert several.targets == ("src/pay.py:3", "docs")
    refused = await calls.call("outline", {"options": ["depth=2"]})
    assert refused.failed


async def test_arguments_of_names_and_places_reach_the_request(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """Whatever is accepted must have an effect."""
    options = {"options": ["deterministic=true", "timeout_ms=1234"]}
    of_name = {"name": "A.pay", "filter": ["-test:true"], "limit": 3, **options}

    await calls.call("symbol", of_name)
    await calls.call("references", {**of_name, "strings": True, "comments": True})
    await calls.call(
        "expand", {"target": "abcdef01", "boundary": "file", "max_bytes": 99, **options}
    )

    filters = (Filter("test", "true", negated=True),)
    assert federator.asked == [
        (
            "symbol_repo",
            (own, SymbolRequest("A.pay", "", filters, 3, deterministic=True, timeout_ms=1234)),
        ),
        (
            "references_repo",
            (
                own,
                ReferencesRequest(
                    "A.pay",
                    filters=filters,
                    strings=True,
                    comments=True,
                    limit=3,
                    deterministic=True,
                    timeout_ms=1234,
                ),
            ),
        ),
        (
            "expand_repo",
            (own, ExpandRequest("abcdef01", "file", 99, deterministic=True, timeout_ms=1234)),
        ),
    ]


async def test_several_names_are_asked_one_by_one(calls: Calls, federator: FakeFederator) -> None:
    """One call instead of one each; a lone one gets its document as ever."""
    several = await calls.call("symbol", {"name": "a", "names": ["b", "a", "c"]})
    alone = await calls.call("references", {"names": ["a"]})
    places = await calls.call("expand", {"targets": ["x.py:1", "y.py:2"]})
    asked = [getattr(what[1], "name", None) or what[1].target for _, what in federator.asked]
    wrong = await calls.call("symbol", {"names": ["a", " ", "c"]})

    assert asked == ["a", "b", "c", "a", "x.py:1", "y.py:2"]
    assert len(several.document["answers"]) == 3
    assert "answers" not in alone.document
    assert len(places.document["answers"]) == 2
    assert not wrong.failed
    codes = [each.get("code") for each in wrong.document["answers"]]
    assert codes == [None, "invalid_request", None]


@pytest.mark.parametrize("name", ["symbol", "references", "expand"])
async def test_a_call_for_nothing_or_for_too_much_is_refused(calls: Calls, name: str) -> None:
    """No schema can say that one of two arguments is wanted."""
    first, several = SEVERAL[name]
    nothing = await calls.call(name, {})
    much = await calls.call(name, {several: [f"n{number}" for number in range(51)]})

    assert f"the argument {first!r} is missing" in nothing.document["message"]
    assert "the maximum is 50" in much.document["message"]


@pytest.mark.parametrize(
    ("name", "wrong", "output"),
    [
        ("search", {"per_file": -1}, "per_file: must be from 0 to 1000, is -1"),
        # A body calls the one what a tool calls the other.
        ("search", {"mode": "prose"}, "mode: 'prose' is a corpus; use the field `corpus`"),
        ("search", {"corpus": ["debug"]}, "corpus: 'debug' is an intent; use the field `mode`"),
        ("context", {"level": 4}, "level: must be from 0 to 3, is 4"),
        ("context", {"level": -1}, "level: must be from 0 to 3, is -1"),
        ("context", {"max_files": -1}, "max_files: must be 0 or more, is -1"),
        ("context", {"find": "best"}, "find: 'best' is not one of auto, "),
        ("context", {"session": "T", "op": "end"}, "op: 'end' is not one of start, refine, expand"),
        (
            "context",
            {"session": "T", "targets": ["a"] * 33},
            "targets: has 33 values, but at most 32",
        ),
        ("symbol", {"name": " "}, "name: the name must not be empty"),
        ("symbol", {"limit": -1}, "limit: must be 0 or more, is -1"),
        ("references", {"filter": ["x"]}, "filter: "),
        ("expand", {"boundary": "page"}, "boundary: 'page' is not one of auto, lines, chunk, "),
        ("expand", {"max_bytes": -1}, "max_bytes: must be 0 or more, is -1"),
        ("expand", {"options": ["timeout_ms=-1"]}, "timeout_ms: must be 0 or more, is -1"),
        # Zero would be read as for ever by one and as at once by another.
        *(
            (
                "ggrep_status",
                {"sync": True, "timeout_ms": wrong},
                f"timeout_ms: must be from 1 to 3600000, is {wrong}",
            )
            for wrong in (0, -1, 3_600_001)
        ),
    ],
)
async def test_a_wrong_value_is_named_by_its_argument(
    calls: Calls, federator: FakeFederator, name: str, wrong: dict[str, object], output: str
) -> None:
    """A model has never seen the body that the message comes from."""
    outcome = await calls.call(name, {**LEAST.get(name, {}), **wrong})

    assert outcome.failed
    assert str(outcome.document["message"]).startswith(output)
    assert outcome.document["code"] == "invalid_request"
    assert federator.asked == []


async def test_arguments_of_a_workspace_search_reach_the_request(
    calls: Calls, federator: FakeFederator
) -> None:
    given = {
        "query": "q",
        "select": ["own"],
        "only": ["own", "other"],
        "tags": [],
        "repo_filter": ["o*"],
        "merge": "global",
        "strict": True,
        "top": 4,
        "find": "concept",
        "options": [
            "include_disabled=true",
            "rrf_k=7",
            "fold=false",
            "per_repo_top=9",
            "max_repos=2",
            "concurrency=1",
            "cohort=code:abc",
            "cohort=prose:def",
            "cohort_policy=strict",
            "allow_unsafe_mix=true",
            "stats=true",
            "vectors=false",
            "explain=true",
            "deterministic=true",
            "timeout_ms=77",
        ],
    }

    outcome = await calls.call("search_workspace", given)

    assert not outcome.failed, outcome.document
    (request,) = federator.requests
    assert (request.select, request.only, request.tags) == (("own",), ("own", "other"), ())
    assert (request.repo_filter, request.include_disabled) == (("o*",), True)
    assert (request.merge_strategy, request.rrf_k, request.fold) == ("global", 7, False)
    assert (request.per_repo_top, request.max_repos, request.concurrency) == (9, 2, 1)
    assert (request.cohort, request.cohort_policy) == (("code:abc", "prose:def"), "strict")
    assert (request.allow_unsafe_mix, request.strict, request.stats) == (True, True, True)
    assert (request.top, request.include_paths) == (4, False)
    search = request.search
    assert (search.find, search.vectors, search.explain) == (Find.CONCEPT, False, True)
    assert (search.deterministic, search.timeout_ms) == (True, 77)


NAMED = {"symbol": {"name": "n"}, "references": {"name": "n"}, "expand": {"target": "own:a.py"}}


@pytest.mark.parametrize("tool", NAMED)
async def test_arguments_of_names_in_a_workspace_reach_the_request(
    calls: Calls, federator: FakeFederator, tool: str
) -> None:
    """The server's own workspace is meant where an option means something of one alone."""
    options = ["only=own", "tags=t", "repo_filter=o*", "include_disabled=true", "concurrency=2"]
    more = ["strict=true", "stats=true", "timeout_ms=77", "deterministic=true"]

    outcome = await calls.call(tool, {**NAMED[tool], "options": [*options, *more]})

    assert not outcome.failed, outcome.document
    (request,) = federator.requests
    assert (request.only, request.tags, request.repo_filter) == (("own",), ("t",), ("o*",))
    assert (request.include_disabled, request.concurrency, request.strict) == (True, 2, True)
    assert (request.stats, request.include_paths) == (True, False)
    ((name, asked),) = federator.asked
    assert name == tool
    assert (asked.timeout_ms, asked.deterministic) == (77, True)  # type: ignore[attr-defined]


@pytest.mark.parametrize("tool", NAMED)
async def test_a_root_beside_a_workspace_is_refused(calls: Calls, own: Path, tool: str) -> None:
    """Which of both is meant would be a guess."""
    outcome = await calls.call(tool, {**NAMED[tool], "root": str(own), "options": ["only=own"]})

    assert outcome.failed
    refusal = "root: not allowed with a workspace; select repositories with `only`"
    assert outcome.document["message"] == refusal


async def test_arguments_of_a_slate_of_a_workspace_reach_its_shape(
    calls: Calls, federator: FakeFederator
) -> None:
    """It is shaped by the arguments that `context` has."""
    given = {
        "query": "q",
        "format": "slate",
        "only": ["own"],
        "level": 0,
        "max_bytes": 9_000,
        "max_file_bytes": 900,
        "max_files": 7,
        "evidence": 2,
        "graph": False,
        "anchors": False,
    }

    outcome = await calls.call("search_workspace", given)

    assert outcome.document["slate"]["level"] == 0
    budgets = Budgets(9_000, 900, 7, 2, of_text=True)
    assert federator.shapes == [SlateShape(0, budgets, anchors=False, graph=False)]
    assert [request.only for request in federator.requests] == [("own",)]


async def test_hits_of_a_workspace_have_anchors_of_their_own(
    calls: Calls, federator: FakeFederator
) -> None:
    """Opening lines stand in a list only for who wants them."""
    await calls.call("search_workspace", {"query": "q", "anchors": True})
    await calls.call("search_workspace", {"query": "q", "format": "hits"})

    shown = [request.search.include_anchors for request in federator.requests]
    assert shown == [True, False]
    assert federator.shapes == []


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ({"level": 2, "graph": False}, "graph, level: allowed only with format slate"),
        ({"format": "hits", "max_bytes": 9_000}, "max_bytes: allowed only with format slate"),
        (
            {"format": "slate", "top": 3, "per_file": 1},
            "per_file, top: not allowed with format slate",
        ),
        # A list in place of a slate would be taken for one.
        ({"format": "pack"}, "'pack' is not one of hits, slate"),
    ],
)
async def test_what_only_the_other_format_heeds_is_refused(
    calls: Calls, federator: FakeFederator, given: dict[str, object], output: str
) -> None:
    """Whatever is accepted must have an effect, or the agent waits for it in vain."""
    outcome = await calls.call("search_workspace", {"query": "q", **given})

    assert outcome.failed
    assert output in str(outcome.document["message"])
    assert federator.asked == []


def test_every_argument_that_shapes_slates_is_of_slates_alone() -> None:
    """One that is added to the shape must not be passed over in lists of hits."""
    shaping = {each.name for each in BY_NAME["context"].arguments if each.place[:1] == ("slate",)}
    arguments = BY_NAME["search_workspace"].every

    for name in shaping - {"anchors"}:
        with pytest.raises(InvalidRequest, match=f"^{name}: allowed only with format slate$"):
            placed_for(arguments, {"query": "q", name: 1})


async def test_wrong_values_of_a_workspace_search_are_all_named(calls: Calls) -> None:
    outcome = await calls.call(
        "search_workspace", {"query": "q", "options": ["concurrency=0"], "merge": "best"}
    )

    assert outcome.failed
    assert outcome.document["ok"] is False
    fields = [issue["field"] for issue in outcome.document["error"]["issues"]]
    assert sorted(fields) == ["concurrency", "merge"]


async def test_a_workspace_is_named_by_its_id(
    calls: Calls, federator: FakeFederator, workspace_file: Path
) -> None:
    known = load_workspace(workspace_file, resolve_root=canonical_root).repo_set_id

    outcome = await calls.call("search_workspace", {"query": "q", "workspace": known})

    assert not outcome.failed
    assert federator.asked == [("search", workspace_file)]


@pytest.mark.parametrize("right", [True, False])
async def test_the_id_beside_a_path_is_the_one_that_is_expected(
    calls: Calls, federator: FakeFederator, workspace_file: Path, *, right: bool
) -> None:
    """The contract's request may hold both; another workspace must not answer."""
    known = load_workspace(workspace_file, resolve_root=canonical_root).repo_set_id
    expected = known if right else "ws1-0000000000000000"
    given = {"query": "q", "workspacePath": str(workspace_file), "workspaceId": expected}

    outcome = await calls.call("search_workspace", given)

    assert outcome.failed is not right
    assert federator.asked == ([("search", workspace_file)] if right else [])
    assert right or f"the workspace is {known}" in str(outcome.document["message"])


async def test_an_answer_that_nobody_gave_is_a_failure(
    calls: Calls, federator: FakeFederator
) -> None:
    """Its document holds all that is known of the repositories, and what to do."""
    federator.failing = True

    outcome = await calls.call("search_workspace", {"query": "q"})

    assert outcome.failed
    assert outcome.document["code"] == "no_index"
    assert "ggrep index" in outcome.document["hint"]


async def test_repositories_outside_fail_on_their_own(
    federator: FakeFederator, own: Path, other: Path, workspace_file: Path
) -> None:
    """One of them must not keep the others from answering."""
    files = StartOptions(directory=own, allowed=(own, workspace_file.parent / "both.jsonc"))
    outside = Calls(federator, Access(files), shows_paths=True)

    outcome = await outside.call(
        "search_workspace", {"query": "q", "workspace": str(workspace_file)}
    )

    assert not outcome.failed, outcome.document
    workspace = load_workspace(workspace_file, resolve_root=canonical_root)
    assert federator.forbidden == {workspace.repos[1].repo_id}


async def test_deep_health_is_asked_for_by_true_alone(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    await calls.call("ggrep_health", {})
    await calls.call("ggrep_health", {"deep": True})

    assert [what for _, what in federator.asked] == [(own, False), (own, True)]


async def test_too_many_calls_at_once_are_told_to_wait(
    federator: FakeFederator, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue without an end is an answer without one."""
    monkeypatch.setattr(subject, "MAX_IN_FLIGHT", 1)
    calls = Calls(federator, Access(StartOptions(directory=own)), shows_paths=True)
    federator.gate = anyio.Event()

    async with anyio.create_task_group() as group:
        group.start_soon(calls.call, "ggrep_status", {})
        await federator.begun.wait()
        refused = await calls.call("ggrep_status", {})
        federator.gate.set()
    served = await calls.call("ggrep_status", {})

    assert refused.failed
    assert refused.document["error"]["retry_after_ms"] == 1000
    assert not served.failed


async def test_a_look_that_lasts_too_long_is_given_up(
    calls: Calls, federator: FakeFederator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients give up as well, and say less about it."""
    monkeypatch.setattr(subject, "LOOK_S", 0.0)
    federator.gate = anyio.Event()

    outcome = await calls.call("ggrep_status", {})

    assert outcome.document["code"] == DeadlineExceeded.code


async def test_paths_are_not_shown_to_callers_from_elsewhere(
    federator: FakeFederator, own: Path
) -> None:
    """They say more of this machine than the answer does."""
    federator.fail = GgrepError(f"{own}/x: broken")
    calls = Calls(federator, Access(StartOptions(directory=own)), shows_paths=False)

    outcome = await calls.call("search", {"query": "q"})

    assert str(own) not in outcome.document["message"]
    assert str(own) not in outcome.document["error"]["message"]


class Unsaid(FakeFederator):
    """A federator whose answers were merged as nobody said."""

    async def search(self, *given: Any, **named: Any) -> FakeAnswer:
        """Answer as ever, and say so."""
        return replace(await FakeFederator.search(self, *given, **named), merge_unsaid=True)


async def test_a_merge_that_nobody_chose_is_said_in_the_text_alone(
    own: Path, workspace_file: Path
) -> None:
    """An agent can choose another; programs see the strategy in the document."""
    start = StartOptions(directory=own, workspaces=(workspace_file,))
    asked = {"query": "q"}

    output = await Calls(Unsaid(), Access(start), shows_paths=True).call("search_workspace", asked)
    plain = Calls(FakeFederator(), Access(start), shows_paths=True)
    silent = await plain.call("search_workspace", asked)

    assert output.notes == (MERGED_BY_RANK,)
    assert silent.notes == ()
    assert output.document == silent.document


@pytest.mark.parametrize("tool", NAMED)
async def test_several_names_of_a_workspace_are_asked_one_by_one(
    calls: Calls, federator: FakeFederator, tool: str
) -> None:
    """None is passed over, and one that means nothing does not hide the others."""
    _, several = SEVERAL[tool]
    outcome = await calls.call(tool, {several: ["a.py", "b.py"], "options": ["only=own"]})

    asked = [getattr(each, "name", None) or each.target for _, each in federator.asked]
    assert asked == ["a.py", "b.py"]
    assert not outcome.failed, outcome.document
    assert len(outcome.document["answers"]) == 2
