"""Answers over local repositories and a team server's equal those of one machine with all."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import RemoteError
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.server_connection import ROUTE
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import SlateShape, federated_slate
from ggrep.model.slate import SessionRequest
from tests.fakes.mixed import Mixed
from tests.fakes.site import running_site
from tests.fakes.team import CLOCK, NEVER, SEARCHES, TREES, Team, answer, follow_ups, search

LOCAL = ("acme/cart", "acme/mail")
FAR = {"repos": ["tools/", "acme/site"]}


@pytest.fixture
async def mixed(team: Team, tmp_path: Path) -> AsyncIterator[Mixed]:
    async with running_site(team, tmp_path) as site:
        yield Mixed(team, site, tmp_path / "w.jsonc")


async def test_local_and_remote_repositories_are_searched_as_one_index(mixed: Mixed) -> None:
    whole, searchers = await mixed.asked(mixed.written(LOCAL, FAR))
    assert [repo.alias for repo in whole.repos] == [None, None, "site", "cart", "log"]
    here = mixed.here()
    for name, request in [*SEARCHES.items()][::5]:
        assert await answer(searchers, whole, request) == await answer(here, whole, request), name


@pytest.mark.parametrize("local", [(), ("acme/site",), ("acme/mail", "tools/cart", "tools/log")])
async def test_any_division_gives_the_same_answers(mixed: Mixed, local: tuple[str, ...]) -> None:
    names = [key for key in TREES if key not in local]
    whole, searchers = await mixed.asked(mixed.written(local, {"repos": names}))
    here = mixed.here()
    for name, request in [*SEARCHES.items()][::7]:
        assert await answer(searchers, whole, request) == await answer(here, whole, request), name


async def test_names_places_and_slates_of_a_mixed_workspace_are_those_of_one_machine(
    mixed: Mixed,
) -> None:
    whole, searchers = await mixed.asked(mixed.written(LOCAL, FAR))

    assert await follow_ups(searchers, whole) == await follow_ups(mixed.here(), whole)


async def test_a_question_costs_a_server_four_messages(mixed: Mixed) -> None:
    """Its repositories, their descriptions, their statistics, and their hits."""
    request = search("retry", merge_strategy="global", fold=False)
    workspace = mixed.written(LOCAL, FAR)
    whole, searchers = await mixed.asked(workspace)
    await answer(searchers, whole, request)
    kinds = [each["message"] and each["message"]["message"] for each in mixed.sent]

    assert kinds == [None, "joint_describe", "joint_pool", "joint_pool"]


async def test_no_vector_comes_from_a_server(mixed: Mixed) -> None:
    """It could be wrong, and is used for other repositories and later questions."""
    request = search("how is a request retried", merge_strategy="global", top=3, per_repo_top=1)
    whole, searchers = await mixed.asked(mixed.written(("tools/log",), {"repos": ["acme/"]}))
    given = await answer(searchers, whole, request)
    assert given == await answer(mixed.here(), whole, request)
    kinds = {each["message"] and each["message"]["message"] for each in mixed.sent}

    assert kinds == {None, "joint_describe", "term_stats", "pool"}


async def test_hidden_repositories_leave_no_trace(mixed: Mixed) -> None:
    mixed.user = "alice@example.com"  # who sees `acme/` only
    request = search("retry", merge_strategy="global")
    whole, searchers = await mixed.asked(mixed.written(["tools/log"], {}))
    assert [repo.place for repo in whole.repos[1:]] == [
        f"https://team.example.com/{key}" for key in sorted(TREES) if key.startswith("acme/")
    ]
    assert await answer(searchers, whole, request) == await answer(mixed.here(), whole, request)

    named = {"repos": ["tools/cart", "tools/none", "tools/"]}
    whole, _ = await mixed.asked(mixed.written(["tools/log"], named))
    assert [str(repo.failure) for repo in whole.repos[1:]] == [
        f"the team server https://team.example.com lists no repository {name!r} that you may see"
        for name in sorted(named["repos"])
    ]


async def test_a_message_about_a_hidden_repository_is_refused_like_one_about_none(
    mixed: Mixed,
) -> None:
    tree = mixed.team.epoch().repos["tools/log"].tree.sha256
    replies = [
        await mixed.site.post(
            ROUTE, {"repos": [[key, tree]], "message": {"message": "describe"}}, "alice@example.com"
        )
        for key in ("tools/log", "tools/none")
    ]
    assert replies[0].json()["error"]["code"] == "forbidden"
    assert replies[0].content == replies[1].content
    served = mixed.team.epoch().repos
    cart, mail = ([key, served[key].tree.sha256] for key in LOCAL)
    for repos in ([], [cart, cart], [cart, mail]):
        refused = await mixed.site.post(
            ROUTE, {"repos": repos, "message": {"message": "describe"}}, "ops@example.com"
        )
        assert refused.json()["error"]["code"] == "invalid_request"
    alone = await mixed.site.client.post(ROUTE, json={})
    assert alone.status_code == 401


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"repos": [["acme/cart", "0" * 64]], "message": {"message": "describe"}}, "snapshot_gone"),
        ({"repos": [], "message": {"message": "describe"}}, "invalid_request"),
        ({"repos": [["acme/cart", "TREE"]], "message": {"message": "status"}}, "invalid_request"),
        ({"repos": "acme"}, "invalid_request"),
    ],
)
async def test_other_messages_are_refused(mixed: Mixed, body: Any, code: str) -> None:
    tree = mixed.team.epoch().repos["acme/cart"].tree.sha256
    data = stable_json.dumps(body).replace(b"TREE", tree.encode())
    response = await mixed.site.post(ROUTE, stable_json.loads(data))

    assert response.json()["error"]["code"] == code


def _results(document: Any) -> list[tuple[str, str, int, float]]:
    return [(hit["repoId"], hit["file"], hit["start"], hit["score"]) for hit in document["results"]]


async def _parts(
    mixed: Mixed, request: FederatedRequest, send: Callable[[bytes, Deadline], bytes]
) -> tuple[Any, Any, Workspace]:
    """Return the answers with a server that `send` reaches, and without it."""
    whole, searchers = await mixed.asked(mixed.written(LOCAL, FAR), send)
    given = await federated_search(whole, request, searchers, CLOCK)
    without = replace(whole, repos=whole.repos[: len(LOCAL)])
    alone = await federated_search(without, request, mixed.here(), CLOCK)
    return given.to_json(), alone.to_json(), whole


def _failed(document: Any, whole: Workspace) -> dict[str, Any]:
    far = {repo.repo_id for repo in whole.repos if repo.remote is not None}
    rows = {row["repoId"]: row for row in document["repos"]}
    assert far == {name for name, row in rows.items() if row["status"] != "ok"}
    return {name: rows[name] for name in far}


@pytest.mark.parametrize("messages", range(5))
async def test_a_server_that_fails_leaves_the_other_rows_right(mixed: Mixed, messages: int) -> None:
    def send(data: bytes, deadline: Deadline) -> bytes:
        if len(mixed.sent) >= messages:
            raise RemoteError("the connection was closed")
        return mixed.send(data, deadline)

    request = search("retry", merge_strategy="global", top=10)
    given, alone, whole = await _parts(mixed, request, send)

    assert {row["status"] for row in _failed(given, whole).values()} == {"error"}
    assert {row["couldChange"]["verdict"] for row in _failed(given, whole).values()} <= {
        "yes",
        "unknown",
    }
    assert _results(given) == _results(alone)
    assert given["ok"]


async def test_a_server_that_hangs_ends_at_the_deadline(mixed: Mixed) -> None:
    released = Event()

    def send(data: bytes, deadline: Deadline) -> bytes:
        if len(mixed.sent) >= 1:
            released.wait(30)
        return mixed.send(data, deadline)

    request = search("retry", merge_strategy="global", top=10, search_timeout_ms=6_000)
    began_ms = CLOCK.monotonic_ms()
    try:
        given, alone, whole = await _parts(mixed, request, send)
        assert CLOCK.monotonic_ms() - began_ms < 25_000
    finally:
        released.set()
    assert {row["status"] for row in _failed(given, whole).values()} == {"timeout"}
    assert _results(given) == _results(alone)


def _changed(change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    return lambda data: stable_json.dumps(change(stable_json.loads(data)))


def _counting_wrong(reply: Any) -> Any:
    for figures in (reply.get("pools") or {}).get("figures"), reply.get("statistics"):
        if figures:
            kept = "held" if "held" in figures else "terms"
            figures[kept] = [[10**9 for _ in column] for column in figures[kept]]
    return reply


def _with_members(reply: Any) -> Any:
    for listed in (reply.get("pools") or {}).get("lists") or ():
        listed["member"] = 99
    return reply


def _with_signals(reply: Any) -> Any:
    for part in reply.get("pools"), reply.get("pool"), reply:
        if part and "leading" in part:
            part["leading"]["weight"] = -1.0
    return reply


def _with_chunk_ids(reply: Any) -> Any:
    for listed in (reply.get("pools") or {}).get("lists") or ():
        for _, hits in listed["corpora"]:
            for hit in hits:
                hit["chunk_id"] = "zz"
    return reply


LIES: dict[str, Callable[[bytes], bytes]] = {
    "no JSON": lambda _: b"<html>",
    "a list": lambda _: b"[]",
    "nothing": lambda _: b"{}",
    "too deep": lambda _: b"[" * 100_000,
    "no members": _changed(_with_members),
    "statistics": _changed(_counting_wrong),
    "signals": _changed(_with_signals),
    "chunk ids": _changed(_with_chunk_ids),
    "short": lambda data: data[: len(data) // 2],
}


@pytest.mark.parametrize("name", LIES)
async def test_a_lying_server_fails_alone(mixed: Mixed, name: str) -> None:
    def send(data: bytes, deadline: Deadline) -> bytes:
        reply = mixed.send(data, deadline)
        return reply if len(mixed.sent) < 3 else LIES[name](reply)

    request = search("retry", merge_strategy="global", fold=False, top=10)
    given, alone, whole = await _parts(mixed, request, send)

    failed = _failed(given, whole)
    assert {row["status"] for row in failed.values()} == {"error"}
    assert all("invalid reply" in row["error"]["message"] for row in failed.values())
    assert _results(given) == _results(alone)


async def test_a_session_needs_local_repositories(mixed: Mixed) -> None:
    whole, searchers = await mixed.asked(mixed.written(LOCAL, FAR))
    shape = SlateShape(session=SessionRequest())
    slate = await federated_slate(whole, search("retry"), shape, searchers, CLOCK)

    assert "has no sessions" in stable_json.dumps(slate.to_json()).decode()


async def test_the_state_of_a_server_names_its_repositories(mixed: Mixed) -> None:
    states = await mixed.servers().states(mixed.written(LOCAL, FAR), NEVER)

    assert [(each.repos, each.problems) for each in states] == [
        (("acme/site", "tools/cart", "tools/log"), ())
    ]
