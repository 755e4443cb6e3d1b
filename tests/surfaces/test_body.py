"""A body becomes the request that it asks for, or all that is wrong with it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest, Issue, WorkspaceError
from ggrep.federation.federated_request import FederatedRequest
from ggrep.interfaces.surfaces.body import parse_federated_body, parse_repo_body
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import Backend, Find, SearchRequest, SnippetMode

LEAST = {"query": "refund", "workspacePath": "/srv/ws.jsonc"}
SHAPE = "ERR_FEDERATED_INVALID_REQUEST"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = (
    *("workspaceId", "search", "select", "tags", "tag", "repoFilter", "repo-filter", "only"),
    *("includeDisabled", "merge", "limits", "cohorts", "cohort", "allowUnsafeMix", "strict"),
    "debug",
)


def parsed(**fields: object) -> FederatedRequest:
    return parse_federated_body({**LEAST, **fields}).request


def searched(**fields: object) -> SearchRequest:
    return parsed(search=fields).search


def issues(**fields: object) -> tuple[Issue, ...]:
    with pytest.raises(WorkspaceError) as raised:
        parsed(**fields)
    return raised.value.issues


def places(**fields: object) -> list[str]:
    return [issue.field for issue in issues(**fields)]


def test_the_least_body_asks_for_the_usual_with_an_end() -> None:
    call = parse_federated_body(LEAST)

    assert call.workspace_path == "/srv/ws.jsonc"
    assert call.workspace_id is None
    assert call.request == FederatedRequest(SearchRequest("refund"))
    assert searched(timeoutMs=0).timeout_ms == SearchRequest("").timeout_ms
    assert searched().timeout_ms > 0
    assert searched(mode=["records", "code", "records"]).corpora == (Corpus.CODE, Corpus.RECORDS)
    assert searched(mode=["code", "all"]).corpora == CORPORA


def test_the_contracts_example_means_what_it_says() -> None:
    request = parsed(
        search={
            "mode": "all",
            "top": 10,
            "backend": "auto",
            "filter": None,
            "compact": True,
            "stats": False,
        },
        select={
            "repos": ["poc", "svc-a"],
            "tags": ["service"],
            "repoFilter": ["svc-*"],
            "includeDisabled": False,
        },
        merge={"strategy": "rrf", "rrfK": 60},
        limits={"perRepoTop": 20, "concurrency": 4},
    )

    assert request == FederatedRequest(
        SearchRequest("refund", per_file=1, snippet=SnippetMode.NONE),
        top=10,
        select=("poc", "svc-a"),
        tags=("service",),
        repo_filter=("svc-*",),
        merge_strategy="rrf",
        rrf_k=60,
        per_repo_top=20,
        concurrency=4,
    )


def test_every_setting_of_a_search_arrives() -> None:
    """A field that is read into nothing would be a wrong answer in silence."""
    assert searched(
        mode=["prose", "code"],
        intent="debug",
        top=3,
        perFile=1,
        backend="exact",
        filter=["lang:python", "-path:tests/**"],
        snippet="short",
        anchors=True,
        explain=True,
        deterministic=True,
        keepWeak=True,
        find="exact-text",
        vectors=False,
        timeoutMs=500,
    ) == SearchRequest(
        query="refund",
        limit=3,
        per_file=1,
        mode=Mode.DEBUG,
        corpora=(Corpus.CODE, Corpus.PROSE),
        filters=(Filter("lang", "python"), Filter("path", "tests/**", negated=True)),
        snippet=SnippetMode.SHORT,
        backend=Backend.EXACT,
        include_anchors=True,
        explain=True,
        deterministic=True,
        keep_weak=True,
        find=Find.EXACT_TEXT,
        vectors=False,
        timeout_ms=500,
    )


def test_everything_beside_the_search_arrives() -> None:
    request = parsed(
        search={"stats": True},
        merge={"strategy": "global", "fold": False},
        limits={"maxRepos": 7, "snippetBytes": 99},
        cohorts={"policy": "priority", "cohort": "k1", "allowUnsafeMix": True},
        only="a",
        strict=True,
        debug={"includePaths": True},
    )

    assert request == FederatedRequest(
        SearchRequest("refund"),
        merge_strategy="global",
        fold=False,
        max_repos=7,
        snippet_bytes=99,
        cohort=("k1",),
        cohort_policy="priority",
        allow_unsafe_mix=True,
        only=("a",),
        strict=True,
        include_paths=True,
        stats=True,
    )


def test_zero_is_a_number_and_null_counts_as_not_given() -> None:
    """`top: 0` is asked for on purpose; the contract's own example sends `filter: null`."""
    request = parsed(search={"top": 0, "perFile": 0}, limits={"perRepoTop": 0})

    assert (request.top, request.search.per_file, request.per_repo_top) == (0, 0, 0)
    assert parsed(**dict.fromkeys(KEYS)) == parsed()
    assert searched(scope=None, filter=None) == searched()


@pytest.mark.parametrize(
    "fields",
    [
        {"select": "a"},
        {"select": ["a"]},
        {"select": {"repos": "a"}},
        {"select": {"select": ["a"]}},
    ],
)
def test_repositories_are_selected_in_any_of_the_forms(fields: dict[str, object]) -> None:
    assert parsed(**fields).select == ("a",)


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize(
    ("key", "attribute", "value", "expected"),
    [
        ("tags", "tags", ["x"], ("x",)),
        ("tag", "tags", "x", ("x",)),
        ("repoFilter", "repo_filter", "x*", ("x*",)),
        ("repo-filter", "repo_filter", ["x*"], ("x*",)),
        ("only", "only", ["x"], ("x",)),
        ("includeDisabled", "include_disabled", True, True),
    ],
)
def test_a_selection_stands_inside_select_or_beside_it(
    *, outer: bool, key: str, attribute: str, value: object, expected: object
) -> None:
    """Both places are in use; neither may be passed over."""
    request = parsed(**({key: value} if outer else {"select": {key: value}}))

    assert getattr(request, attribute) == expected
    assert request.select == ()


def test_cohorts_are_named_in_either_place() -> None:
    """`cohort` alone is the shorter form; two names of one setting exclude each other."""
    assert parsed(cohort=["code:k"], allowUnsafeMix=True) == parsed(
        cohorts={"cohort": "code:k", "allowUnsafeMix": True}
    )

    assert parsed(merge="global").merge_strategy == "global"
    assert places(select={"repos": ["a"], "select": ["b"]}) == ["$.select.select"]
    assert places(select={"tags": ["a"]}, tag="a") == ["$.tag"]
    assert places(cohort="a", cohorts={"cohort": "a"}) == ["$.cohort"]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"nonsense": 1}, "$.nonsense"),
        ({"search": {"limit": 1}}, "$.search.limit"),
        ({"select": {"root": "x"}}, "$.select.root"),
        ({"merge": {"k": 1}}, "$.merge.k"),
        ({"limits": {"top": 1}}, "$.limits.top"),
        ({"cohorts": {"key": 1}}, "$.cohorts.key"),
        ({"debug": {"paths": True}}, "$.debug.paths"),
        ({"repo filter": "x"}, "$['repo filter']"),
    ],
)
def test_an_unknown_key_is_refused_wherever_it_stands(
    fields: dict[str, object], place: str
) -> None:
    """A mistyped key would otherwise change the answer in silence."""
    (issue,) = issues(**fields)

    assert (issue.code, issue.field, issue.reason) == (SHAPE, place, "unknown-key")


@pytest.mark.parametrize("key", ["args", "argv", "rawArgs"])
def test_raw_arguments_are_never_taken(key: str) -> None:
    """They would carry settings past every check."""
    (issue,) = issues(search={key: ["--repo", "/etc"]})

    assert "command-line arguments are not allowed" in issue.message


@pytest.mark.parametrize("value", [True, 1.0, "1", [1], {}])
@pytest.mark.parametrize(
    "place", ["search.top", "limits.concurrency", "merge.rrfK", "search.timeoutMs"]
)
def test_an_integer_is_an_integer(place: str, value: object) -> None:
    """`true` is 1 to Python, and 1.0 is 1 to many a client."""
    outer, inner = place.split(".")

    assert places(**{outer: {inner: value}}) == [f"$.{place}"]


@pytest.mark.parametrize("value", [0, 1, "true", []])
def test_a_boolean_is_a_boolean(value: object) -> None:
    """`"false"` is a string, and a true one."""
    assert places(strict=value) == ["$.strict"]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"search": []}, "$.search"),
        ({"search": {"top": 10**20}}, "$.search.top"),
        ({"select": 1}, "$.select"),
        ({"select": ["a", 1]}, "$.select"),
        ({"tags": {}}, "$.tags"),
        ({"merge": 1}, "$.merge"),
        ({"workspaceId": 1}, "$.workspaceId"),
        ({"search": {"backend": "fast"}}, "$.search.backend"),
        ({"search": {"snippet": "some"}}, "$.search.snippet"),
        ({"search": {"filter": "python"}}, "$.search.filter"),
        ({"search": {"scope": "src"}}, "$.search.scope"),
    ],
)
def test_a_wrong_value_is_named_by_its_place(fields: dict[str, object], place: str) -> None:
    """Machines find it by `field`."""
    assert places(**fields) == [place]


@pytest.mark.parametrize(
    ("fields", "place", "hint"),
    [
        ({"mode": "debug"}, "$.search.mode", "'debug' is an intent; use the field `intent`"),
        ({"intent": "code"}, "$.search.intent", "'code' is a corpus; use the field `mode`"),
        ({"intent": "all"}, "$.search.intent", "'all' is a corpus"),
        ({"mode": "both"}, "$.search.mode", "'both' is not one of all, code, prose"),
        ({"intent": "swift"}, "$.search.intent", "'swift' is not one of balanced, discovery"),
        ({"mode": []}, "$.search.mode", "must name at least one corpus"),
    ],
)
def test_a_word_in_the_wrong_place_is_sent_to_the_right_one(
    fields: dict[str, object], place: str, hint: str
) -> None:
    (issue,) = issues(search=fields)

    assert (issue.code, issue.field) == ("ERR_FEDERATED_INVALID_MODE", place)
    assert hint in issue.message


def test_what_is_missing_is_named() -> None:
    with pytest.raises(WorkspaceError) as raised:
        parse_federated_body({"workspaceId": "ws1-0"})

    assert [(issue.field, issue.reason) for issue in raised.value.issues] == [
        ("$.workspacePath", "required"),
        ("$.query", "required"),
    ]


@pytest.mark.parametrize("path", ["", "  ", "/a\0b", None, 3])
def test_a_path_is_the_path_of_something(path: object) -> None:
    """NUL would fail deep inside the system's calls."""
    assert places(workspacePath=path) == ["$.workspacePath"]


def test_ranges_are_the_requests_own_and_mistakes_said_at_once() -> None:
    result = issues(search={"top": 501}, limits={"concurrency": 0}, merge="nonsense")

    assert len(result) == 3
    assert {issue.code for issue in result} == {
        "ERR_FEDERATED_INVALID_LIMIT",
        "ERR_FEDERATED_INVALID_MERGE_STRATEGY",
    }

    assert places(strict=1, debug=1, merge=1) == ["$.merge", "$.strict", "$.debug"]
    assert len(issues(**{f"k{number}": 1 for number in range(1000)})) == 32

    (issue,) = issues(repo="/srv/x")

    assert issue.code == "ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED"


@pytest.mark.slow
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, JSON)))
def test_any_body_is_a_request_or_an_error_of_ours(fields: dict[str, object]) -> None:
    with suppress(WorkspaceError):
        assert parsed(**fields).search.query == "refund"


def test_a_search_of_one_repository_has_a_root_and_a_scope() -> None:
    call = parse_repo_body(
        "search",
        {"query": "q", "root": "/srv/x", "search": {"top": 2, "scope": "src", "mode": "code"}},
    )

    assert call.root == "/srv/x"
    assert call.request == SearchRequest("q", limit=2, scope="src", corpora=(Corpus.CODE,))
    assert parse_repo_body("search", {"query": "q"}).root is None


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "$.query: is missing"),
        ({"query": " "}, "$.query: the query must not be empty"),
        ({"query": "q", "root": ""}, "$.root: the root must not be empty"),
        ({"query": "q", "workspacePath": "/x"}, "unknown key 'workspacePath'"),
        ({"query": "q", "scope": "src"}, "$.scope: unknown key 'scope'"),
        ({"query": "q", "search": {"top": 0}}, "$.search.top: must be from 1 to 500, is 0"),
        ({"query": "q", "search": {"perFile": -1}}, "$.search.perFile: must be from 0 to 1000"),
        ({"query": "q", "search": {"top": 501}}, "$.search.top: must be from 1 to 500, is 501"),
        ({"query": "q", "search": {"timeoutMs": -1}}, "$.search.timeoutMs: must be 0 or more"),
        ({"query": 1, "root": 1}, "$.root: must be a string, is a number; $.query: must"),
    ],
)
def test_a_wrong_search_of_one_repository_is_refused(body: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        parse_repo_body("search", body)

    assert named in str(raised.value)
