"""Slates, names and places over HTTP."""

import anyio
import pytest

from ggrep.base.errors import Busy, GgrepError, InvalidRequest, SessionExpired, SessionFull
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from tests.fakes.golden_documents import golden
from tests.fakes.sites import Site

LEAST: dict[str, dict[str, object]] = {
    "/context": {"query": "refund"},
    "/symbol": {"name": "refund"},
    "/references": {"name": "refund"},
    "/expand": {"target": "a.py:3"},
    "/outline": {"path": "a.py"},
    "/tour": {},
}
CASES = [
    (
        "/context",
        {"slate": {"level": 2, "maxFiles": 3}, "session": {"token": "t", "deltaOnly": True}},
        SlateRequest(
            SearchRequest("refund"),
            level=2,
            budgets=Budgets(files=3),
            session=SessionRequest("t", "refine", delta_only=True),
        ),
        "slate",
    ),
    (
        "/symbol",
        {"filter": ["lang:python"], "limit": 5},
        SymbolRequest("refund", "", (Filter("lang", "python"),), 5, timeout_ms=60_000),
        "symbol",
    ),
    (
        "/references",
        {"strings": True, "scope": "src"},
        ReferencesRequest("refund", "src", strings=True, timeout_ms=60_000),
        "references",
    ),
    (
        "/expand",
        {"boundary": "file", "maxBytes": 99},
        ExpandRequest("a.py:3", "file", 99, timeout_ms=60_000),
        "expand",
    ),
]
every = pytest.mark.parametrize("route", LEAST)


@pytest.mark.parametrize(
    ("route", "body", "request_", "name"), CASES, ids=[case[0] for case in CASES]
)
async def test_a_question_is_passed_on(
    site: Site, route: str, body: dict[str, object], request_: object, name: str
) -> None:
    """The answer comes back as the daemon's."""
    root = site.place / "in" / "a"

    response = await site.client.post(route, json={**LEAST[route], **body, "root": str(root)})

    assert response.status_code == 200
    assert response.json() == golden(f"{name}_success")
    assert site.service.asked == [(root, request_)]


@every
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [("out/c", 403, "forbidden"), ("in/../out/c", 403, "forbidden"), ("in/no", 400, None)],
)
async def test_a_root_is_a_directory_inside(
    site: Site, route: str, path: str, status: int, code: str | None
) -> None:
    """Else nobody is asked, and no path is told."""
    root = str(site.place / path)

    response = await site.client.post(route, json={**LEAST[route], "root": root})

    assert (response.status_code, response.json()["code"]) == (status, code or "invalid_request")
    assert str(site.place) not in response.text
    assert site.service.asked == []


@every
async def test_the_token_is_wanted_here_too(site: Site, route: str) -> None:
    """The same gate stands before every route."""
    refused = await site.client.post(route, json=LEAST[route], headers={"authorization": "x"})
    foreign = await site.client.post(route, json=LEAST[route], headers={"host": "evil.example"})

    assert (refused.status_code, foreign.status_code) == (401, 421)
    assert site.service.asked == []


@every
async def test_what_is_wrong_is_said(site: Site, route: str) -> None:
    """By its place in the body; and a body is JSON."""
    root = str(site.place / "in" / "a")
    unknown = await site.client.post(route, json={**LEAST[route], "root": root, "surprise": 1})
    form = await site.client.post(route, content=b"query=refund")

    assert unknown.status_code == 400
    assert "$.surprise" in unknown.json()["error"]["message"]
    assert form.status_code == 415
    assert site.service.asked == []


@every
async def test_a_failure_has_the_envelope(site: Site, route: str) -> None:
    """With the status that its code has everywhere."""
    body = {**LEAST[route], "root": str(site.place / "in" / "a")}
    site.service.fail += [Busy(retry_after_ms=1_500), InvalidRequest("no such place")]

    busy = await site.client.post(route, json=body)
    invalid = await site.client.post(route, json=body)

    assert (busy.status_code, busy.headers["retry-after"]) == (429, "2")
    assert (invalid.status_code, invalid.json()["code"]) == (400, "invalid_request")
    assert busy.json()["backend"] == invalid.json()["backend"] == "repository"


@pytest.mark.parametrize("error", [SessionExpired("it ended"), SessionFull("it is full")])
async def test_a_session_that_cannot_go_on_is_told_from_a_wrong_question(
    site: Site, error: GgrepError
) -> None:
    """The same question without the token is answered."""
    site.service.fail.append(error)

    response = await site.client.post(
        "/context", json={"query": "q", "root": str(site.place / "in" / "a")}
    )

    assert (response.status_code, response.json()["code"]) == (409, error.code)


async def test_places_for_questions_are_those_of_searches(make_site: object) -> None:
    """Nobody gets around the bound by another route."""
    site: Site = make_site(max_searches=1)  # type: ignore[operator] # a fixture's function
    begun, go_on = anyio.Event(), anyio.Event()

    async def pause(_: str) -> None:
        begun.set()
        await go_on.wait()

    site.service.pause = pause
    root = str(site.place / "in" / "a")
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: site.client.post("/search", json={"query": "q", "root": root}))
        await begun.wait()
        response = await site.client.post("/symbol", json={"name": "n", "root": root})
        go_on.set()

    assert response.status_code == 429
