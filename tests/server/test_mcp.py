"""MCP of a server: the tools of `ggrep mcp`, for the repositories of the token's user."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from ggrep.base import stable_json
from ggrep.server.epoch import repo_id, root_of
from tests.fakes.site import BODY, running_site
from tests.fakes.team import Team

ALICE, OPS = "alice@example.com", "ops@example.com"
SEARCH = {"deterministic": True, "timeoutMs": 20_000}
OPTIONS = ["deterministic=true", "timeout_ms=20000"]
SAME: tuple[tuple[str, Mapping[str, Any], str, Mapping[str, Any]], ...] = (
    (
        "search_workspace",
        {"query": "retry", "merge": {"strategy": "global"}, "search": SEARCH},
        "/search/federated",
        BODY,
    ),
    (
        "search",
        {"query": "retry", "root": "/acme/cart", "options": OPTIONS},
        "/search",
        {"query": "retry", "root": "/acme/cart", "search": {**SEARCH, "snippet": "short"}},
    ),
    (
        "symbol",
        {"name": "retry", "workspace": "/team", "deterministic": True},
        "/symbol/federated",
        {"name": "retry", "workspacePath": "/team", "deterministic": True},
    ),
    (
        "expand",
        {"target": "mail:mail/send.go:3", "workspace": "/team", "deterministic": True},
        "/expand/federated",
        {"target": "mail:mail/send.go:3", "workspacePath": "/team", "deterministic": True},
    ),
)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_tools_return_the_bytes_of_http_for_each_user(
    team: Team, tmp_path: Path, mode: str
) -> None:
    async with running_site(team, tmp_path) as site, site.app.router.lifespan_context(site.app):
        for user in (ALICE, OPS):
            async with site.tools(user, mode) as client:
                for tool, arguments, path, body in SAME:
                    result = await client.call_tool(tool, {**arguments, "structured": True})
                    response = await site.post(path, body, user)

                    assert response.status_code == 200, response.text
                    content = stable_json.dumps(result.structured_content)
                    assert content + b"\n" == response.content, tool


async def test_tools_and_resources_are_those_of_a_server(team: Team, tmp_path: Path) -> None:
    async with (
        running_site(team, tmp_path) as site,
        site.app.router.lifespan_context(site.app),
        site.tools(ALICE) as client,
    ):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"search", "context", "search_workspace", "outline"} < names
        assert not names & {"ggrep_status", "ggrep_health"}
        (resource,) = (await client.list_resources()).resources
        assert str(resource.uri) == "ggrep://workspace"
        for refused in ("ggrep_status", "ggrep_health"):
            with pytest.raises(Exception, match="unknown tool"):
                await client.call_tool(refused, {"root": "/acme/cart"})
        part = await client.call_tool("outline", {"root": "/acme/cart/src"})
        assert "add_item" in part.content[0].text
        assert "guide.md" not in part.content[0].text


CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("search_workspace", {"query": "retry"}),
    ("search_workspace", {"query": "retry", "only": ["log"]}),
    ("search_workspace", {"query": "retry", "format": "slate"}),
    ("search_workspace", {"query": "retry", "workspace": "/absent"}),
    ("symbol", {"name": "log", "workspace": "/team"}),
    ("references", {"names": ["retry", "log"], "workspace": "/team"}),
    ("expand", {"target": "log:log.py:1", "workspace": "/team"}),
    *(
        (tool, {**arguments, "root": f"{root}{below}"})
        for tool, arguments in (
            ("search", {"query": "line"}),
            ("context", {"query": "line"}),
            ("symbol", {"name": "log"}),
            ("references", {"name": "log"}),
            ("expand", {"target": "log.py:1"}),
            ("outline", {}),
        )
        for root in ("/tools/log", "/tools/absent")
        for below in ("", "/src")
    ),
)
SECRETS = ("tools/log", "log.py", "Write a line", "def log", repo_id(root_of("tools/log")))


async def _texts(client: Client) -> list[str]:
    texts = []
    for tool, arguments in CALLS:
        for structured in (False, True):
            asked = {**arguments, "structured": structured}
            result = await client.call_tool(tool, asked)
            text = result.model_dump_json()
            target = arguments.get("target", "")
            for echo in (arguments.get("root"), target, target.rpartition(":")[0]):
                text = text.replace(echo, "") if echo else text
            texts.append(text)
    workspace = await client.read_resource("ggrep://workspace")
    return [*texts, workspace.model_dump_json()]


async def test_a_hidden_repository_is_in_no_answer_and_no_error_of_a_tool(
    team: Team, tmp_path: Path
) -> None:
    async with running_site(team, tmp_path) as site, site.app.router.lifespan_context(site.app):
        async with site.tools(ALICE) as client:
            texts = await _texts(client)
        async with site.tools(OPS) as client:
            whole = await _texts(client)

    assert not [(secret, text) for text in texts for secret in SECRETS if secret in text]
    assert all(any(secret in text for text in whole) for secret in SECRETS)
    hidden, absent = (
        [text for (_, given), text in zip(CALLS, texts[::2], strict=False) if name in str(given)]
        for name in ("/tools/log", "/tools/absent")
    )
    assert hidden == absent
    assert len(hidden) == 12


async def test_a_message_without_a_valid_token_is_refused(team: Team, tmp_path: Path) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with running_site(team, tmp_path) as site, site.app.router.lifespan_context(site.app):
        for headers in ({}, {"authorization": "Bearer x"}):
            response = await site.client.post("/mcp", json=message, headers=headers)

            assert response.status_code == 401
        assert (await site.get("/mcp", ALICE)).status_code == 405
