"""The page's files, its credentials, and which requests of browsers are let in."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from ggrep.base.clock import SystemClock
from ggrep.interfaces.api.page import load_assets
from ggrep.interfaces.surfaces.page_keys import KEY_S, PageKeys
from tests.fakes.sites import TOKEN, Site

OWN = "http://127.0.0.1:7347"


class SetClock(SystemClock):
    """A clock that says what a test sets."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


@pytest.fixture
def browser(site: Site) -> httpx.AsyncClient:
    del site.client.headers["authorization"]
    site.client.base_url = httpx.URL(OWN)
    return site.client


def bearer(credential: str) -> dict[str, str]:
    return {"authorization": f"Bearer {credential}"}


def test_the_files_are_small_and_make_no_markup_of_text() -> None:
    """300 kB in all; a script that parsed markup or evaluated text could be fed by a file."""
    assets = load_assets()
    scripts = b"".join(asset.data for path, asset in assets.items() if path.endswith(".js"))

    assert sum(len(asset.data) for asset in assets.values()) <= 300_000
    forbidden = rb"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|DOMParser"
    assert not re.search(forbidden, scripts)


def test_the_document_holds_no_script_and_no_style_of_its_own() -> None:
    assets = load_assets()
    document = assets["/"].data.decode()

    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:", document)
    named = set(re.findall(r'(?:href|src)="(/page/[^"]+)"', document))
    assert named == {path for path in assets if path != "/"}


async def test_the_files_need_no_token_and_forbid_all_that_is_not_the_server_s(
    browser: httpx.AsyncClient,
) -> None:
    for path in load_assets():
        response = await browser.get(path, params={"q": "secret"})
        policy = response.headers["content-security-policy"]

        assert response.status_code == 200
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == (
            "max-age=3600" if path.endswith(".svg") else "no-store"
        )
    assert (await browser.get("/places")).status_code == 401


async def test_a_link_of_another_site_opens_the_page_and_nothing_else(
    browser: httpx.AsyncClient,
) -> None:
    """A link in a mail leads here; a picture or a frame of another site does not."""
    opened = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}
    framed = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe"}

    assert (await browser.get("/", headers=opened)).status_code == 200
    assert (await browser.get("/", headers=framed)).status_code == 403
    assert (await browser.get("/page/app.js", headers=opened)).status_code == 403
    assert (await browser.get("/places", headers=opened)).status_code == 403
    assert (await browser.post("/session", headers=opened)).status_code == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (OWN, 200),
        ("http://127.0.0.1:7348", 403),
        ("http://127.0.0.1", 403),
        ("http://localhost:7347", 403),
        ("null", 403),
    ],
)
async def test_the_page_may_ask_and_pages_of_other_ports_may_not(
    browser: httpx.AsyncClient, origin: str, status: int
) -> None:
    """All ports of a machine are one site to a browser, and other users may serve some."""
    response = await browser.post("/session", headers={**bearer(TOKEN), "origin": origin})

    assert response.status_code == status
    assert "access-control-allow-origin" not in response.headers


async def test_the_token_is_exchanged_for_a_key_that_every_route_takes(
    browser: httpx.AsyncClient,
) -> None:
    key = (await browser.post("/session", headers=bearer(TOKEN))).json()["key"]

    assert TOKEN not in key
    assert (await browser.get("/health", headers=bearer(key))).status_code == 200
    assert (await browser.get("/health", headers=bearer(key + "0"))).status_code == 401
    assert (await browser.post("/session", headers=bearer(key))).status_code == 401
    assert (await browser.post("/session")).status_code == 401


async def test_without_a_token_no_key_is_needed(make_site: Callable[..., Site]) -> None:
    site = make_site(token=None)

    assert (await site.client.post("/session")).json()["key"] is None
    assert (await site.client.get("/places")).json()["workspaces"] == []


def test_a_code_works_once() -> None:
    keys = PageKeys(TOKEN, SetClock())
    code = keys.new_code()

    key = keys.exchange(code)

    assert key is not None
    assert keys.accepts(key)
    assert keys.exchange(code) is None
    assert not keys.accepts(code)


def test_a_key_ends_with_its_time_and_with_its_server() -> None:
    clock = SetClock()
    keys = PageKeys(TOKEN, clock)
    key = keys.exchange(TOKEN)
    assert key is not None

    assert keys.accepts(key)
    assert not PageKeys(TOKEN, clock).accepts(key)
    end, _, mac = key.partition(".")
    assert not keys.accepts(f"{int(end) + 1}.{mac}")
    clock.seconds += KEY_S
    assert not keys.accepts(key)


@pytest.mark.parametrize("text", ["", ".", "1.", "é.x", "²." + "0" * 64, "9" * 5000 + ".x"])
def test_no_other_text_is_a_key(text: str) -> None:
    assert not PageKeys(TOKEN, SetClock()).accepts(text)


async def test_places_are_the_workspaces_and_their_repositories(
    make_site: Callable[..., Site], place: Path
) -> None:
    file = place / "in" / "ws" / "w.jsonc"
    other = file.parent.parent / "w.jsonc"
    twin = file.parent.parent / "a.jsonc"
    for broken in (other, twin):
        broken.write_text("{")
    site = make_site(workspaces=(file, other, twin), default_root=place / "in" / "a")

    answer = (await site.client.get("/places")).json()

    roots = [str(place / "in" / name) for name in ("a", "b")]
    assert answer["repository"] == {"name": "a", "root": roots[0]}
    assert answer["workspaces"] == [
        {
            "name": "w",
            "path": str(file),
            "repositories": [
                {"name": "a", "root": roots[0]},
                {"name": "b", "root": roots[1]},
            ],
        },
        {"name": "w-2", "path": str(other), "repositories": []},
        {"name": "a-2", "path": str(twin), "repositories": []},
    ]
    assert answer["editors"]["zed"] == "zed://file{path}:{line}"
