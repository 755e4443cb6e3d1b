"""Names of the contracts, of bodies and of answers are understood as arguments."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.arguments import ALSO, body_of, in_our_words, read_arguments
from ggrep.interfaces.mcp.tools import BY_NAME, ELSEWHERE, TOOLS


def ours(tool: str, **given: object) -> dict[str, object]:
    return in_our_words(tool, BY_NAME[tool].every, given, ELSEWHERE)


@pytest.mark.parametrize(
    ("tool", "output", "name"),
    [
        ("search_workspace", "workspacePath", "workspace"),
        ("search_workspace", "workspace_path", "workspace"),
        ("symbol", "workspaceId", "workspace"),
        ("search_workspace", "repoFilter", "repo_filter"),
        ("search_workspace", "repo-filter", "repo_filter"),
        ("search_workspace", "includeDisabled", "include_disabled"),
        ("search_workspace", "tag", "tags"),
        ("search_workspace", "rrfK", "rrf_k"),
        ("search_workspace", "perRepoTop", "per_repo_top"),
        ("search_workspace", "top-per-repo", "per_repo_top"),
        ("search", "topK", "top"),
        ("search", "max_results", "top"),
        ("search", "limit", "top"),
        ("search", "perFile", "per_file"),
        ("search", "repoRoot", "root"),
        ("search", "repo", "root"),
        ("context", "session_token", "session"),
        ("context", "deltaOnly", "delta_only"),
        ("context", "max_slate_bytes", "max_bytes"),
        ("context", "max_evidence_per_file", "evidence"),
        ("symbol", "top", "limit"),
        ("references", "max_references", "limit"),
        ("expand", "max_expand_bytes", "max_bytes"),
        ("expand", "path", "target"),
    ],
)
def test_a_name_of_the_contracts_or_of_an_answer_is_understood(
    tool: str, output: str, name: str
) -> None:
    """Whoever wrote a client after the contract is right, too."""
    assert ours(tool, **{output: "x"}) == {name: "x"}


def test_the_body_of_the_contract_is_understood_as_it_is() -> None:
    """The contract has this tool take what its HTTP request takes."""
    given = {
        "workspacePath": "/w.jsonc",
        "query": "risk:sql injection",
        "search": {
            "mode": "all",
            "top": 7,
            "backend": "auto",
            "filter": None,
            "compact": True,
            "stats": False,
        },
        "select": {
            "repos": ["poc"],
            "tags": ["service"],
            "repoFilter": ["svc-*"],
            "includeDisabled": False,
        },
        "merge": {"strategy": "rrf", "rrfK": 60},
        "limits": {"perRepoTop": 20, "concurrency": 4},
    }
    tool = BY_NAME["search_workspace"]

    values = read_arguments(tool.name, tool.arguments, ours(tool.name, **given), tool.rare)

    del given["search"]["filter"]
    given["search"] |= {"mode": ["all"], "snippet": "short"}
    assert body_of(tool.every, values) == given


def test_other_places_of_the_contract_mean_the_same() -> None:
    """HTTP accepts them, so a request that was written for it works here."""
    given = {"select": {"tag": ["a"], "repo-filter": ["svc-*"]}, "limits": {"allRepos": True}}

    assert ours("search_workspace", **given) == {
        "tags": ["a"],
        "repo_filter": ["svc-*"],
        "all_repos": True,
    }


def test_an_unknown_key_of_a_body_is_refused_by_its_place() -> None:
    """Passed over, it would look as if it had an effect."""
    with pytest.raises(
        InvalidRequest, match=r"unknown argument 'search\.tops'; did you mean top\?"
    ):
        ours("search_workspace", query="q", search={"tops": 3})


def test_two_names_of_one_argument_have_to_agree() -> None:
    """Either could be meant."""
    with pytest.raises(
        InvalidRequest, match=r"^search: top and topK have the same meaning; use one of them"
    ):
        ours("search", top=3, topK=4)
    assert ours("search", top=3, topK=3) == {"top": 3}
    assert ours("search", top=3, topK=None) == ours("search", top=None, topK=3) == {"top": 3}


def test_no_spelling_stands_for_two_arguments() -> None:
    for tool in TOOLS:
        for name in (item.name for item in tool.every):
            assert ours(tool.name, **{name: 1}) == {name: 1}

    for tool in TOOLS:
        named = {item.name for item in tool.every}
        messages = [each for name in sorted(named & ALSO.keys()) for each in ALSO[name]]
        assert len(set(messages) - named) == len([each for each in messages if each not in named])


def test_an_unknown_argument_is_refused_with_the_one_that_was_meant() -> None:
    """A scope that is passed over silently gives answers about something else."""
    with pytest.raises(InvalidRequest) as refused:
        ours("expand", targett="x")

    assert str(refused.value) == (
        "expand: unknown argument 'targett'; did you mean target?;"
        " known arguments: target, targets, root, boundary, focus, max_bytes, workspace,"
        " structured, tests, deterministic, timeout_ms, select, tags, repo_filter,"
        " include_disabled, only, concurrency, strict, stats, comments, options"
    )


def test_an_unknown_argument_is_refused_with_what_is_known() -> None:
    with pytest.raises(
        InvalidRequest, match="'boundary'; tools with this argument: expand; known arguments: "
    ):
        ours("search", query="q", boundary="file")

    with pytest.raises(
        InvalidRequest, match=r"^search: unknown argument 'zz'; known arguments: query, "
    ):
        ours("search", query="q", zz=3)

    with pytest.raises(InvalidRequest, match="'zz1'"):
        ours("search", zz2=1, zz1=1)

    with pytest.raises(InvalidRequest) as refused:
        ours("search", **{"x" * 1000: 1})

    assert len(str(refused.value)) < 400

    with pytest.raises(InvalidRequest, match="unknown argument 'options'"):
        ours("ggrep_health", options=["top=7"])
