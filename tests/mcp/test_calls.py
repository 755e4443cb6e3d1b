"""What calls make of their arguments, and of what goes wrong."""

from pathlib import Path

import anyio
import pytest

from ggrep.domain.corpus import Corpus, Mode
from ggrep.domain.request import Filter, SearchRequest, SnippetMode
from ggrep.errors import DeadlineExceeded, GgrepError
from ggrep.federation.workspace import load_workspace
from ggrep.identity.root import canonical_root
from ggrep.mcp import calls as subject
from ggrep.mcp.calls import Calls
from ggrep.mcp.places import Places
from ggrep.mcp.start import Start
from tests.fakes.federators import FakeFederator


@pytest.fixture
def calls(federator: FakeFederator, own: Path, workspace_file: Path) -> Calls:
    """Return calls of a server that knows one workspace."""
    start = Start(directory=own, workspaces=(workspace_file,))
    return Calls(federator, Places(start), shows_paths=True)


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
        "explain": True,
        "deterministic": True,
        "timeout_ms": 1234,
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
        explain=True,
        deterministic=True,
        timeout_ms=1234,
    )
    assert federator.asked == [("search_repo", (own, wanted))]


async def test_a_search_shows_short_snippets_unless_told(
    calls: Calls, federator: FakeFederator
) -> None:
    """An agent that wants more reads the file."""
    await calls.call("search", {"query": "q"})

    assert federator.asked[0][1][1].snippet is SnippetMode.SHORT


async def test_a_path_within_a_repository_narrows_the_search(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """An agent that names a directory means that directory."""
    await calls.call("search", {"query": "q", "root": str(own / "src")})

    root, request = federator.asked[0][1]
    assert (root, request.scope) == (own, "src")


async def test_arguments_of_a_workspace_search_reach_the_request(
    calls: Calls, federator: FakeFederator
) -> None:
    """One body, one check, whatever the surface."""
    given = {
        "query": "q",
        "select": ["own"],
        "only": ["own", "other"],
        "tags": [],
        "repo_filter": ["o*"],
        "include_disabled": True,
        "merge": "global",
        "rrf_k": 7,
        "fold": False,
        "per_repo_top": 9,
        "max_repos": 2,
        "concurrency": 1,
        "cohort": ["code:abc"],
        "cohort_policy": "strict",
        "allow_unsafe_mix": True,
        "strict": True,
        "stats": True,
        "top": 4,
        "timeout_ms": 77,
    }

    outcome = await calls.call("search_workspace", given)

    assert not outcome.failed, outcome.document
    (request,) = federator.requests
    assert (request.select, request.only, request.tags) == (("own",), ("own", "other"), ())
    assert (request.repo_filter, request.include_disabled) == (("o*",), True)
    assert (request.merge_strategy, request.rrf_k, request.fold) == ("global", 7, False)
    assert (request.per_repo_top, request.max_repos, request.concurrency) == (9, 2, 1)
    assert (request.cohort, request.cohort_policy) == (("code:abc",), "strict")
    assert (request.allow_unsafe_mix, request.strict, request.stats) == (True, True, True)
    assert (request.top, request.search.timeout_ms) == (4, 77)
    assert request.include_paths is False


async def test_a_wrong_value_is_named_by_its_argument(calls: Calls) -> None:
    """A model has never seen the body that the message comes from."""
    outcome = await calls.call("search", {"query": "q", "per_file": -1})

    assert outcome.failed
    assert outcome.document["message"] == "per_file: must be 0 or more, is -1"


async def test_wrong_values_of_a_workspace_search_are_all_named(calls: Calls) -> None:
    """The next call can be right."""
    outcome = await calls.call(
        "search_workspace", {"query": "q", "concurrency": 0, "merge": "best"}
    )

    assert outcome.failed
    assert outcome.document["ok"] is False
    fields = [issue["field"] for issue in outcome.document["error"]["issues"]]
    assert sorted(fields) == ["concurrency", "merge"]


async def test_a_workspace_is_named_by_its_id(
    calls: Calls, federator: FakeFederator, workspace_file: Path
) -> None:
    """Agents need not know where the file lies."""
    known = load_workspace(workspace_file, resolve_root=canonical_root).repo_set_id

    outcome = await calls.call("search_workspace", {"query": "q", "workspace": known})

    assert not outcome.failed
    assert federator.asked == [("search", workspace_file)]


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
    files = Start(directory=own, allowed=(own, workspace_file.parent / "both.jsonc"))
    outside = Calls(federator, Places(files), shows_paths=True)

    outcome = await outside.call(
        "search_workspace", {"query": "q", "workspace": str(workspace_file)}
    )

    assert not outcome.failed, outcome.document
    workspace = load_workspace(workspace_file, resolve_root=canonical_root)
    assert federator.forbidden == {workspace.repos[1].repo_id}


async def test_deep_health_is_asked_for_by_true_alone(
    calls: Calls, federator: FakeFederator, own: Path
) -> None:
    """It reads every byte of the store."""
    await calls.call("ggrep_health", {})
    await calls.call("ggrep_health", {"deep": True})

    assert [what for _, what in federator.asked] == [(own, False), (own, True)]


async def test_too_many_calls_at_once_are_told_to_wait(
    calls: Calls, federator: FakeFederator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue without an end is an answer without one."""
    monkeypatch.setattr(subject, "MAX_IN_FLIGHT", 1)
    federator.gate = anyio.Event()

    async with anyio.create_task_group() as group:
        group.start_soon(calls.call, "ggrep_status", {})
        await federator.begun.wait()
        refused = await calls.call("ggrep_status", {})
        federator.gate.set()
    served = await calls.call("ggrep_status", {})

    assert refused.failed
    assert refused.document["error"]["retry_after_ms"] == 250
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
    calls = Calls(federator, Places(Start(directory=own)), shows_paths=False)

    outcome = await calls.call("search", {"query": "q"})

    assert str(own) not in outcome.document["message"]
    assert str(own) not in outcome.document["error"]["message"]
