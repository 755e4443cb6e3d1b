"""`/symbol/federated` and its like: names and places of a workspace, for those who may."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.fakes.sites import Site

ASKED = {
    "symbol": {"name": "retry"},
    "references": {"name": "retry"},
    "expand": {"target": "a:src/a1.py"},
}
EVERY = pytest.mark.parametrize("kind", ASKED)


async def ask(site: Site, kind: str, **more: object) -> httpx.Response:
    """Ask about the site's workspace."""
    body: dict[str, Any] = {
        "workspacePath": str(site.place / "in" / "ws" / "w.jsonc"),
        **ASKED[kind],
        **more,
    }
    return await site.client.post(f"/{kind}/federated", json=body)


@EVERY
async def test_a_workspace_answers(site: Site, kind: str) -> None:
    """With a row for each repository that was meant."""
    response = await ask(site, kind, deterministic=True)

    assert response.status_code == 200
    document = response.json()
    assert (document["ok"], document["format"]) == (True, kind)
    assert {row["status"] for row in document["repos"]} == {"ok"}


@EVERY
async def test_selection_is_the_workspaces_own(site: Site, kind: str) -> None:
    """And who is not meant has no row."""
    document = (await ask(site, kind, select={"only": ["a"]})).json()

    assert [row["alias"] for row in document["repos"]] == ["a"]


@EVERY
async def test_a_repository_outside_is_forbidden_by_name(site: Site, kind: str) -> None:
    """As in a search."""
    response = await ask(site, kind, select={"repos": ["c"]})

    assert (response.status_code, response.json()["code"]) == (403, "forbidden")


@EVERY
async def test_what_only_lists_heed_is_refused(site: Site, kind: str) -> None:
    """It would change nothing."""
    response = await ask(site, kind, merge="global")

    assert response.status_code == 400
    assert "merge" in response.json()["message"]


@EVERY
async def test_a_path_of_one_repository_is_refused(site: Site, kind: str) -> None:
    """A workspace has no scope, and no root."""
    for key in ("root", "scope"):
        response = await ask(site, kind, **{key: "/x"})

        assert response.status_code == 400
        assert key in response.json()["message"]


async def test_a_place_that_nobody_has_is_a_failure_with_rows(site: Site) -> None:
    """The caller sees who was asked."""
    response = await ask(site, "expand", target="nowhere.py")

    assert (response.status_code, response.json()["ok"]) == (400, False)
    assert len(response.json()["repos"]) == 2


@EVERY
async def test_absolute_paths_are_for_those_with_the_token(
    make_site: Callable[..., Site], kind: str
) -> None:
    """As in a search."""
    debug = {"includePaths": True}
    entitled = await ask(make_site(), kind, debug=debug)
    anyone = await ask(make_site(token=None), kind, debug=debug)

    assert entitled.json()["meta"]["workspace"]["workspacePath"].endswith("/in/ws/w.jsonc")
    assert (anyone.status_code, anyone.json()["code"]) == (403, "forbidden")
