"""Routes of one repository and of the server itself."""

from collections.abc import Callable

import anyio
import httpx
import pytest

from ggrep import __version__
from ggrep.base.errors import Busy, GgrepError, InvalidRequest, SessionExpired, SessionFull
from ggrep.model.filters import Filter
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from tests.fakes.golden_documents import golden
from tests.fakes.sites import Site

MakeSite = Callable[..., Site]


LEAST: dict[str, dict[str, object]] = {
    "/search": {"query": "refund"},
    "/context": {"query": "refund"},
    "/symbol": {"name": "refund"},
    "/references": {"name": "refund"},
    "/expand": {"target": "a.py:3"},
    "/outline": {"path": "a.py"},
    "/tour": {},
}
CASES = [
    ("/search", {"search": {"top": 3}}, SearchRequest("refund", limit=3), "query"),
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
    root = site.place / "in" / "a"

    response = await site.client.post(route, json={**LEAST[route], **body, "root": str(root)})

    assert response.status_code == 200
    assert response.json() == golden(f"{name}_success")
    assert site.service.asked == [(root, request_)]


@every
async def test_the_token_is_wanted_here_too(site: Site, route: str) -> None:
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
    site.service.fail.append(error)

    response = await site.client.post(
        "/context", json={"query": "q", "root": str(site.place / "in" / "a")}
    )

    assert (response.status_code, response.json()["code"]) == (409, error.code)


async def test_a_directory_means_the_repository_around_it(site: Site) -> None:
    root = site.place / "in" / "a"
    (root / "src").mkdir()
    (root / ".ggrep.toml").write_text("")

    await site.client.get("/status", params={"root": str(root / "src")})

    assert site.service.asked == [root]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("out/c", 403, "forbidden"),
        ("in/link", 403, "forbidden"),
        ("in/../out/c", 403, "forbidden"),
        ("in/nothing", 400, "invalid_request"),
        ("in/ws/w.jsonc", 400, "invalid_request"),
    ],
)
@pytest.mark.parametrize("route", [*LEAST, "/status", "/health"])
async def test_a_root_is_a_directory_inside(
    site: Site, route: str, path: str, status: int, code: str
) -> None:
    (site.place / "in" / "link").symlink_to(site.place / "out")
    root = str(site.place / path)

    response = await (
        site.client.post(route, json={**LEAST[route], "root": root})
        if route in LEAST
        else site.client.get(route, params={"root": root})
    )

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert str(site.place) not in response.text
    assert site.service.asked == []


async def test_a_repository_around_an_allowed_directory_must_be_allowed_itself(
    site: Site,
) -> None:
    (site.place / ".ggrep.toml").write_text("")

    response = await site.client.get("/status", params={"root": str(site.place / "in" / "a")})

    assert response.status_code == 403


async def test_a_relative_root_is_refused(site: Site) -> None:
    """Callers do not know where the server was started."""
    assert (await site.client.get("/status", params={"root": "a"})).status_code == 400


async def test_the_servers_own_repository_answers_for_none(make_site: MakeSite, site: Site) -> None:
    ours = make_site(default_root=site.place / "in" / "a")

    assert (await ours.client.get("/status")).status_code == 200
    assert ours.service.asked == [site.place / "in" / "a"]
    assert (await site.client.get("/status")).status_code == 400


async def test_the_servers_own_repository_must_stay_where_it_was(make_site: MakeSite) -> None:
    site = make_site()
    root = site.place / "in" / "a"
    ours = make_site(default_root=root)
    root.rmdir()
    root.symlink_to(site.place / "out")

    assert (await ours.client.get("/status")).status_code == 403


async def test_health_without_a_root_is_the_servers_own(site: Site) -> None:
    response = await site.client.get("/health")

    assert response.json() == {"schema_version": 1, "ok": True, "version": __version__}
    assert site.service.asked == []


@pytest.mark.parametrize(("word", "deep"), [("true", True), ("0", False)])
async def test_health_of_a_root_is_its_daemons(site: Site, word: str, deep: bool) -> None:
    root = site.place / "in" / "a"

    response = await site.client.get("/health", params={"root": str(root), "deep": word})

    assert response.json() == {"ok": True, "message": "<redacted>: all is well", "deep": deep}
    assert site.service.asked == [(root, deep)]


async def test_paths_are_shown_to_those_who_have_presented_the_token(make_site: MakeSite) -> None:
    entitled, anyone = make_site(), make_site(token=None)
    root = str(entitled.place / "in" / "a")

    shown = await entitled.client.get("/status", params={"root": root, "includePaths": "true"})
    hidden = await anyone.client.get("/status", params={"root": root})
    refused = await anyone.client.get("/status", params={"root": root, "includePaths": "true"})

    assert shown.json() == {"running": False, "root": root, "store_id": "a"}
    assert hidden.json() == {"running": False, "root": "<redacted>", "store_id": "a"}
    assert refused.status_code == 403


@pytest.mark.parametrize(
    "query", ["rooot=/x", "root=/x&root=/y", "includePaths=yes", "includePaths="]
)
async def test_parameters_are_known_and_given_once(site: Site, query: str) -> None:
    """A mistyped one would change the answer in silence."""
    assert (await site.client.get(f"/status?{query}")).status_code == 400
    assert (await site.client.get("/metrics?x=1")).status_code == 400
    assert (await site.client.get("/openapi.json?x=1")).status_code == 400


async def test_what_is_not_there_has_the_envelope_too(site: Site) -> None:
    missing = await site.client.get("/docs")
    slash = await site.client.get("/health/")
    method = await site.client.get("/search")

    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert slash.status_code == 404
    assert (method.status_code, method.json()["code"]) == (405, "method_not_allowed")
    assert method.headers["allow"] == "POST"


async def test_figures_count_by_route_and_status(site: Site) -> None:
    site.service.fail.append(Busy(retry_after_ms=1))
    await site.federated()
    await site.federated()
    await site.client.get("/made/up")
    await site.client.get("/health", headers={"authorization": "x"})

    response = await site.client.get("/metrics")

    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = response.text.splitlines()
    for line in (
        'ggrep_api_requests_total{route="/search/federated",status="429"} 1.0',
        'ggrep_api_requests_total{route="/search/federated",status="200"} 1.0',
        'ggrep_api_requests_total{route="other",status="404"} 1.0',
        'ggrep_api_requests_total{route="/health",status="401"} 1.0',
        'ggrep_api_request_seconds_count{route="/search/federated"} 2.0',
        "ggrep_api_requests_in_flight 1.0",
        "ggrep_daemons 0.0",
    ):
        assert line in lines


async def test_two_servers_count_for_themselves(make_site: MakeSite) -> None:
    """Figures of a process would be the sum of both."""
    await make_site().federated()

    assert "/search/federated" not in (await make_site().client.get("/metrics")).text


async def test_the_end_of_the_server_closes_its_desk(site: Site) -> None:
    """Connections to daemons are gone before the process is."""
    reports: list[str] = []
    starts = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> dict[str, str]:
        return starts.pop(0)

    async def send(message: dict[str, str]) -> None:
        reports.append(message["type"])

    await site.app({"type": "lifespan", "state": {}}, receive, send)

    assert reports == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert site.service.closed


async def test_each_connection_is_a_caller_of_its_own(site: Site) -> None:
    """Daemons serve callers in turn; all of them as one would have one turn."""

    def reached_by(port: int) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(site.app, client=("127.0.0.1", port))
        return httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=site.client.headers
        )

    root = str(site.place / "in" / "a")
    for port in (1, 2, 1):
        async with reached_by(port) as caller:
            await caller.post("/search", json={"query": "q", "root": root})

    first, second, third = site.service.callers
    assert first == third != second


async def test_queries_of_one_repository_share_the_places_of_searches(make_site: MakeSite) -> None:
    site, go_on = make_site(max_searches=1), anyio.Event()
    site.service.pause = lambda _: go_on.wait()
    root = str(site.place / "in" / "a")

    async def post(route: str) -> httpx.Response:
        return await site.client.post(route, json={**LEAST[route], "root": root})

    async with anyio.create_task_group() as group:
        group.start_soon(post, "/search")
        while not site.service.asked:
            await anyio.lowlevel.checkpoint()
        refused = [await post(route) for route in LEAST]
        go_on.set()

    assert {response.status_code for response in refused} == {429}


async def test_figures_are_of_daemons_whose_roots_are_allowed(site: Site) -> None:
    """The name of a repository outside is a label of each of its figures."""
    await site.client.get("/metrics")

    ((_, shows),) = site.service.asked
    assert shows(site.place / "in" / "a")
    assert not shows(site.place / "out" / "c")
