"""Who is let in, and who is not."""

import itertools
from collections.abc import Callable

import pytest

from tests.fakes.sites import TOKEN, Site

MakeSite = Callable[..., Site]
PAGE = "https://page.example"
ROUTES = (
    ("POST", "/search/federated"),
    ("POST", "/search/federated/stream"),
    ("POST", "/search"),
    ("GET", "/status"),
    ("GET", "/health"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/nothing"),
    ("DELETE", "/health"),
)
BEARER = f"Bearer {TOKEN}"


async def status(site: Site, method: str = "GET", path: str = "/health", **headers: str) -> int:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return (await site.client.request(method, path, headers=given)).status_code


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_every_route_is_behind_the_token(site: Site, method: str, path: str) -> None:
    response = await site.client.request(method, path, headers={"authorization": ""})

    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer realm="ggrep"'
    assert response.json()["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (BEARER, 200),
        (f"bearer  {TOKEN} ", 200),
        (f"Basic {TOKEN}", 401),
        (TOKEN, 401),
        ("Bearer ", 401),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN.upper()}", 401),
    ],
)
async def test_the_token_is_all_of_the_token(site: Site, given: str, expected: int) -> None:
    assert await status(site, authorization=given) == expected


async def test_a_token_of_strange_letters_is_wrong_and_no_error(site: Site) -> None:
    """Headers are Latin-1; comparing strings of it would fail."""
    headers = [("authorization", "Bearer é".encode("latin-1"))]

    assert (await site.client.get("/health", headers=headers)).status_code == 401


async def test_two_tokens_are_none(make_site: MakeSite) -> None:
    site = make_site()
    del site.client.headers["authorization"]
    headers = [("authorization", BEARER), ("authorization", BEARER)]

    assert (await site.client.get("/health", headers=headers)).status_code == 401


async def test_without_a_token_everybody_on_loopback_may_ask(make_site: MakeSite) -> None:
    site = make_site(token=None)

    assert await status(site) == 200
    assert await status(site, authorization="Bearer nonsense") == 200


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:7345", "localhost", "LOCALHOST:1", "[::1]:7345", "box.lan:1"]
)
async def test_the_servers_own_names_are_let_in(make_site: MakeSite, host: str) -> None:
    assert await status(make_site(hosts=frozenset({"box.lan"})), host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:7345",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost.",
        "127.0.0.1@evil.example",
        "127.0.0.1:x",
        "127.0.0.1:123456",
        "127.0.0.1 ",
        "::1",
        "192.0.2.1",
    ],
)
async def test_other_names_are_turned_away(site: Site, host: str) -> None:
    response = await site.client.get("/health", headers={"host": host})

    assert (response.status_code, response.json()["code"]) == (421, "misdirected_request")


async def test_a_page_is_turned_away(site: Site) -> None:
    for origin in (PAGE, "null", "http://localhost:3000", ""):
        assert await status(site, origin=origin) == 403


async def test_a_page_that_was_named_may_ask(make_site: MakeSite) -> None:
    site = make_site(origins=frozenset({PAGE}))

    response = await site.client.get("/health", headers={"origin": PAGE})

    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == PAGE
    assert response.headers["vary"] == "origin"
    assert await status(site, origin="https://page.example.evil.example") == 403
    assert await status(site, origin=PAGE.upper()) == 403


async def test_a_named_page_may_read_its_failures_too(make_site: MakeSite) -> None:
    site = make_site(origins=frozenset({PAGE}))

    response = await site.client.get("/health", headers={"origin": PAGE, "authorization": ""})

    assert response.status_code == 401
    assert response.headers["access-control-allow-origin"] == PAGE


async def test_a_preflight_needs_no_token_but_the_right_page(make_site: MakeSite) -> None:
    site = make_site(origins=frozenset({PAGE}))
    asks = {"access-control-request-method": "POST", "authorization": ""}

    granted = await site.client.options("/search", headers={**asks, "origin": PAGE})
    refused = await site.client.options("/search", headers={**asks, "origin": "https://x.example"})
    nobody = await site.client.options("/search", headers=asks)

    assert granted.status_code == 204
    assert granted.headers["access-control-allow-headers"] == "authorization, content-type"
    assert granted.headers["access-control-allow-origin"] == PAGE
    assert (refused.status_code, nobody.status_code) == (403, 401)


@pytest.mark.parametrize(
    ("site_word", "expected"),
    [("none", 200), ("same-origin", 200), ("same-site", 403), ("cross-site", 403), ("x", 403)],
)
async def test_what_a_page_embeds_is_turned_away(
    make_site: MakeSite, site_word: str, expected: int
) -> None:
    assert await status(make_site(token=None), sec_fetch_site=site_word) == expected


@pytest.mark.slow
async def test_hostile_requests_are_turned_away_and_never_answered(make_site: MakeSite) -> None:
    """Every mixture of a wrong host, page, token, kind and body."""
    site = make_site(max_body_bytes=200)
    hosts = ({}, {"host": "evil.example"}, {"host": "[::1"})
    pages = ({}, {"origin": PAGE}, {"sec-fetch-site": "cross-site"})
    tokens = ({}, {"authorization": "Bearer wrong"}, {"authorization": "\x7f"})
    kinds = (
        {"content-type": "application/json"},
        {"content-type": "text/plain"},
        {"content-type": "application/json", "content-encoding": "gzip"},
        {},
    )
    bodies = (b"", b"{", b"[]", b'{"query":1}', b'{"a":1,"a":1}', b"[" * 150, b"\xff", b" " * 201)
    # Three of them, so that each of the eight bodies comes to both.
    paths = itertools.cycle(("/search", "/search/federated", "/search"))
    results = set()
    for *parts, body in itertools.product(hosts, pages, tokens, kinds, bodies):
        headers = {name: value for part in parts for name, value in part.items()}
        response = await site.client.post(next(paths), headers=headers, content=body)
        assert response.json()["ok"] is False
        results.add(response.status_code)

    assert results == {400, 401, 403, 413, 415, 421}
    assert site.service.asked == []
